/**
 * StrykerJS changes each expression of a pure folder of `core`, one at a time, and runs the tests beside it.
 * `docs/explanation/defects.md` has the scores and the mutants that survive.
 */
import { assert, test } from "vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { copySources } from "./release/planting.ts"
import { root } from "./tools/paths.ts"
import { run } from "./tools/run.ts"

const timeout = 4 * 3_600_000

/** The command of StrykerJS, which only the workspace of the release checks installs. */
const stryker = (): string => {
  const { resolve } = createRequire(join(root, "test/release/package.json"))
  return join(dirname(resolve("@stryker-mutator/core/package.json")), "bin/stryker.js")
}

test.each(["text", "decide", "domain"])(
  "nine in ten mutants of %s are killed, at least",
  async (folder) => {
    // It changes files, and the packages of a copy import each other.
    const copy = await mkdtemp(join(tmpdir(), "countersign-mutations-"))
    try {
      await copySources(copy)
      const { code, stderr, stdout } = await run(
        process.execPath,
        [
          stryker(),
          "run",
          "test/release/stryker.config.ts",
          "--mutate",
          `packages/core/src/${folder}/**/*.ts`,
        ],
        { cwd: copy, timeoutMillis: timeout },
      )
      console.log(stdout)
      assert.strictEqual(code, 0, stderr)
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  },
  timeout,
)
