/**
 * The checks before a release: they take minutes, so `pnpm test` leaves them out and `pnpm test:release`
 * runs them.
 */
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { startingWith } from "../tools/startingWith.ts"

const root = join(import.meta.dirname, "../..")

const longest = [
  "test/release/DocExamples.test.ts",
  "test/release/PlantedMistakes.test.ts",
  "test/release/Guides.test.ts",
  "test/release/Installed.test.ts",
  "packages/postgres/test/release/KilledCalls.test.ts",
  "examples/next/test/release/main.test.ts",
  "examples/login/test/release/login.test.ts",
  "examples/quickstart/test/release/DashboardScreens.test.ts",
  "packages/postgres/test/release/Kill.test.ts",
  "packages/postgres/test/release/OutboxKills.test.ts",
  "packages/postgres/test/release/HostPoolClient.test.ts",
  "test/release/Footprint.test.ts",
  "examples/quickstart/test/release/DashboardFlows.test.ts",
  "test/release/Pooler.test.ts",
  "test/release/Packages.test.ts",
  "test/release/TestingPeers.test.ts",
  "packages/postgres/test/release/KilledBatches.test.ts",
  "examples/express-postgres/test/release/problems.test.ts",
  "packages/postgres/test/release/PgliteClient.test.ts",
  "examples/quickstart/test/release/DashboardLists.test.ts",
  "examples/quickstart/test/release/DashboardRecords.test.ts",
  "test/release/Bench.test.ts",
]

export default defineConfig({
  root,
  test: {
    name: "release",
    pool: "forks",
    // Many of the tests wait for processes.
    maxWorkers: 3,
    sequence: { sequencer: startingWith(longest) },
    // Two planted mistakes at a time; each has a vitest of its own.
    maxConcurrency: 2,
    testTimeout: 300_000,
    // Some begin with the packing of all packages.
    hookTimeout: 900_000,
    allowOnly: false,
    passWithNoTests: false,
    include: ["{packages,examples}/*/test/release/**/*.test.ts", "test/release/**/*.test.ts"],
    // One PostgreSQL server for all of them, and what is built from the sources as they are.
    globalSetup: [
      join(root, "test/support/PostgresServer.ts"),
      join(root, "test/release/tarballsFolder.ts"),
      join(root, "test/support/dashboardPages.ts"),
      join(root, "test/support/initialData.ts"),
    ],
  },
})
