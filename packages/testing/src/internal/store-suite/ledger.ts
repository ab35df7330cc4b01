import * as Account from "@countersign/core/domain/money/Account"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Statement from "@countersign/core/domain/money/Statement"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import {
  atOnce,
  delivered,
  held,
  open,
  run,
  settled,
  type StoreService,
  tally,
  type Test,
  times,
  transcript,
  unsent,
} from "./support.ts"

const { money, organizationId } = Samples

/** Runs at least one of every command that moves money. */
const trade = Effect.fnUntraced(function* (store: StoreService) {
  yield* open(store, money("5"))
  for (let index = 1; index <= 6; index++) {
    yield* TestClock.adjust(10)
    yield* run(store, held(index))
  }
  yield* transcript(store, [
    settled(1, delivered()),
    settled(2, unsent),
    Samples.recordDispatch({ messageSequence: 3 }),
    Samples.applyReport({ messageSequence: 3, status: "undelivered" }),
    Samples.adjust({ amount: money("-0.0001"), note: "rounding" }),
    Samples.adjust({ amount: money("-99") }),
    Samples.adjust({ amount: money("0.25"), note: "gift" }),
  ])
})

export const ledgerSection = (test: Test): void => {
  test("the account equals the fold of its entries, and each entry has the balances after it", function* (store) {
    yield* trade(store)
    const entries = yield* store.entries(organizationId, 0, 1_000)
    const account = yield* store.account(organizationId)
    assert.deepStrictEqual(
      entries.map(
        ({ amount, kind, messageSequence, note }) =>
          `${kind} ${Money.format(amount)} ${messageSequence ?? note}`,
      ),
      [
        "top-up 5.00 paid",
        "hold 0.50 1",
        "hold 0.50 2",
        "hold 0.50 3",
        "hold 0.50 4",
        "hold 0.50 5",
        "hold 0.50 6",
        "capture 0.50 1",
        "release 0.50 2",
        "release 0.50 3",
        "adjustment -0.0001 rounding",
        "adjustment 0.25 gift",
      ],
    )
    for (const [index, entry] of entries.entries()) {
      const { balance, held } = Account.fold(entries.slice(0, index + 1))
      assert.deepInclude(entry, {
        sequence: index + 1,
        balance,
        held,
        organization: organizationId,
      })
    }
    assert.deepInclude(account, { ...Account.fold(entries), entries: entries.length })
  })

  test("entries are read in pages, in order", function* (store) {
    yield* trade(store)
    const all = yield* store.entries(organizationId, 0, 1_000)
    const pages = yield* Effect.forEach([0, 5, 10, 12, 99], (after) =>
      store.entries(organizationId, after, 5),
    )
    assert.deepStrictEqual(pages, [all.slice(0, 5), all.slice(5, 10), all.slice(10, 12), [], []])
  })

  test("the balances before a time are those after the last entry before it", function* (store) {
    yield* trade(store)
    const all = yield* store.entries(organizationId, 0, 1_000)
    const times = [0, Samples.now, ...all.map(({ at }) => at + 1), Number.MAX_SAFE_INTEGER]
    for (const time of times) {
      const last = all.findLast(({ at }) => at < time)
      assert.deepStrictEqual(yield* store.balancesBefore(organizationId, time), {
        sequence: last?.sequence ?? 0,
        balance: last?.balance ?? Money.zero,
        held: last?.held ?? Money.zero,
      })
    }
    const unknown = yield* store.balancesBefore(OrganizationId("unknown"), Samples.now)
    assert.deepStrictEqual(unknown, { sequence: 0, balance: Money.zero, held: Money.zero })
  })

  test("entries are added up by kind, between any two of them", function* (store) {
    yield* trade(store)
    const all = yield* store.entries(organizationId, 0, 1_000)
    for (let after = 0; after <= all.length; after++) {
      for (let through = after; through <= all.length + 1; through++) {
        assert.deepStrictEqual(
          yield* store.sumEntries(organizationId, after, through),
          Statement.sumsOf(all.slice(after, through)),
        )
      }
    }
    assert.deepStrictEqual(yield* store.sumEntries(organizationId, 0, 1_000), {
      "top-up": { count: 1, amount: 50_000n },
      adjustment: { count: 2, amount: 2_499n },
      hold: { count: 6, amount: 30_000n },
      capture: { count: 1, amount: 5_000n },
      release: { count: 2, amount: 10_000n },
    })
    const unknown = yield* store.sumEntries(OrganizationId("unknown"), 0, 1_000)
    assert.deepStrictEqual(unknown, Statement.noEntries)
  })

  test("the sum of entries may be larger than an amount", function* (store) {
    const amount = Money.fromUnits(Number.MAX_SAFE_INTEGER)
    yield* open(store, amount)
    assert.strictEqual((yield* store.account(organizationId))?.balance, amount)
    yield* run(store, Samples.adjust({ amount: Money.fromUnits(-amount) }))
    yield* run(store, Samples.topUp({ amount, paymentId: "again" }))
    const sums = yield* store.sumEntries(organizationId, 0, 3)
    assert.deepStrictEqual(sums["top-up"], { count: 2, amount: 2n * BigInt(amount) })
    assert.deepStrictEqual(sums.adjustment, { count: 1, amount: -BigInt(amount) })
  })

  test("one of many parallel postings of a payment is made", function* (store) {
    yield* open(store, Money.zero)
    const bookings = times(24, (index) =>
      Samples.topUp({ paymentId: `p${index % 2}`, amount: money(index < 20 ? "10" : "11") }),
    )
    const outcomes = yield* atOnce(store, bookings)
    const results = outcomes.map((outcome) =>
      outcome._tag === "Posted"
        ? `${outcome.isRepeat ? "repeat of" : "posted"} ${outcome.entry?.paymentId}`
        : outcome._tag,
    )
    assert.deepStrictEqual(tally(results), {
      "posted p0": 1,
      "posted p1": 1,
      "repeat of p0": 9,
      "repeat of p1": 9,
      PaymentMismatch: 4,
    })
    assert.strictEqual((yield* store.account(organizationId))?.balance, money("20"))
  })

  test("the same payment id of two organizations is two payments", function* (store) {
    const ids = [organizationId, OrganizationId("other")]
    yield* Effect.forEach(ids, (id) => open(store, Money.zero, id))
    const bookings = ids.map((organization) => Samples.topUp({ organization, paymentId: "p1" }))
    yield* atOnce(store, [...bookings, ...bookings])
    for (const id of ids) {
      const entries = yield* store.entries(id, 0, 10)
      assert.deepStrictEqual(entries, [Samples.entry({ organization: id, paymentId: "p1" })])
      assert.deepStrictEqual(yield* store.payment(id, "p1"), entries[0])
      assert.isUndefined(yield* store.payment(id, "p2"))
    }
    assert.isUndefined(yield* store.payment(OrganizationId("unknown"), "p1"))
  })
}
