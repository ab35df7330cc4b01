/**
 * Histories of messages over SMPP to a centre that fails: see `test/gateways/smpp/Faults.test.ts`. The number of a
 * trial is the seed of its history.
 */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { test } from "vitest"
import { playHistory } from "../gateways/smpp/smppHistory.ts"
import { addCounts } from "../support/addCounts.ts"
import { runCampaign } from "../support/campaign.ts"

test(
  "smpp: a failing centre and the account of the engine agree",
  { timeout: 12 * 3_600_000 },
  () =>
    runCampaign({
      name: "smpp",
      count: 10_000,
      turn: 50,
      run: async (first, end) => {
        const totals = {}
        for (let seed = first; seed < end; seed++) {
          const history = Effect.scoped(playHistory({ seed }))
          addCounts(totals, await Effect.runPromise(Effect.provide(history, TestClock.layer())))
        }
        return totals
      },
    }),
)
