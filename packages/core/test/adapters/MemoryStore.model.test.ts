/**
 * Random histories, played to the engine over the memory store and to the model that works everything out
 * from what has happened. COUNTERSIGN_MODEL_RUNS sets how many, and COUNTERSIGN_MODEL_SEED which.
 */
import * as Model from "@countersign/testing/Model"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"

const layer = Layer.fresh(MemoryStore.layer)
const numRuns = Number(process.env["COUNTERSIGN_MODEL_RUNS"] ?? 200)
const seed = process.env["COUNTERSIGN_MODEL_SEED"]

it.effect(
  "the engine over the memory store answers as the model does, history by history",
  () =>
    Effect.gen(function* () {
      const { histories } = yield* Model.check({
        layer,
        numRuns,
        maxCommands: 40,
        seed: seed === undefined ? undefined : Number(seed),
      })
      assert.strictEqual(histories, numRuns)
    }),
  300_000 + numRuns * 100,
)
