import type { Command } from "@countersign/core/decide/Command"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { kinds, quarterMillis } from "@countersign/core/domain/money/Total"
import type { TotalQuery } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { prune, sound } from "./prune.ts"
import {
  atOnce,
  held,
  open,
  run,
  type StoreService,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { money, now, organizationId } = Samples

const hour = 3_600_000

const everything: TotalQuery = {
  kinds,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  slotMillis: quarterMillis,
}

/** A line for each total: the hours since `now`, its dimensions, its count and its amounts. */
const lines = (store: StoreService, query = everything, id = organizationId) =>
  Effect.map(store.totals(id, query), (rows) =>
    rows.map((row) => {
      const { amount, channel, count, country, gateway, kind, network, outcome, reason, refunded } =
        row
      const all = [kind, channel, gateway, country, network, outcome, reason]
      const sums = [count, Money.format(amount), Money.format(refunded)]
      return [(row.at - now) / hour, ...all.filter((one) => one !== ""), ...sums].join(" ")
    }),
  )

const report = (
  messageSequence: number,
  status: "delivered" | "undelivered",
): Command<"ApplyReport"> =>
  Samples.applyReport({ messageSequence, status, source: Samples.reportSource() })

export const totalsSection = (test: Test): void => {
  test("a message counts in the hour in which it was made, for the gateway that took it", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    yield* TestClock.adjust(hour)
    // The report overtakes the answer to the dispatch.
    yield* run(store, report(1, "delivered"))
    assert.include(
      yield* lines(store),
      "0 messages sms simulated BD Grameenphone delivered 1 0.50 0.00",
    )
    const taken = { _tag: "Accepted", gateway: "other", gatewayId: "gw-1" } as const
    yield* run(store, Samples.recordDispatch({ outcome: taken }))
    assert.deepStrictEqual(yield* lines(store), [
      "0 bookings top-up 1 10.00 0.00",
      "0 deliveries sms simulated BD Grameenphone more 1 0.00 0.00",
      "0 messages sms other BD Grameenphone delivered 1 0.50 0.00",
    ])
    const booked = yield* lines(store, { ...everything, kinds: ["bookings", "requests"] })
    assert.deepStrictEqual(booked, ["0 bookings top-up 1 10.00 0.00"])
    assert.deepStrictEqual(yield* lines(store, { ...everything, kinds: [] }), [])
    yield* sound(store)
  })

  test("hours are added up in slots, from the first hour to the last", function* (store) {
    yield* open(store, Money.zero)
    for (let index = 0; index < 50; index++) {
      yield* run(store, Samples.topUp({ amount: money("1") }))
      yield* TestClock.adjust(hour)
    }
    const day = 24 * hour
    const in24 = { ...everything, slotMillis: day }
    assert.deepStrictEqual(yield* lines(store, in24), [
      "0 bookings top-up 24 24.00 0.00",
      "24 bookings top-up 24 24.00 0.00",
      "48 bookings top-up 2 2.00 0.00",
    ])
    const some = { ...in24, from: now + day, to: now + 2 * day }
    assert.deepStrictEqual(yield* lines(store, some), ["24 bookings top-up 24 24.00 0.00"])
    assert.deepStrictEqual(yield* lines(store, { ...some, to: some.from }), [])
    assert.deepStrictEqual(yield* lines(store, everything, OrganizationId("unknown")), [])
  })

  test("quarters are added up in the days of a zone that is five and three quarters of an hour ahead", function* (store) {
    yield* open(store, Money.zero)
    for (let index = 0; index < 100; index++) {
      yield* run(store, Samples.topUp({ amount: money("1") }))
      yield* TestClock.adjust(hour / 4)
    }
    const starts = [now - 5.75 * hour, now + 18.25 * hour]
    const inDays = { ...everything, from: now - 5.75 * hour, to: now + 42.25 * hour, starts }
    assert.deepStrictEqual(yield* lines(store, inDays), [
      "-5.75 bookings top-up 73 73.00 0.00",
      "18.25 bookings top-up 27 27.00 0.00",
    ])
    assert.strictEqual((yield* lines(store)).length, 100)
    yield* sound(store)
  })

  test("messages that failed are divided by their reasons", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    yield* run(store, held(2))
    const rejected = { _tag: "Rejected", reason: "recipient", message: "no such number" } as const
    yield* run(store, Samples.recordDispatch({ outcome: rejected }))
    const sent = { _tag: "NotSent", message: "no connection" } as const
    yield* run(store, Samples.recordDispatch({ messageSequence: 2, outcome: sent }))
    const query = { ...everything, kinds: ["messages"] } as const
    assert.deepStrictEqual(yield* lines(store, query), [
      "0 messages sms simulated BD Grameenphone failed not_sent 1 0.50 0.50",
      "0 messages sms simulated BD Grameenphone rejected recipient 1 0.50 0.50",
    ])
    yield* sound(store)
  })

  test("parallel commands of several organizations lose nothing", function* (store) {
    const ids = [organizationId, Samples.otherOrganizationId]
    yield* Effect.forEach(ids, (id) => open(store, money("100"), id))
    const sends = times(100, (index) => held(index + 1))
    const each = <C extends Command>(commands: ReadonlyArray<C>) =>
      ids.flatMap((organization) => commands.map((command) => ({ ...command, organization })))
    yield* atOnce(store, each(sends))
    const outcomes = times(100, (index) => Samples.recordDispatch({ messageSequence: index + 1 }))
    yield* atOnce(store, each(outcomes))
    yield* atOnce(store, each(times(60, (index) => report(index + 1, "delivered"))))
    for (const id of ids) {
      assert.deepStrictEqual(yield* lines(store, everything, id), [
        "0 bookings top-up 1 100.00 0.00",
        "0 deliveries sms simulated BD Grameenphone 5 60 0.00 0.00",
        "0 messages sms simulated BD Grameenphone accepted 40 20.00 0.00",
        "0 messages sms simulated BD Grameenphone delivered 60 30.00 0.00",
      ])
    }
  })

  test("a sum beyond the largest amount stays there, and no commit fails", function* (store) {
    const most = Money.fromUnits(Number.MAX_SAFE_INTEGER)
    yield* open(store, most)
    const less = Samples.adjust({ amount: Money.fromUnits(-most) })
    const again = Samples.topUp({ amount: most })
    const tags = yield* transcript(store, [less, again, less, again])
    assert.deepStrictEqual(tags, ["Posted", "Posted", "Posted", "Posted"])
    const rows = yield* store.totals(organizationId, everything)
    assert.deepStrictEqual(
      rows.map(({ amount, count }) => [count, amount]),
      [
        [2, -most],
        [3, most],
      ],
    )
  })

  test("totals are dropped once they are old, and stay when messages go", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    yield* run(store, Samples.recordDispatch())
    yield* run(store, report(1, "delivered"))
    const before = yield* lines(store)
    assert.strictEqual(before.length, 3)
    yield* TestClock.adjust(2.25 * hour - 1)
    yield* run(store, Samples.topUp())
    yield* prune(store, "messages", { keepMillis: 1_000 })
    const keepMillis = 2 * hour
    assert.deepStrictEqual(yield* prune(store, "totals", { keepMillis }), [0])
    assert.deepStrictEqual((yield* lines(store)).slice(0, 3), before)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* prune(store, "totals", { keepMillis, limit: 3 }), [3, 1])
    assert.deepStrictEqual(yield* lines(store), ["2 bookings top-up 1 10.00 0.00"])
  })

  test("a repair of the time moves the totals of messages with them", function* (store) {
    yield* open(store)
    yield* TestClock.adjust(48 * hour)
    yield* run(store, held(1))
    yield* run(store, Samples.recordDispatch())
    yield* TestClock.setTime(now + hour)
    yield* store.repairTime({ organization: organizationId, after: undefined, limit: 10 })
    assert.deepStrictEqual(yield* lines(store), [
      "0 bookings top-up 1 10.00 0.00",
      "1 messages sms simulated BD Grameenphone accepted 1 0.50 0.00",
    ])
  })
}
