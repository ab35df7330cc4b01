import * as MemoryStore from "@countersign/core/MemoryStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Model from "../src/Model.ts"

describe("Model", () => {
  it.effect("finds nothing in the memory store", () =>
    Effect.gen(function* () {
      const checked = yield* Model.check({ layer: Layer.fresh(MemoryStore.layer), numRuns: 200, maxCommands: 40 })
      assert.strictEqual(checked.histories, 200)
      console.log(checked)
    }), 100_000)
})
