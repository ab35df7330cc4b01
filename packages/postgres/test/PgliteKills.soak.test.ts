/** F28: SIGKILL of processes that commit to PGlite, with and without `fsync`. */
import { test } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runCampaign } from "../../../test/support/campaign.ts"
import { temporaryFolder } from "./fixtures/folders.ts"
import { killedWriter } from "./fixtures/pgliteKills.ts"

test(
  "pglite-kills: processes that are killed lose no commit that PGlite has acknowledged",
  async () => {
    await runCampaign({
      name: "pglite-kills",
      count: 200,
      turn: 10,
      run: (first, end) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.gen(function* () {
              const dataDir = yield* temporaryFolder
              let acknowledged = 0
              for (let trial = first; trial < end; trial++) {
                const fsync = first % 20 === 0 ? "on" : "off"
                acknowledged += yield* killedWriter(dataDir, fsync, 1 + ((37 * trial) % 400))
              }
              return { kills: end - first, acknowledged }
            }),
          ),
        ),
    })
  },
  12 * 3_600_000,
)
