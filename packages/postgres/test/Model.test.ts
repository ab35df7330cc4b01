/**
 * Random histories, played to the engine over a database and to the model that works everything out from
 * what has happened. A hundredth of COUNTERSIGN_MODEL_RUNS sets how many.
 */
import * as Model from "@countersign/testing/Model"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeRotatingStore, makeStores } from "./fixtures/stores.ts"

const numRuns = Math.ceil(Number(process.env["COUNTERSIGN_MODEL_RUNS"] ?? 2_500) / 100)

for (const { layer, name } of [...makeStores(), makeRotatingStore()]) {
  it.live(
    `the engine on ${name} answers what the model answers, history after history`,
    () =>
      Effect.gen(function* () {
        const { actions, histories, met } = yield* Model.check({ layer, numRuns })
        assert.strictEqual(histories, numRuns)
        assert.isAbove(actions, numRuns * 5)
        assert.isAbove(met.size, 20)
      }),
    300_000 + numRuns * 2_000,
  )
}
