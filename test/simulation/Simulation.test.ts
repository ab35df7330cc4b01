/**
 * Random histories of several nodes with faults at every port. `COUNTERSIGN_SIMULATION_SEED=7 pnpm test simulation` plays
 * one history, `pnpm test:soak simulation --count N` plays N.
 */
import * as Simulation from "@countersign/testing/Simulation"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../tools/paths.ts"
import { unmet } from "./met.ts"
import { simulatedMistakes } from "./mistakes.ts"

const seed = process.env["COUNTERSIGN_SIMULATION_SEED"]

describe("a simulation", () => {
  it.effect(
    "holds what must hold in 60 histories, and meets every fault",
    () =>
      Effect.gen(function* () {
        const { met } = yield* Simulation.check(
          seed === undefined ? { histories: 60 } : { firstSeed: Number(seed), histories: 1 },
        )
        if (seed === undefined) assert.deepStrictEqual(unmet(met, "often"), [])
      }),
    300_000,
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

  it("can be given each mistake: its text is in its file once", () => {
    for (const { file, find, name } of simulatedMistakes) {
      assert.lengthOf(readFileSync(join(root, file), "utf8").split(find), 2, name)
    }
  })
})
