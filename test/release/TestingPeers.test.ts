/**
 * `@countersign/testing` in projects with the vitest of their choice, resolved by npm, which refuses
 * peers that do not fit.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { assert, beforeAll, describe, inject, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { addWithPnpm } from "../tools/installed.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"

const folder = temporaryFolder("countersign-peers-")
let ours: ReadonlyMap<string, string>

beforeAll(async () => {
  const tarballOf = await tarballsIn(inject("tarballsFolder"))
  const names = ["@countersign/core", "@countersign/testing"]
  ours = new Map(names.map((name) => [name, tarballOf(name)]))
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

const Lock = Schema.fromJsonString(
  Schema.Struct({
    packages: Schema.Record(
      Schema.String,
      Schema.Struct({ version: Schema.optionalKey(Schema.String) }),
    ),
  }),
)

/** The versions that npm has chosen for packages, given with ranges. */
const resolved = (home: string, packages: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lock = Schema.decodeSync(Lock)(readFileSync(join(home, "package-lock.json"), "utf8"))
  return packages.map((one) => {
    const name = one.slice(0, one.lastIndexOf("@"))
    const version = lock.packages[`node_modules/${name}`]?.version
    return `${name}@${version ?? assert.fail(`npm has not resolved ${name}`)}`
  })
}

describe("npm installs @countersign/testing without a conflict, and", () => {
  test.each(rows)("$title", async ({ peers, tests, title }) => {
    const home = join(folder, `${rows.findIndex((row) => row.title === title)}`)
    mkdirSync(home)
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }))
    for (const file of tests) {
      copyFileSync(join(root, "test/tools/installed", `${file}.ts`), join(home, `${file}.test.ts`))
    }
    const others = [...peers, "effect@^4.1.0", "fast-check@^4.10.2"]
    // It decides in this way as well, and writes no package: pnpm links the versions that it has chosen. A cached list
    // of versions can be older than the version that another package asks for.
    const options = ["--package-lock-only", "--strict-peer-deps", "--prefer-online"]
    const decided = await run(
      "npm",
      ["install", "--no-audit", "--no-fund", ...options, ...ours.values(), ...others],
      { cwd: home, timeoutMillis: 240_000 },
    )
    succeeded(decided)
    assert.notMatch(decided.stderr, /ERESOLVE|\bpeer\b/)
    succeeded(await addWithPnpm(home, ours, resolved(home, others)))

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
