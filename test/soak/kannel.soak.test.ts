/**
 * Rounds of messages through a real Kannel that fails: see `test/release/gateways/kannel/KannelFaults.test.ts`.
 */
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { test } from "vitest"
import { programsOf } from "../gateways/smpp/debian.ts"
import { failures, playRound, startRig } from "../release/gateways/kannel/kannelRound.ts"
import { addCounts } from "../support/addCounts.ts"
import { runCampaign } from "../support/campaign.ts"

test(
  "kannel: a failing Kannel and the account of the engine agree",
  { timeout: 12 * 3_600_000 },
  async (context) => {
    const programs = await programsOf("kannel")
    if ("missing" in programs) return context.skip(programs.missing)
    const names = Object.keys(failures)
    const play = (first: number, end: number) =>
      Effect.gen(function* () {
        const totals = {}
        const rig = yield* startRig(programs)
        for (let round = first; round < end; round++) {
          addCounts(totals, yield* playRound(rig, names[round % names.length] ?? "", round))
        }
        return totals
      }).pipe(Effect.scoped, Effect.provide([GatewaySuite.platform, TestClock.layer()]))
    await runCampaign({
      name: "kannel",
      count: 500,
      turn: 10,
      run: (first, end) => Effect.runPromise(play(first, end)),
    })
    return undefined
  },
)
