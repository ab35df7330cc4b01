/**
 * The one vitest configuration. vitest does not look for a file of this name: it is passed with
 * `--config`, and `test/Workspace.test.ts` fails when it was not.
 */
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { startingWith } from "./test/tools/startingWith.ts"

const root = import.meta.dirname

// `pnpm test:soak` runs these as well.
const isSoak = process.env["COUNTERSIGN_SOAK"] === "1"

const longest = [
  "packages/postgres/test/StoreContract.test.ts",
  "packages/testing/test/Model.test.ts",
  "examples/express-postgres/test/main.test.ts",
  "examples/quickstart/test/main.test.ts",
  "examples/fastify/test/main.test.ts",
  "examples/hono/test/main.test.ts",
  "test/processes/Crash.test.ts",
  "test/processes/Concurrency.test.ts",
  "packages/postgres/test/Model.test.ts",
  "examples/quickstart/test/Numbers.test.ts",
  "examples/quickstart/test/Production.test.ts",
  "examples/quickstart/test/Activity.test.ts",
  "test/processes/Secrecy.test.ts",
  "packages/postgres/test/PostgresStore.test.ts",
  "packages/client/test/Retries.test.ts",
  "packages/postgres/test/internal/batches/rowCache.test.ts",
]

export default defineConfig({
  root,
  // `// @vitest-environment page` at the top of a test of components.
  resolve: {
    alias: { "vitest-environment-page": join(root, "test/support/pageEnvironment.ts") },
  },
  test: {
    pool: "forks",
    // A worker runs many files, of all packages: a project for each package would start workers of its own.
    // Loading Effect anew for each file took two thirds of the time.
    isolate: false,
    // One more than the machines have cores, because many tests wait for processes: 239 seconds instead of 295.
    maxWorkers: 3,
    sequence: { sequencer: startingWith(longest) },
    // Ends what hangs. A machine with other work takes minutes for what takes a few seconds.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A focused test hides the others: it is an error here and not only in CI.
    allowOnly: false,
    passWithNoTests: false,
    // One PostgreSQL server for the whole run, and what is built from the sources as they are.
    globalSetup: [
      join(root, "test/support/PostgresServer.ts"),
      join(root, "test/support/dashboardPages.ts"),
      join(root, "test/support/initialData.ts"),
    ],
    include: ["{packages,examples}/*/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "**/.*/**",
      // `pnpm test:release` runs these; see `test/release/vitest.config.ts`.
      "**/release/**",
      ...(isSoak ? [] : ["**/*.soak.test.ts"]),
    ],
  },
})
