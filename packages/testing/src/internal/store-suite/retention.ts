import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Limits from "@countersign/core/domain/limits/Limits"
import type { MessageQuery } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Invariants from "../../Invariants.ts"
import * as Samples from "../../Samples.ts"
import { day, prune, sound, total } from "./prune.ts"
import { codeTests, recipientTests, requestTests } from "./retentionOfRequests.ts"
import {
  atOnce,
  delivered,
  held,
  logOf,
  open,
  present,
  run,
  settled,
  type StoreService,
  tagsOf,
  tally,
  type Test,
  times,
  unsent,
} from "./support.ts"

const { money, now, organizationId } = Samples

const hold = (store: StoreService, index: number) => run(store, held(index))

const deliver = (store: StoreService, message: number) =>
  run(store, settled(message, delivered(`gw-${message}`)))

/** Adds messages 1 to `count`, an hour apart and delivered at once. */
const fill = Effect.fnUntraced(function* (store: StoreService, count: number) {
  yield* open(store, money("100"))
  for (let index = 1; index <= count; index++) {
    yield* TestClock.setTime(now + index * 3_600_000)
    yield* hold(store, index)
    yield* deliver(store, index)
  }
})

const at = (hours: number) => now + hours * 3_600_000

const numbers = (store: StoreService, query?: Partial<MessageQuery>) =>
  Effect.map(logOf(store, query), ({ messages, total }) => ({
    total,
    numbers: messages.map(({ sequence }) => sequence),
  }))

const logTests = (test: Test): void => {
  test("pages, totals and ranges stay right after the oldest messages were dropped", function* (store) {
    yield* fill(store, 10)
    yield* TestClock.setTime(at(6) + day)
    // The messages of hours 1 to 5 are older than a day. The message of hour 6 is exactly a day old.
    assert.deepStrictEqual(yield* prune(store, "messages"), [5])
    const rest = [10, 9, 8, 7, 6]
    const table: ReadonlyArray<readonly [Partial<MessageQuery>, ReadonlyArray<number>, number]> = [
      [{}, rest, 5],
      [{ limit: 2 }, [10, 9], 5],
      [{ skip: 4, limit: 2 }, [6], 5],
      [{ skip: 5, limit: 2 }, [], 5],
      [{ from: at(1), to: at(10) }, rest, 5],
      [{ from: now - day, to: at(7) }, [7, 6], 2],
      [{ from: at(3) }, rest, 5],
      [{ from: at(6) }, rest, 5],
      [{ from: at(6) + 1 }, [10, 9, 8, 7], 4],
      [{ to: at(6) }, [6], 1],
      [{ to: at(6) - 1 }, [], 0],
      [{ from: at(1), to: at(5) }, [], 0],
      [{ from: at(11), to: at(12) }, [], 0],
    ]
    for (const [asks, gets, total] of table) {
      assert.deepStrictEqual<unknown>(
        yield* numbers(store, asks),
        { total, numbers: gets },
        JSON.stringify(asks),
      )
    }
    yield* sound(store)
  })

  test("an emptied log continues its numbers", function* (store) {
    yield* fill(store, 3)
    yield* TestClock.setTime(at(4) + day)
    assert.strictEqual(total(yield* prune(store, "messages")), 3)
    const none = { total: 0, numbers: [] }
    for (const asks of [{}, { from: now }, { to: at(9) + day }, { from: now, to: at(9) + day }]) {
      assert.deepStrictEqual(yield* numbers(store, asks), none, JSON.stringify(asks))
    }
    yield* hold(store, 4)
    assert.deepStrictEqual(yield* numbers(store), { total: 1, numbers: [4] })
    const last = { from: now, to: at(4) + day }
    assert.deepStrictEqual(yield* numbers(store, last), { total: 1, numbers: [4] })
    assert.deepStrictEqual(yield* numbers(store, { to: at(4) + day - 1 }), none)
    yield* sound(store)
  })

  test("no message behind an open one is dropped, until the open one is final", function* (store) {
    yield* fill(store, 2)
    yield* hold(store, 3)
    yield* hold(store, 4)
    yield* deliver(store, 4)
    yield* TestClock.setTime(at(5) + 3 * day)
    assert.deepStrictEqual(yield* prune(store, "messages"), [2])
    assert.deepStrictEqual(yield* prune(store, "messages"), [0])
    assert.deepStrictEqual(yield* numbers(store), { total: 2, numbers: [4, 3] })
    assert.deepStrictEqual(
      (yield* store.due(9)).map(({ sequence }) => sequence),
      [3],
    )
    yield* run(store, Samples.reclaimMessage({ messageSequence: 3 }))
    yield* run(store, settled(3, unsent, { dispatchNumber: 2 }))
    assert.deepStrictEqual(yield* prune(store, "messages"), [2])
    yield* sound(store)
  })

  test("a step drops no more rows than its limit, and changes neither ledger nor balance", function* (store) {
    yield* fill(store, 10)
    const before = present(yield* store.account(organizationId))
    const entries = yield* store.entries(organizationId, 0, 100)
    yield* TestClock.setTime(at(11) + day)
    assert.deepStrictEqual(yield* prune(store, "messages", { limit: 3 }), [3, 3, 3, 1])
    const after = { ...before, firstMessage: 11 }
    assert.deepStrictEqual(yield* store.account(organizationId), after)
    assert.deepStrictEqual(yield* store.entries(organizationId, 0, 100), entries)
  })

  test("a dropped message is treated like an unknown one", function* (store) {
    yield* open(store)
    yield* hold(store, 1)
    yield* run(store, Samples.recordDispatch())
    yield* run(store, Samples.applyReport())
    assert.isDefined(yield* store.locate("simulated", "gw-1"))
    yield* TestClock.adjust(day + 1)
    yield* prune(store, "messages")
    assert.isUndefined(yield* store.locate("simulated", "gw-1"))
    const about = [
      Samples.applyReport({ status: "failed" }),
      Samples.recordDispatch({ outcome: unsent }),
      Samples.reclaimMessage(),
      Samples.closeMessage(),
    ]
    for (const command of about) {
      const committed = yield* store.execute(command)
      assert.deepStrictEqual(committed, { result: { _tag: "NotFound" }, events: [] })
    }
    assert.strictEqual((yield* store.account(organizationId))?.lastMessage, 1)
    const found = yield* store.message({ organization: organizationId, sequence: 1 })
    assert.deepStrictEqual(found, { version: 1, message: undefined })
    yield* sound(store)
  })

  test("a repeated gateway's id finds the message that still exists", function* (store) {
    yield* open(store)
    for (const message of [1, 2]) {
      yield* hold(store, message)
      yield* run(store, Samples.recordDispatch({ messageSequence: message }))
      yield* run(store, Samples.applyReport({ messageSequence: message }))
      yield* TestClock.adjust(day)
    }
    assert.deepStrictEqual(yield* prune(store, "messages", { keepMillis: day }), [1])
    assert.strictEqual((yield* store.locate("simulated", "gw-1"))?.sequence, 2)
  })
}

