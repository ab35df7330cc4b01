import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { MessageQuery } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { held, logOf, open, run, type StoreService, type Test } from "./support.ts"

const { now, organizationId } = Samples

/** Messages 1 to 10. Messages 3, 4 and 5 were created in the same millisecond. */
const createdAt = [0, 10, 20, 20, 20, 30, 40, 41, 1_000, 86_400_000].map((after) => now + after)

const send = Effect.fnUntraced(function* (store: StoreService) {
  yield* open(store)
  for (const [index, at] of createdAt.entries()) {
    yield* TestClock.setTime(at)
    yield* run(store, held(index + 1))
  }
})

interface Row {
  readonly asks: Partial<MessageQuery>
  /** Sequences of the messages, newest first. */
  readonly gets: ReadonlyArray<number>
  readonly total: number
}

const table: ReadonlyArray<Row> = [
  { asks: {}, gets: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], total: 10 },
  { asks: { limit: 3 }, gets: [10, 9, 8], total: 10 },
  { asks: { skip: 3, limit: 3 }, gets: [7, 6, 5], total: 10 },
  { asks: { skip: 9, limit: 3 }, gets: [1], total: 10 },
  { asks: { skip: 10, limit: 3 }, gets: [], total: 10 },
  { asks: { skip: 199_999_999_800, limit: 200 }, gets: [], total: 10 },
  { asks: { from: now, to: now + 86_400_000 }, gets: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], total: 10 },
  { asks: { from: now + 1, to: now + 86_399_999 }, gets: [9, 8, 7, 6, 5, 4, 3, 2], total: 8 },
  { asks: { from: now + 20, to: now + 20 }, gets: [5, 4, 3], total: 3 },
  { asks: { from: now + 20, to: now + 20, limit: 2 }, gets: [5, 4], total: 3 },
  { asks: { from: now + 20, to: now + 20, skip: 2, limit: 2 }, gets: [3], total: 3 },
  { asks: { from: now + 20, to: now + 20, skip: 3, limit: 2 }, gets: [], total: 3 },
  { asks: { from: now + 21, to: now + 29 }, gets: [], total: 0 },
  { asks: { from: now + 40, to: now + 41 }, gets: [8, 7], total: 2 },
  { asks: { from: now + 41, to: now + 40 }, gets: [], total: 0 },
  { asks: { from: now + 41 }, gets: [10, 9, 8], total: 3 },
  { asks: { to: now + 20 }, gets: [5, 4, 3, 2, 1], total: 5 },
  { asks: { from: 0, to: now - 1 }, gets: [], total: 0 },
  { asks: { from: now + 86_400_001, to: 8_640_000_000_000_000 }, gets: [], total: 0 },
  {
    asks: { from: -8_640_000_000_000_000, to: 8_640_000_000_000_000, limit: 1 },
    gets: [10],
    total: 10,
  },
]

export const logSection = (test: Test): void => {
  test("pages, totals and ranges are exact, newest first, both ends included", function* (store) {
    yield* send(store)
    for (const { asks, gets, total } of table) {
      const page = yield* logOf(store, asks)
      const found = { asks, gets: page.messages.map(({ sequence }) => sequence), total: page.total }
      assert.deepStrictEqual(found, { asks, gets, total })
    }
  })

  test("an empty log has an empty page, with the version of the settings", function* (store) {
    yield* open(store)
    yield* store.changeOrganization(organizationId, (same) => same)
    const empty = { version: 2, total: 0, messages: [] }
    assert.deepStrictEqual(yield* logOf(store), empty)
    assert.deepStrictEqual(yield* logOf(store, { from: 0, to: now }), empty)
  })

  test("a message is found by its number, with the version of the settings", function* (store) {
    yield* send(store)
    yield* open(store, Samples.money("10"), Samples.otherOrganizationId)
    yield* store.changeOrganization(organizationId, (same) => same)
    const page = yield* logOf(store)
    for (const message of page.messages) {
      const found = yield* store.message({
        organization: organizationId,
        sequence: message.sequence,
      })
      assert.deepStrictEqual(found, { version: 2, message })
    }
    for (const number of [0, 11, 999_999_999_999_999]) {
      const none = yield* store.message({ organization: organizationId, sequence: number })
      assert.deepStrictEqual(none, { version: 2, message: undefined }, `${number}`)
    }
    const others = yield* store.message({
      organization: Samples.otherOrganizationId,
      sequence: 1,
    })
    assert.deepStrictEqual(others, { version: 1, message: undefined })
    const unknown = yield* store.message({ organization: OrganizationId("unknown"), sequence: 1 })
    assert.isUndefined(unknown)
  })
}
