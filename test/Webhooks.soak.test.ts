/** 100,000 events to a receiver that fails in every way. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert } from "vitest"
import { testsOver } from "./support/testsOver.ts"
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

testsOver(engine()).effect(
  "Each of 100,000 events comes once to a receiver that fails, and none is missing",
  function* () {
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
  },
  600_000,
)
