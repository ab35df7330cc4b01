/**
 * `pnpm test:soak`: 100,000 random histories on the memory store and 1,000 on each database, the suite of
 * stores on nodes that rotate the keys of numbers, the pages of a million messages, 100,000 events to a
 * receiver that fails, and every mutation of the rules. The last line of the output says how many tests passed.
 * A failure prints the seed and the path of its history.
 */
import { join } from "node:path"
import { root } from "./paths.ts"
import { installReleaseTools } from "./run.ts"
import { main } from "./testCommand.ts"

process.env["COUNTERSIGN_MODEL_RUNS"] ??= "100000"
process.env["COUNTERSIGN_SOAK"] = "1"

// StrykerJS is in the second workspace.
const { code } = await installReleaseTools()
if (code !== 0) throw new Error("The second workspace could not be installed")

await main({
  config: join(root, "vitest.workspace.ts"),
  args: [
    "packages/core/test/adapters/MemoryStore.model.test.ts",
    "packages/postgres/test/Model.test.ts",
    "packages/postgres/test/RotatingStore.soak.test.ts",
    "test/DashboardLog.soak.test.ts",
    "test/Mutations.soak.test.ts",
    "test/Webhooks.soak.test.ts",
    ...process.argv.slice(2),
  ],
  timeoutMillis: 6 * 3_600_000,
})
