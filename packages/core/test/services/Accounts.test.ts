import * as TestEngine from "@countersign/testing/TestEngine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as Statement from "../../src/domain/money/Statement.ts"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { assert, describe } from "@effect/vitest"
import {
  Accounts,
  type Adjustment,
  type Booking,
  maxNoteLength,
  type Period,
} from "../../src/services/Accounts.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Messages } from "../../src/services/Messages.ts"
import { engineTest, testOn, testWith } from "../support/engineTest.ts"
import type { Entry } from "../../src/domain/money/Account.ts"
import { Store } from "../../src/ports/Store.ts"

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
      const page = (query: object) =>
        Effect.map(
          Accounts.use((_) => _.newestEntries({ organization, ...query })),
          ({ entries, next }) => [entries.map(({ sequence }) => sequence), next],
        )
      const kinds = ["adjustment"]
      assert.deepStrictEqual(yield* page({ kinds }), [[1_004], 5])
      assert.deepStrictEqual(yield* page({ kinds, before: 5 }), [[], undefined])
      const paid = { kinds: ["top-up"], limit: 3 }
      assert.deepStrictEqual(yield* page(paid), [[1_003, 1_002, 1_001], 1_001])
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

  const note = "x".repeat(maxNoteLength)
  const long = FieldProblem.make("invalid_note", { max: maxNoteLength })
  const most = Money.fromUnits(Number.MAX_SAFE_INTEGER)
  const max = Money.format(Money.fromUnits(most - money("100")))
  const tooLarge = FieldProblem.make("too_large", { max })
  const notPositive = FieldProblem.make("not_positive", {})
  const zero = FieldProblem.make("zero", {})
  const required = FieldProblem.make("required", {})
  const refused: ReadonlyArray<
    readonly [
      what: string,
      ask: Effect.Effect<unknown, unknown, Accounts>,
      field: string,
      problem: FieldProblem.FieldProblem,
    ]
  > = [
    ["a top-up of nothing", topUp({ amount: Money.zero }), "amount", notPositive],
    ["a top-up of less", topUp({ amount: money("-1") }), "amount", notPositive],
    ["an adjustment of nothing", adjust({ amount: Money.zero }), "amount", zero],
    ["an adjustment without a reason", adjust({ note: " " }), "note", required],
    ["a note with NUL", adjust({ note: "a\u0000b" }), "note", long],
    ["a note that is not well-formed", topUp({ note: "\udc00" }), "note", long],
    ["a note that is too long", topUp({ note: `${note}x` }), "note", long],
    ["more than can be counted", topUp({ amount: most }), "amount", tooLarge],
    ["as much by an adjustment", adjust({ amount: most }), "amount", tooLarge],
  ]
  engineTest.each(refused)("refuse %s", function* ([, ask, field, problem]) {
    yield* TestEngine.open()
    const error = yield* Effect.flip(ask)
    assert.deepNestedInclude(error, { _tag: "InvalidRequest", [`details.${field}`]: [problem] })
    const { balance } = yield* Accounts.use((_) => _.balance({ organization }))
    assert.strictEqual(balance, money("100"))
    assert.strictEqual((yield* topUp({ note })).entry.note, note)
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

  engineTest("reject an unknown organization", function* () {
    assert.deepInclude(yield* Effect.flip(topUp()), { _tag: "OrganizationNotFound" })
    assert.deepInclude(yield* Effect.flip(adjust()), { _tag: "OrganizationNotFound" })
  })
})

type Range = readonly [after: number, through: number]

/**
 * A ledger with a top-up of a unit at each millisecond from 0 on, and the queries that read it. `restore` takes it
 * back to a sequence, after which the top-ups come a second later and are of two units.
 */
const ledger = () => {
  const queries: Array<Range> = []
  let restoredTo = Number.POSITIVE_INFINITY
  const entry = (sequence: number, id = organization): Entry => ({
    organization: id,
    sequence,
    kind: "top-up",
    amount: Money.fromUnits(1),
    balance: Money.fromUnits(sequence),
    held: Money.zero,
    messageSequence: null,
    note: "",
    paymentId: `p${sequence}`,
    actor: "host",
    at: sequence - 1 + (sequence > restoredTo ? 1_000 : 0),
  })
  const store = Layer.sync(Store, () => ({
    ...MemoryStore.make(),
    balancesBefore: (_, at) => Effect.succeed({ ...entry(at), sequence: at }),
    sumEntries: (_, after, through) => {
      queries.push([after, through])
      const again = Math.max(0, through - Math.max(after, restoredTo))
      const sum = { count: through - after, amount: BigInt(through - after + again) }
      return Effect.succeed({ ...Statement.noEntries, "top-up": sum })
    },
    entries: (id, after, limit) => {
      queries.push([after, after + limit])
      const sequences = Array.from({ length: limit }, (_, index) => after + index + 1)
      return Effect.succeed(sequences.map((sequence) => entry(sequence, id)))
    },
  }))
  const restore = (to: number) => {
    restoredTo = to
  }
  return { queries, restore, layer: TestEngine.layer({ store }) }
}

