import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Simulation from "../src/Simulation.ts"

/** A store that does not list what is due. */
const forgetful = () => ({ ...MemoryStore.make(), due: () => Effect.succeed([]) })

it.effect(
  "tells what happened in a failing history, and how to play it again",
  () =>
    Effect.gen(function* () {
      const { explain, play } = yield* Simulation.make(forgetful)
      const isFailing = (seed: number) => play(seed).problems.length > 0
      const seed = [1, 2, 3].find(isFailing) ?? 0
      const [problems = "", , , story = "", again = ""] = explain(seed, 20).message.split("\n\n")
      assert.match(problems, /I22: message \w+ \d+ is \w+, and stays open/)
      assert.match(story, /HoldMessage|RequestVerification/)
      assert.include(again, `firstSeed: ${seed}`)
    }),
  300_000,
)
