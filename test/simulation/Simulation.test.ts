/**
 * Random histories of several nodes with faults at every port. `COUNTERSIGN_SIMULATION_SEED=7 pnpm test simulation` plays
 * one history, `pnpm test:soak simulation --count N` plays N.
 */
import * as Simulation from "@countersign/testing/Simulation"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { unmet } from "./met.ts"

const seed = process.env["COUNTERSIGN_SIMULATION_SEED"]

describe("a simulation", () => {
  it.effect("holds what must hold in 60 histories, and meets every fault", () =>
    Effect.gen(function* () {
      const { met } = yield* Simulation.check(
        seed === undefined ? { histories: 60 } : { firstSeed: Number(seed), histories: 1 },
      )
      if (seed === undefined) assert.deepStrictEqual(unmet(met, "often"), [])
    }),
  )

  it.effect("plays ten histories twice with equal traces", () =>
    Effect.gen(function* () {
      const { play } = yield* Simulation.make()
      const traces = () => Array.from({ length: 10 }, (_, index) => play(index + 1).trace)
      const first = traces()
      assert.deepStrictEqual(traces(), first)
      assert.strictEqual(new Set(first).size, 10)
    }),
  )
})
