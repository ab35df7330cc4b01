/**
 * The package stands alone: nothing is installed with it, and nothing of one runtime is asked for.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const folder = join(import.meta.dirname, "..")

describe("the sources", () => {
  const files = globSync("src/**/*.ts", { cwd: folder })

  it.each(files)("import only each other: %s", (file) => {
    const source = readFileSync(join(folder, file), "utf8")
    const specifiers = [
      ...source.matchAll(/\b(?:from|import|require)(?:\s+|\s*\(\s*)["']([^"']*)["']/g),
    ].map(([, specifier = ""]) => specifier)
    const computed = /\b(?:import|require)\s*\((?!\s*["'])/.test(source)
    assert.deepStrictEqual(
      specifiers.filter((specifier) => !specifier.startsWith("./")),
      [],
    )
    assert.isFalse(computed)
  })

  it("are all checked", () => {
    assert.include(files, "src/index.ts")
    assert.include(files, "src/internal/exchange.ts")
  })
})

describe("the manifest", () => {
  it("has no dependencies", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    assert(typeof manifest === "object" && manifest !== null)
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
      assert.notProperty(manifest, kind)
    }
  })
})
