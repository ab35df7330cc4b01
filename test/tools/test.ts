/**
 * `pnpm test`: every test of the repository. The last line of the output says how many passed.
 */
import { join } from "node:path"
import { root } from "./paths.ts"
import { main } from "./testCommand.ts"

await main({ config: join(root, "vitest.workspace.ts"), args: process.argv.slice(2) })
