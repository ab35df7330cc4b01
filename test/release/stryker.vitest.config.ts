/**
 * The tests that StrykerJS runs for each mutant: those beside the pure folders of `core`, because a rule is tested
 * where it is decided. A timeline is read from the rows of whole histories.
 */
import { join } from "node:path"
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    isolate: false,
    testTimeout: 60_000,
    include: [
      "packages/core/test/{domain,text,decide}/**/*.test.ts",
      "packages/core/test/services/History*.test.ts",
    ],
  },
})
