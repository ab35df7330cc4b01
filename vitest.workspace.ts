/**
 * The one vitest configuration. vitest does not look for a file of this name: it is passed with
 * `--config`, and `test/Workspace.test.ts` fails when it was not.
 */
import { globSync } from "node:fs"
import { join, sep } from "node:path"
import { defineConfig } from "vitest/config"

declare module "vitest" {
  interface ProvidedContext {
    /** The folders whose tests run, relative to the root. Only this file provides it. */
    readonly testedFolders: ReadonlyArray<string>
  }
}

const root = import.meta.dirname

// `pnpm test:release` runs these; see `test/release/vitest.config.ts`.
const isRelease = (file: string): boolean => file.split(sep).includes("release")

// `pnpm test:soak` runs these as well.
const isSoak = process.env["COUNTERSIGN_SOAK"] === "1"

const tested = [
  ...new Set(
    globSync("{packages,examples}/*/test/**/*.test.ts", { cwd: root })
      .filter((file) => !isRelease(file))
      .map((file) => file.split(sep).slice(0, 2).join("/")),
  ),
  "test",
].toSorted()

export default defineConfig({
  root,
  test: {
    pool: "forks",
    // A worker runs many files. Loading Effect anew for each of them took two thirds of the time.
    isolate: false,
    // The machines that run this are small, and some tests start a PostgreSQL server.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A focused test hides the others: it is an error here and not only in CI.
    allowOnly: false,
    passWithNoTests: false,
    provide: { testedFolders: tested },
    // One PostgreSQL server for the whole run, and the dashboard as its sources are.
    globalSetup: [
      join(root, "test/support/PostgresServer.ts"),
      join(root, "test/support/dashboardPages.ts"),
    ],
    projects: tested.map((folder) => ({
      extends: true,
      test: {
        name: folder.split("/").at(-1) ?? folder,
        root: join(root, folder),
        include: [folder === "test" ? "**/*.test.ts" : "test/**/*.test.ts"],
        exclude: [
          "**/node_modules/**",
          "**/.*/**",
          "**/release/**",
          ...(isSoak ? [] : ["**/*.soak.test.ts"]),
        ],
      },
    })),
  },
})
