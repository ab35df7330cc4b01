/**
 * The packages, as people will install them, are complete and correct.
 */
import { join } from "node:path"
import { assert, inject, test } from "vitest"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"

test(
  "every packed package passes the checks of pnpm check:packages",
  { timeout: 300_000 },
  async () => {
    const { code, stdout, stderr } = await run(process.execPath, [
      join(root, "test/tools/packages.ts"),
      inject("tarballsFolder"),
    ])
    assert.strictEqual(code, 0, `${stdout}${stderr}`)
  },
)
