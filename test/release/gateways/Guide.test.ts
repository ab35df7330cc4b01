/** The gateways of the guide "Write a gateway" pass the suite that the guide shows. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { examplesOf } from "../tools/docExamples.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { root } from "../../tools/paths.ts"

const guide = readFileSync(join(root, "docs/guides/write-a-gateway.md"), "utf8")

const examples = examplesOf(guide).flatMap((one) =>
  one.kind === "program" && one.code.includes("GatewaySuite.suite(") ? [one.code] : [],
)

// Inside `test`, so that imports of the workspace's packages are found.
const folder = temporaryFolder(".fixture-", join(root, "test"))

assert.strictEqual(examples.length, 2)

for (const [index, code] of examples.entries()) {
  const file = join(folder, `${index}.ts`)
  writeFileSync(file, code)
  const { test }: { readonly test: () => void } = await import(file)
  test()
}
