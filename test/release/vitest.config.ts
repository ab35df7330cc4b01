/**
 * The checks before a release: they take minutes, so `pnpm test` leaves them out and `pnpm test:release`
 * runs them.
 */
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const folder = import.meta.dirname

export default defineConfig({
  root: folder,
  test: {
    name: "release",
    pool: "forks",
    // Two planted mistakes at a time; each has a vitest of its own.
    maxWorkers: 1,
    maxConcurrency: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    allowOnly: false,
    passWithNoTests: false,
    include: ["**/*.test.ts"],
    // One PostgreSQL server for all of them.
    globalSetup: [join(folder, "../support/PostgresServer.ts")],
  },
})
