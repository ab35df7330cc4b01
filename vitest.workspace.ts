/**
 * The one vitest configuration. vitest does not look for a file of this name: it is passed with
 * `--config`, and `test/Workspace.test.ts` fails when it was not.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

declare module "vitest" {
  interface ProvidedContext {
    /** The folders whose tests run, relative to the root. Only this file provides it. */
    readonly testedFolders: ReadonlyArray<string>
  }
}

const root = import.meta.dirname

const withTests = (parent: string): ReadonlyArray<string> =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, parent, entry.name, "test")))
    .map((entry) => `${parent}/${entry.name}`)

const tested = [...withTests("packages"), ...withTests("examples"), "test"]

export default defineConfig({
  root,
  test: {
    pool: "forks",
    // The machines that run this are small, and some tests start a PostgreSQL server.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A focused test hides the others: it is an error here and not only in CI.
    allowOnly: false,
    passWithNoTests: false,
    provide: { testedFolders: tested },
    // One PostgreSQL server for the whole run.
    globalSetup: [join(root, "test/support/PostgresServer.ts")],
    projects: tested.map((folder) => ({
      extends: true,
      test: {
        name: folder.split("/").at(-1) ?? folder,
        root: join(root, folder),
        include: [folder === "test" ? "**/*.test.ts" : "test/**/*.test.ts"],
        // `release` has a configuration of its own.
        exclude: ["**/node_modules/**", "**/.*/**", "release/**"],
      },
    })),
  },
})
