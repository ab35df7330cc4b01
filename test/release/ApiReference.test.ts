/**
 * The reference in `docs/api` says what the packages export.
 */
import { join } from "node:path"
import { assert, test } from "vitest"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"

test("the API reference is what pnpm docs:api makes of the sources", async () => {
  const { code, stderr, stdout } = await run(process.execPath, [
    join(root, "test/tools/apiReference.ts"),
    "--check",
  ])
  assert.strictEqual(code, 0, `${stdout}${stderr}`)
})
