/**
 * `@countersign/testing` in projects with the vitest of their choice, installed by npm, which refuses
 * peers that do not fit.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, inject, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"

const folder = temporaryFolder("countersign-peers-")
let ours: ReadonlyArray<string> = []

beforeAll(async () => {
  const tarballOf = await tarballsIn(inject("tarballsFolder"))
  ours = ["@countersign/core", "@countersign/testing"].map(tarballOf)
})

interface Row {
  readonly title: string
  /** The peers that the project installs. */
  readonly peers: ReadonlyArray<string>
  /** Files of `test/tools/installed`, without their ending. */
  readonly tests: ReadonlyArray<string>
}

const rows: ReadonlyArray<Row> = [
  {
    title: "the suites run on the lowest vitest that @effect/vitest supports",
    peers: ["vitest@5.0.0", "@effect/vitest@^4.0.5"],
    tests: ["storeContract", "testEngine"],
  },
  {
    title: "the suites run on its newest vitest",
    peers: ["vitest@^5", "@effect/vitest@^4.0.5"],
    tests: ["storeContract", "testEngine"],
  },
  {
    title: "the engine for tests runs on vitest 4, without @effect/vitest",
    peers: ["vitest@^4"],
    tests: ["testEngine"],
  },
  {
    title: "the engine for tests runs on vitest 3, without @effect/vitest",
    peers: ["vitest@^3"],
    tests: ["testEngine"],
  },
]

describe("npm installs @countersign/testing without a conflict, and", () => {
  test.each(rows)("$title", async ({ peers, tests, title }) => {
    const home = join(folder, `${rows.findIndex((row) => row.title === title)}`)
    mkdirSync(home)
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }))
    for (const file of tests) {
      copyFileSync(join(root, "test/tools/installed", `${file}.ts`), join(home, `${file}.test.ts`))
    }
    const installed = await run(
      "npm",
      ["install", "--no-audit", "--no-fund", "--strict-peer-deps", "--prefer-offline"].concat(
        ours,
        peers,
        "effect@^4.1.0",
        "fast-check@^4.10.2",
      ),
      { cwd: home, timeoutMillis: 240_000 },
    )
    succeeded(installed)
    assert.notMatch(installed.stderr, /ERESOLVE|\bpeer\b/)

    const ran = await run(
      process.execPath,
      // A machine that is busy with other work needs more than the five seconds of vitest.
      ["node_modules/vitest/vitest.mjs", "run", "--testTimeout=60000"],
      { cwd: home, timeoutMillis: 120_000 },
    )
    const output = succeeded(ran)
    for (const file of tests) assert.include(output, `${file}.test.ts`)
  })
})
