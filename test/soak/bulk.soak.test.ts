/** A batch of a million recipients on PostgreSQL: see `bulk/bulkRun.ts`. */
import * as Effect from "effect/Effect"
import { inject, test } from "vitest"
import { runCampaign } from "../support/campaign.ts"
import { play } from "./bulk/bulkRun.ts"

test("bulk: a batch is as fast as direct sends", { timeout: 12 * 3_600_000 }, async () => {
  await runCampaign({
    name: "bulk",
    count: 1_000_000,
    turn: 1_000_000,
    run: (first, end) => Effect.runPromise(play(end - first, inject("postgresUrl"))),
  })
})
