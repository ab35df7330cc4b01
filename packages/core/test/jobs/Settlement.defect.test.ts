/** One message that the store chokes on is not the end of the others. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { Store } from "../../src/ports/Store.ts"
import { testOn } from "../support/engineTest.ts"

const chokingOnTheFirst = Layer.sync(Store, () => {
  const store = MemoryStore.make()
  return Store.of({
    ...store,
    execute: (command) =>
      command._tag === "CloseMessage" &&
      "messageSequence" in command &&
      command.messageSequence === 1
        ? Effect.die(new Error("a row that cannot be read"))
        : store.execute(command),
  })
})

testOn(
  TestEngine.layer({
    store: chokingOnTheFirst,
    gateway: { behave: () => ({ _tag: "NeverReport" }) },
  }),
)("a message whose settlement fails does not delay the refund of others", function* () {
  const { organization } = yield* TestEngine.open()
  const messages = yield* Messages
  const message = { organization, phoneNumber: "8801712345678", text: "hi" }
  yield* messages.send(message)
  yield* messages.send(message)
  yield* TestClock.adjust("25 hours")
  const settlement = yield* Settlement
  yield* settlement.round
  const { messages: log } = yield* messages.list({ organization })
  assert.deepStrictEqual(
    log.map(({ hold, sequence }) => [sequence, hold]),
    [
      [2, "released"],
      [1, "open"],
    ],
  )
})
