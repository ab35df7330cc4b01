import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Entry } from "../../src/domain/money/Account.ts"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as Statement from "../../src/domain/money/Statement.ts"
import { Store } from "../../src/ports/Store.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { testOn } from "../support/engineTest.ts"

const organization = OrganizationId("acme")

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
  it.effect("adds up a ledger that is longer than a slice, and each whole slice once", () => {
    const { layer, queries } = ledger()
    return Effect.gen(function* () {
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
    }).pipe(Effect.provide(layer))
  })

  it.effect("adds up a slice again if the database was restored to an entry before its end", () => {
    const { layer, queries, restore } = ledger()
    return Effect.gen(function* () {
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
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused for more entries than a request may read", () => {
    const { layer, queries } = ledger()
    return Effect.gen(function* () {
      const refused = yield* Effect.flip(state(5, 50_000_006))
      const problem = FieldProblem.make("too_many_entries", { max: 50_000_000 })
      assert.deepNestedInclude(refused, { "details.to": [problem] })
      assert.deepStrictEqual(queries, [])
      const { entries } = yield* state(5, 50_000_005)
      assert.strictEqual(entries["top-up"].count, 50_000_000)
      assert.lengthOf(queries, 501 + 499)
    }).pipe(Effect.provide(layer))
  })
})

describe("the entries of a period as CSV", () => {
  it.effect("are read in parts, each when it is needed", () => {
    const { layer, queries } = ledger()
    return Effect.gen(function* () {
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
    }).pipe(Effect.provide(layer))
  })

  testOn(ledger().layer)("is refused for more entries than a spreadsheet shows", function* () {
    const refused = yield* Effect.flip(csv(0, 1_000_001))
    const problem = FieldProblem.make("too_many_entries", { max: 1_000_000 })
    assert.deepNestedInclude(refused, { "details.to": [problem] })
    assert.deepNestedInclude(yield* Effect.flip(csv(2, 1)), { "details.from.length": 1 })
    assert.strictEqual(yield* Stream.mkString(yield* csv(1, 1)), Statement.entriesHeader)
  })
})
