/** 100,000 events to a receiver that fails in every way. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  deliverAll,
  engine,
  faulty,
  last,
  raise,
  receiving,
  sequences,
  subscribe,
} from "./support/webhooks.ts"

it.effect(
  "Each of 100,000 events comes once to a receiver that fails, and none is missing",
  () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const receiver = yield* receiving(faulty)
      yield* subscribe(receiver)
      yield* raise(100_000)
      yield* deliverAll
      assert.deepStrictEqual(receiver.problems, [])
      assert.deepStrictEqual(
        receiver.taken.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
        sequences(yield* last),
      )
    }).pipe(Effect.scoped, Effect.provide(engine())),
  600_000,
)