export const retentionSection = (test: Test): void => {
  logTests(test)
  requestTests(test)
  codeTests(test)
  recipientTests(test)

  test("rows of other organizations do not change, and an unknown organization has none", function* (store) {
    const other = Samples.otherOrganizationId
    yield* fill(store, 3)
    yield* open(store, money("10"), other)
    yield* run(store, Samples.requestVerification({ organization: other }))
    yield* run(store, Samples.checkCode({ organization: other }))
    yield* TestClock.adjust(Limits.bounds.windowMillis.max + day)
    const before = yield* Invariants.read(store, other)
    for (const kind of ["messages", "verifications", "recipients"] as const) {
      yield* prune(store, kind)
      const organization = OrganizationId("unknown")
      assert.deepStrictEqual(yield* prune(store, kind, { organization }), [0])
    }
    assert.deepStrictEqual(yield* Invariants.read(store, other), before)
  })

  test("dropping uses the store's clock, not the latest time that the organization has seen", function* (store) {
    yield* fill(store, 3)
    yield* TestClock.setTime(at(4) + day)
    yield* run(store, Samples.topUp())
    yield* TestClock.setTime(now)
    assert.strictEqual(total(yield* prune(store, "messages")), 0)
    yield* TestClock.setTime(at(4) + day)
    assert.strictEqual(total(yield* prune(store, "messages")), 3)
  })

  test("parallel dropping and sending leave consistent rows", function* (store) {
    yield* fill(store, 40)
    yield* TestClock.setTime(at(41) + day)
    const outcomes = atOnce(
      store,
      times(30, (index) => [
        held(100 + index),
        // Contradicts the status of an old message, if that still exists.
        Samples.applyReport({
          messageSequence: index + 1,
          status: "failed",
          source: Samples.reportSource(),
        }),
        Samples.topUp({ amount: money("1") }),
      ]).flat(),
    )
    const pruned = Effect.forEach([7, 7, 3], (limit) => prune(store, "messages", { limit }), {
      concurrency: "unbounded",
    })
    const [answers, dropped] = yield* Effect.all([outcomes, pruned], { concurrency: 2 })
    const counts = tally(tagsOf(answers))
    assert.strictEqual(counts["Held"], 30)
    assert.strictEqual((counts["Applied"] ?? 0) + (counts["NotFound"] ?? 0), 30)
    // Each run stops when another was faster, and all of them may stop early.
    const rest = yield* prune(store, "messages")
    assert.strictEqual(total([...dropped.flat(), ...rest]), 40)
    const { account, messages } = yield* sound(store)
    assert.strictEqual(account.firstMessage, 41)
    assert.deepStrictEqual(
      messages.map(({ sequence }) => sequence),
      times(30, (index) => 41 + index),
    )
  })
}
