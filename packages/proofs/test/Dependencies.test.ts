/**
 * A service that only verifies needs neither Effect nor core.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"

const src = join(import.meta.dirname, "../src")

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(src, file), "utf8").matchAll(/\bfrom "([^"]*)"/g)].map(
    ([, specifier = ""]) => specifier,
  )

it("the verifier imports jose and one module, which imports nothing", () => {
  assert.deepStrictEqual(
    [...new Set(importsOf("ProofVerifier.ts"))],
    ["jose", "./internal/payload.ts"],
  )
  assert.deepStrictEqual(importsOf("internal/payload.ts"), [])
})
