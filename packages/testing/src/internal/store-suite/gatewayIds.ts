import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { open, present, run, settled, type StoreService, type Test } from "./support.ts"

const acme = Samples.organizationId
const other = Samples.otherOrganizationId

const day = 86_400_000

/** A message that the gateway accepted. If it is closed, the gateway has also reported on it. */
interface Sent {
  readonly of: OrganizationId
  readonly is: "open" | "closed"
}

/** Sends a message that the gateway accepts under an id, and advances the time by a second. */
const send = Effect.fnUntraced(function* (
  store: StoreService,
  { is, of: organization }: Sent,
  { gatewayId = "gw-1", idMillis }: { gatewayId?: string; idMillis?: number } = {},
) {
  const message = present(yield* store.account(organization)).lastMessage + 1
  const draft = Samples.newMessage({ id: Samples.messageId(message), settleMillis: 900 * day })
  yield* run(store, Samples.holdMessage({ organization, draft }))
  const outcome = { _tag: "Accepted", gatewayId, idMillis } as const
  yield* run(store, settled(message, outcome, { organization }))
  if (is === "closed")
    yield* run(store, Samples.applyReport({ organization, messageSequence: message }))
  yield* TestClock.adjust(1_000)
  return `${organization} ${message}`
})

/** Returns texts such as `acme 1`. */
const found = (store: StoreService, gatewayId = "gw-1") =>
  Effect.map(store.locate("simulated", gatewayId), (ref) =>
    ref === undefined ? "nothing" : `${ref.organization} ${ref.sequence}`,
  )

const reused: ReadonlyArray<readonly [first: Sent, second: Sent, finds: "first" | "second"]> = [
  [{ of: acme, is: "closed" }, { of: other, is: "open" }, "second"],
  [{ of: other, is: "closed" }, { of: acme, is: "open" }, "second"],
  [{ of: acme, is: "closed" }, { of: acme, is: "open" }, "second"],
  [{ of: acme, is: "open" }, { of: other, is: "closed" }, "first"],
  [{ of: other, is: "open" }, { of: acme, is: "closed" }, "first"],
  [{ of: acme, is: "open" }, { of: acme, is: "closed" }, "first"],
  [{ of: acme, is: "open" }, { of: other, is: "open" }, "second"],
  [{ of: other, is: "open" }, { of: acme, is: "open" }, "second"],
  [{ of: acme, is: "open" }, { of: acme, is: "open" }, "second"],
  [{ of: acme, is: "closed" }, { of: other, is: "closed" }, "second"],
  [{ of: other, is: "closed" }, { of: acme, is: "closed" }, "second"],
  [{ of: acme, is: "closed" }, { of: acme, is: "closed" }, "second"],
]

export const gatewayIdsSection = (test: Test): void => {
  test("a repeated id finds an open message before a final one, and then the newest", function* (store) {
    yield* open(store, Samples.money("100"))
    yield* open(store, Samples.money("100"), other)
    for (const [row, [first, second, finds]] of reused.entries()) {
      const gatewayId = `gw-${row}`
      const expected = {
        first: yield* send(store, first, { gatewayId }),
        second: yield* send(store, second, { gatewayId }),
      }
      const played = `${first.of} ${first.is}, then ${second.of} ${second.is}`
      assert.strictEqual(yield* found(store, gatewayId), expected[finds], played)
    }
  })

  test("an id is exact, of one gateway, and known from the acceptance of its message on", function* (store) {
    yield* open(store)
    assert.strictEqual(yield* found(store), "nothing")
    yield* send(store, { of: acme, is: "closed" })
    assert.strictEqual(yield* found(store), "acme 1")
    yield* run(store, Samples.holdMessage({ draft: { id: Samples.messageId(2) } }))
    const outcome = { _tag: "Accepted", gatewayId: "gw-1", gateway: "second" } as const
    yield* run(store, settled(2, outcome))
    assert.strictEqual(yield* found(store), "acme 1")
    assert.strictEqual((yield* store.locate("second", "gw-1"))?.sequence, 2)
    for (const [gateway, id] of [
      ["simulated", "gw-3"],
      ["elsewhere", "gw-1"],
      ["simulated", "GW-1"],
    ] as const) {
      assert.isUndefined(yield* store.locate(gateway, id))
    }
  })

  test("an id finds a final message while it is unique, and not afterwards", function* (store) {
    yield* open(store)
    yield* send(store, { of: acme, is: "closed" }, { idMillis: day })
    yield* TestClock.setTime(Samples.now + day - 1)
    assert.strictEqual(yield* found(store), "acme 1")
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* found(store), "nothing")
  })

  test("an id that stays unique permanently finds a final message at any time", function* (store) {
    yield* open(store)
    yield* send(store, { of: acme, is: "closed" })
    yield* send(store, { of: acme, is: "closed" }, { gatewayId: "gw-2", idMillis: Infinity })
    yield* TestClock.adjust(40 * day)
    assert.strictEqual(yield* found(store, "gw-1"), "acme 1")
    assert.strictEqual(yield* found(store, "gw-2"), "acme 2")
  })

  test("an id finds an open message at any time, and not after its end", function* (store) {
    yield* open(store)
    yield* send(store, { of: acme, is: "open" }, { idMillis: day })
    yield* TestClock.adjust(40 * day)
    assert.strictEqual(yield* found(store), "acme 1")
    yield* run(store, Samples.applyReport())
    assert.strictEqual(yield* found(store), "nothing")
  })

  test("an id expires for each message separately", function* (store) {
    yield* open(store)
    yield* open(store, Samples.money("10"), other)
    yield* send(store, { of: acme, is: "closed" }, { idMillis: 3 * day })
    yield* send(store, { of: other, is: "closed" }, { idMillis: day })
    assert.strictEqual(yield* found(store), "other 1")
    yield* TestClock.adjust(day)
    assert.strictEqual(yield* found(store), "acme 1")
    yield* TestClock.adjust(2 * day)
    assert.strictEqual(yield* found(store), "nothing")
  })

  test("a message is found by its latest id only", function* (store) {
    yield* open(store)
    yield* send(store, { of: acme, is: "open" })
    const outcome = { _tag: "Accepted", gatewayId: "gw-1", gateway: "second" } as const
    yield* run(store, Samples.recordDispatch({ outcome }))
    assert.strictEqual(yield* found(store), "nothing")
    assert.strictEqual((yield* store.locate("second", "gw-1"))?.sequence, 1)
  })
}
