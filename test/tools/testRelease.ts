/**
 * `pnpm test:release`: the checks that take too long for every change, and those that need the second workspace,
 * which it installs. The last line of the output says how many passed.
 */
import { join } from "node:path"
import { root } from "./paths.ts"
import { installReleaseTools } from "./run.ts"
import { main } from "./testCommand.ts"

const { code } = await installReleaseTools()
if (code === 0) {
  await main({ config: join(root, "test/release/vitest.config.ts"), args: process.argv.slice(2) })
} else {
  console.log("0 passed, 1 failed")
  process.exitCode = 1
}
