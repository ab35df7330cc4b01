import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  Accounts,
  type Adjustment,
  type Booking,
  maxNoteLength,
  type Period,
} from "../../src/services/Accounts.ts"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as Statement from "../../src/domain/money/Statement.ts"

const organization = OrganizationId("acme")
const money = Money.make

const topUp = (booking: Partial<Booking> = {}) =>
  Accounts.use((_) => _.topUp({ organization, amount: money("5"), ...booking }))

const adjust = (booking: Partial<Adjustment> = {}) =>
  Accounts.use((_) => _.adjust({ organization, amount: money("-1"), note: "fee", ...booking }))

describe("Accounts", () => {
  it.effect("show the available balance, the held money and the currency", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: money("10") })
      yield* Messages.use((_) =>
        _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
      )
      const balance = yield* Accounts.use((_) => _.balance({ organization }))
      assert.deepStrictEqual(balance, {
        balance: money("9.5"),
        held: money("0.5"),
        currency: "BDT",
      })
    }).pipe(
      Effect.provide(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } })),
    ),
  )

  it.effect.each([
    [undefined, 2, [4, 3]],
    [3, 2, [2, 1]],
    [2, 2, [1]],
    [1, 2, []],
    [99, 3, [4, 3, 2]],
    [-1, 1, []],
    [undefined, undefined, [4, 3, 2, 1]],
  ] as const)("return the newest entries before %s, at most %s", ([before, limit, sequences]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      for (const paymentId of ["a", "b", "c"]) yield* topUp({ paymentId })
      const { entries: found } = yield* Accounts.use((_) =>
        _.newestEntries({ organization, before, limit }),
      )
      assert.deepStrictEqual(
        found.map(({ sequence }) => sequence),
        [...sequences],
      )
      const all = yield* Accounts.use((_) => _.entries({ organization }))
      assert.includeDeepMembers([...all], [...found])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("are selected by kind and time, with a limited number of entries examined", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: Money.zero })
      for (let count = 0; count < 1_003; count++) {
        if (count === 500) yield* TestClock.adjust(10)
        yield* topUp({ paymentId: `p${count}` })
      }
      yield* adjust({ paymentId: "a" })
      const page = (query: {
        readonly kinds?: ReadonlyArray<"adjustment" | "top-up">
        readonly before?: number
        readonly from?: number
        readonly to?: number
        readonly limit?: number
      }) =>
        Effect.map(
          Accounts.use((_) => _.newestEntries({ organization, ...query })),
          ({ entries, next }) => [entries.map(({ sequence }) => sequence), next],
        )
      const kinds = ["adjustment"] as const
      assert.deepStrictEqual(yield* page({ kinds }), [[1_004], 5])
      assert.deepStrictEqual(yield* page({ kinds, before: 5 }), [[], undefined])
      const paid = ["top-up"] as const
      assert.deepStrictEqual(yield* page({ kinds: paid, limit: 2 }), [[1_003, 1_002], 1_002])
      const now = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(yield* page({ to: now, limit: 1 }), [[500], 500])
      assert.deepStrictEqual(yield* page({ from: now, before: 502 }), [[501], undefined])
      assert.deepStrictEqual(yield* page({ from: now, to: 0 }), [[], undefined])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("add and subtract, and return the balance afterwards", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: Money.zero })
      assert.deepInclude(yield* topUp(), { balance: money("5") })
      assert.deepInclude(yield* adjust(), { balance: money("4") })
      const precise = yield* adjust({ amount: money("0.0001") })
      assert.deepInclude(precise, { balance: money("4.0001") })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("refuse to subtract more than the balance", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: money("1") })
      assert.deepInclude(yield* Effect.flip(adjust({ amount: money("-1.5") })), {
        _tag: "InsufficientBalance",
        required: money("1.5"),
        available: money("1"),
      })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  const refused: ReadonlyArray<
    readonly [what: string, ask: Effect.Effect<unknown, unknown, Accounts>, field: string]
  > = [
    ["a top-up of nothing", topUp({ amount: Money.zero }), "amount"],
    ["a top-up of less than nothing", topUp({ amount: money("-1") }), "amount"],
    ["an adjustment of nothing", adjust({ amount: Money.zero }), "amount"],
    ["a note that is too long", topUp({ note: "x".repeat(maxNoteLength + 1) }), "note"],
    ["an adjustment without a reason", adjust({ note: " " }), "note"],
    ["a note with NUL", adjust({ note: "a\u0000b" }), "note"],
    ["a note that is not well-formed", topUp({ note: "\udc00" }), "note"],
    [
      "more than can be counted",
      topUp({ amount: Money.fromUnits(Number.MAX_SAFE_INTEGER) }),
      "amount",
    ],
    [
      "as much by an adjustment",
      adjust({ amount: Money.fromUnits(Number.MAX_SAFE_INTEGER) }),
      "amount",
    ],
  ]
  it.effect.each(refused)("refuse %s", ([, ask, field]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const error = yield* Effect.flip(ask)
      assert.deepInclude(error, { _tag: "InvalidRequest" })
      assert.deepNestedInclude(error, { [`details.${field}.length`]: 1 })
      const balance = yield* Accounts.use((_) => _.balance({ organization }))
      assert.strictEqual(balance.balance, money("100"))
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("state the balances before and after a period, and its entries", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: money("10") })
      const from = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("1 hour")
      yield* Messages.use((_) =>
        _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
      )
      yield* adjust()
      const to = yield* Clock.currentTimeMillis
      const state = (query: Pick<Period, "from" | "to">) =>
        Accounts.use((_) => _.statement({ organization, ...query }))
      const before = { balance: money("10"), held: Money.zero }
      const after = { balance: money("8.5"), held: money("0.5") }
      assert.deepStrictEqual(yield* state({ from: from + 1, to: to + 1 }), {
        from: from + 1,
        to: to + 1,
        currency: "BDT",
        opening: before,
        entries: {
          ...Statement.noEntries,
          hold: { count: 1, amount: 5_000n },
          adjustment: { count: 1, amount: -10_000n },
        },
        closing: after,
      })
      // An entry at the end of a period belongs to the next one.
      const next = yield* state({ from, to })
      assert.deepInclude(next, { opening: { balance: Money.zero, held: Money.zero } })
      assert.deepInclude(next, { closing: before })
      const error = yield* Effect.flip(state({ from: to + 1, to }))
      assert.deepNestedInclude(error, { "details.from.length": 1 })
    }).pipe(
      Effect.provide(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } })),
    ),
  )

  it.effect("describe what is wrong with an amount", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const added = yield* Effect.flip(topUp({ amount: Money.zero }))
      assert.deepNestedInclude(added, {
        "details.amount": [FieldProblem.make("not_positive", {})],
      })
      const corrected = yield* Effect.flip(adjust({ amount: Money.zero }))
      assert.deepNestedInclude(corrected, {
        "details.amount": [FieldProblem.make("zero", {})],
      })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("reject an unknown organization", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(topUp()), { _tag: "OrganizationNotFound" })
      assert.deepInclude(yield* Effect.flip(adjust()), { _tag: "OrganizationNotFound" })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("keep a note of up to 200 characters, empty by default", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: Money.zero })
      const note = "বিকাশ ৫০০".repeat(22)
      yield* topUp({ note })
      yield* topUp()
      const entries = yield* Accounts.use((_) => _.entries({ organization }))
      assert.deepStrictEqual(
        entries.map((entry) => entry.note),
        [note, ""],
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("return the ledger in pages of at most a thousand", () =>
    Effect.gen(function* () {
      yield* TestEngine.open({ balance: Money.zero })
      yield* Effect.replicateEffect(topUp(), 1_101)
      const numbers = (after?: number, limit?: number) =>
        Effect.map(
          Accounts.use((_) => _.entries({ organization, after, limit })),
          (entries) => [entries[0]?.sequence, entries.length],
        )
      assert.deepStrictEqual(yield* numbers(), [1, 100])
      assert.deepStrictEqual(yield* numbers(0, 5_000), [1, 1_000])
      assert.deepStrictEqual(yield* numbers(1_000, 5_000), [1_001, 101])
      assert.deepStrictEqual(yield* numbers(3, 0), [4, 1])
      assert.deepStrictEqual(yield* numbers(2_000), [undefined, 0])
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
