/**
 * SIGKILL of processes that send over SMPP, on PostgreSQL: see `test/gateways/smpp/killedSenders.ts`.
 */
import * as Effect from "effect/Effect"
import { inject, test } from "vitest"
import { killSenders } from "../gateways/smpp/killedSenders.ts"
import { runCampaign } from "../support/campaign.ts"

test(
  "smpp-kill: killed senders and the count of the centre agree",
  { timeout: 12 * 3_600_000 },
  () =>
    runCampaign({
      name: "smpp-kill",
      count: 1_000,
      turn: 20,
      run: (first, end) =>
        Effect.runPromise(Effect.scoped(killSenders(inject("postgresUrl"), first, end - first))),
    }),
)