const state = (from: number, to: number) =>
  Accounts.use((_) => _.statement({ organization, from, to }))

const csv = (from: number, to: number) =>
  Accounts.use((_) => _.entriesCsv({ organization, from, to }))

describe("a statement", () => {
  testWith(ledger)(
    "adds up a ledger that is longer than a slice, and each whole slice once",
    function* ({ queries }) {
      const statement = yield* state(0, 250_001)
      assert.deepStrictEqual(queries.splice(0), [
        [99_999, 100_000],
        [0, 100_000],
        [199_999, 200_000],
        [100_000, 200_000],
        [200_000, 250_001],
      ])
      assert.deepStrictEqual(statement.entries, {
        ...Statement.noEntries,
        "top-up": { count: 250_001, amount: 250_001n },
      })
      assert.strictEqual(statement.closing.balance, Money.fromUnits(250_001))
      const later = yield* state(99_999, 300_000)
      assert.deepStrictEqual(queries.splice(0), [
        [99_999, 100_000],
        [199_999, 200_000],
        [299_999, 300_000],
        [200_000, 300_000],
      ])
      assert.deepStrictEqual(later.entries["top-up"], { count: 200_001, amount: 200_001n })
      yield* Accounts.use((_) =>
        _.statement({ organization: OrganizationId("other"), from: 0, to: 100_000 }),
      )
      assert.deepStrictEqual(queries, [
        [99_999, 100_000],
        [0, 100_000],
      ])
    },
  )

  testWith(ledger)(
    "adds up a slice again if the database was restored to an entry before its end",
    function* ({ queries, restore }) {
      yield* state(0, 200_000)
      restore(150_000)
      queries.length = 0
      const { entries } = yield* state(0, 200_000)
      assert.deepStrictEqual(entries["top-up"], { count: 200_000, amount: 250_000n })
      assert.deepStrictEqual(queries, [
        [99_999, 100_000],
        [199_999, 200_000],
        [100_000, 200_000],
      ])
    },
  )

  testWith(ledger)("is refused for more entries than a request may read", function* ({ queries }) {
    const refused = yield* Effect.flip(state(5, 50_000_006))
    const problem = FieldProblem.make("too_many_entries", { max: 50_000_000 })
    assert.deepNestedInclude(refused, { "details.to": [problem] })
    assert.deepStrictEqual(queries, [])
    const { entries } = yield* state(5, 50_000_005)
    assert.strictEqual(entries["top-up"].count, 50_000_000)
    assert.lengthOf(queries, 501 + 499)
  })
})

describe("the entries of a period as CSV", () => {
  testWith(ledger)("are read in parts, each when it is needed", function* ({ queries }) {
    const parts = yield* csv(2, 2_005)
    assert.deepStrictEqual(queries, [])
    const text = yield* Stream.mkString(parts)
    assert.deepStrictEqual(queries, [
      [2, 1_002],
      [1_002, 2_002],
      [2_002, 2_005],
    ])
    const lines = text.split("\r\n")
    assert.lengthOf(lines, 2_005)
    assert.strictEqual(`${lines[0]}\r\n`, Statement.entriesHeader)
    assert.match(lines[1] ?? "", /^3,1970-01-01T00:00:00.002Z,BDT,top-up,0.0001,/)
    assert.match(lines[2_003] ?? "", /^2005,/)
    queries.length = 0
    yield* Stream.runDrain(Stream.take(yield* csv(0, 1_000_000), 2))
    assert.deepStrictEqual(queries, [[0, 1_000]])
  })

  testOn(ledger().layer)("is refused for more entries than a spreadsheet shows", function* () {
    const refused = yield* Effect.flip(csv(0, 1_000_001))
    const problem = FieldProblem.make("too_many_entries", { max: 1_000_000 })
    assert.deepNestedInclude(refused, { "details.to": [problem] })
    assert.deepNestedInclude(yield* Effect.flip(csv(2, 1)), { "details.from.length": 1 })
    assert.strictEqual(yield* Stream.mkString(yield* csv(1, 1)), Statement.entriesHeader)
  })
})
