import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
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
import { engineTest, testOn } from "../support/engineTest.ts"

const organization = OrganizationId("acme")
const money = Money.make

const topUp = (booking: Partial<Booking> = {}) =>
  Accounts.use((_) => _.topUp({ organization, amount: money("5"), ...booking }))

const adjust = (booking: Partial<Adjustment> = {}) =>
  Accounts.use((_) => _.adjust({ organization, amount: money("-1"), note: "fee", ...booking }))

describe("Accounts", () => {
  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } }))(
    "show the available balance, the held money and the currency",
    function* () {
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
    },
  )

  engineTest.each([
    [undefined, 2, [4, 3]],
    [3, 2, [2, 1]],
    [2, 2, [1]],
    [1, 2, []],
    [99, 3, [4, 3, 2]],
    [-1, 1, []],
    [undefined, undefined, [4, 3, 2, 1]],
  ] as const)(
    "return the newest entries before %s, at most %s",
    function* ([before, limit, sequences]) {
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
    },
  )

  engineTest(
    "are selected by kind and time, with a limited number of entries examined",
    function* () {
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
      assert.deepStrictEqual(yield* page({ kinds: paid, limit: 3 }), [[1_003, 1_002, 1_001], 1_001])
      const now = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(yield* page({ to: now, limit: 1 }), [[500], 500])
      assert.deepStrictEqual(yield* page({ from: now, before: 502 }), [[501], undefined])
      assert.deepStrictEqual(yield* page({ from: now, to: 0 }), [[], undefined])
    },
  )

  engineTest("refuse to subtract more than the balance", function* () {
    yield* TestEngine.open({ balance: money("1") })
    assert.deepInclude(yield* Effect.flip(adjust({ amount: money("-1.5") })), {
      _tag: "InsufficientBalance",
      required: money("1.5"),
      available: money("1"),
    })
  })

  const refused: ReadonlyArray<
    readonly [what: string, ask: Effect.Effect<unknown, unknown, Accounts>, field: string]
  > = [
    ["a top-up of nothing", topUp({ amount: Money.zero }), "amount"],
    ["a top-up of less than nothing", topUp({ amount: money("-1") }), "amount"],
    ["an adjustment of nothing", adjust({ amount: Money.zero }), "amount"],
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
  engineTest.each(refused)("refuse %s", function* ([, ask, field]) {
    yield* TestEngine.open()
    const error = yield* Effect.flip(ask)
    assert.deepInclude(error, { _tag: "InvalidRequest" })
    assert.deepNestedInclude(error, { [`details.${field}.length`]: 1 })
    const balance = yield* Accounts.use((_) => _.balance({ organization }))
    assert.strictEqual(balance.balance, money("100"))
  })

  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } }))(
    "state the balances before and after a period, and its entries",
    function* () {
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
    },
  )

  engineTest("describe what is wrong with an amount or a note", function* () {
    yield* TestEngine.open()
    const note = "x".repeat(maxNoteLength)
    const long = yield* Effect.flip(topUp({ note: `${note}x` }))
    assert.deepNestedInclude(long, {
      "details.note": [FieldProblem.make("invalid_note", { max: maxNoteLength })],
    })
    assert.strictEqual((yield* topUp({ note })).entry.note, note)
    const most = Money.fromUnits(Number.MAX_SAFE_INTEGER)
    const { balance } = yield* Accounts.use((_) => _.balance({ organization }))
    const max = Money.format(Money.fromUnits(most - balance))
    assert.deepNestedInclude(yield* Effect.flip(topUp({ amount: most })), {
      "details.amount": [FieldProblem.make("too_large", { max })],
    })
    const added = yield* Effect.flip(topUp({ amount: Money.zero }))
    assert.deepNestedInclude(added, {
      "details.amount": [FieldProblem.make("not_positive", {})],
    })
    const corrected = yield* Effect.flip(adjust({ amount: Money.zero }))
    assert.deepNestedInclude(corrected, {
      "details.amount": [FieldProblem.make("zero", {})],
    })
  })

  engineTest("reject an unknown organization", function* () {
    assert.deepInclude(yield* Effect.flip(topUp()), { _tag: "OrganizationNotFound" })
    assert.deepInclude(yield* Effect.flip(adjust()), { _tag: "OrganizationNotFound" })
  })
})
