/**
 * `pnpm test:release`: the checks that take too long for every change. The last line of the output says
 * how many passed.
 */
import { join } from "node:path"
import { root } from "./paths.ts"
import { main } from "./testCommand.ts"

await main({ config: join(root, "test/release/vitest.config.ts"), args: process.argv.slice(2) })
