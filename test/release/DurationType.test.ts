import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"

const options = [
  "limits: { sendsPerNumber: { max: 1, per: 60 } }",
  "settleAfter: 300",
  "retention: { messages: 90 }",
  "routing: { retryFor: 10_000 }",
]

const folder = temporaryFolder("durations-", join(root, "test/release"))

it("the compiler refuses a bare number for a duration, and names the type", async () => {
  const source = [
    'import type { CountersignOptions } from "../../../packages/countersign/src/index.ts"',
    "export const all: ReadonlyArray<CountersignOptions> = [",
    '  { limits: { sendsPerNumber: { max: 1, per: "60 seconds" } }, settleAfter: "1.5 hours" },',
    ...options.map((option) => `  { ${option} },`),
    "]",
  ]
  writeFileSync(join(folder, "options.ts"), source.join("\n"))
  const config = {
    extends: "../../../tsconfig.base.json",
    compilerOptions: { noEmit: true, composite: false, incremental: false },
    files: ["options.ts"],
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const { stdout } = await run("tsc", ["-p", folder])
  const lines = [...stdout.matchAll(/^.*options\.ts\((\d+),/gm)].map(([, line]) => Number(line))
  assert.deepStrictEqual(lines, [4, 5, 6, 7], stdout)
  const types = stdout.matchAll(/Type 'number' is not assignable to type '(\w+) \| undefined'/g)
  const named = [...types].map(([, type]) => type)
  assert.deepStrictEqual(named, ["Duration", "Duration", "Duration", "Duration"], stdout)
})
