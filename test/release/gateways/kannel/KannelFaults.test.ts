/**
 * A real Kannel that fails while messages are in flight. `test/soak/kannel.soak.test.ts` plays more of these rounds.
 */
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert } from "@effect/vitest"
import { beforeAll } from "vitest"
import {
  fetchMillis,
  type Missing,
  type Programs,
  programsOf,
} from "../../../gateways/smpp/debian.ts"
import { testsOver } from "../../../support/testsOver.ts"
import { failures, playRound, startRig } from "./kannelRound.ts"

let programs: Programs | Missing = { missing: "not looked for yet" }

beforeAll(async () => {
  programs = await programsOf("kannel")
}, 2 * fetchMillis)

testsOver(GatewaySuite.platform).effect.each(Object.keys(failures))(
  "charges each message that is reported, and refunds the others, when %s",
  function* (failure, context) {
    if ("missing" in programs) return context.skip(programs.missing)
    const rig = yield* startRig(programs)
    const counts = yield* playRound(rig, failure, 1)
    assert.isAbove(counts.captured, 0)
  },
)
