/**
 * The packages, as people will install them, are complete and correct.
 */
import { join } from "node:path"
import { inject, test } from "vitest"
import { root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"

test(
  "every packed package passes the checks of pnpm check:packages",
  { timeout: 300_000 },
  async () => {
    const args = [join(root, "test/tools/packages.ts"), inject("tarballsFolder")]
    succeeded(await run(process.execPath, args))
  },
)
