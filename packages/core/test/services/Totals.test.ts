import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { maxSlots, type Query, Totals } from "../../src/services/Totals.ts"
import { engineTest, recording, testOn } from "../support/engineTest.ts"

const organization = OrganizationId("acme")

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 0, 1)

const read = (query: Partial<Query> = {}) =>
  Totals.use((_) => _.read({ organization, from: start, to: start + 3 * day, ...query }))

const book = (amount: string) =>
  Accounts.use((_) => _.adjust({ organization, amount: Money.make(amount), note: "fee" }))

/** 100.00 at the start, and 1.00 in each of the next 30 hours. */
const books = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* TestEngine.open()
  for (let index = 0; index < 30; index++) {
    yield* TestClock.adjust(hour)
    yield* book("1")
  }
})

describe("Totals.read", () => {
  engineTest("adds up days, or hours", function* () {
    yield* books
    const found = yield* read()
    assert.deepStrictEqual(
      found.map(({ amount, at, count, outcome }) => [
        (at - start) / day,
        outcome,
        count,
        Money.format(amount),
      ]),
      [
        [0, "adjustment", 23, "23.00"],
        [0, "top-up", 1, "100.00"],
        [1, "adjustment", 7, "7.00"],
      ],
    )
    assert.strictEqual((yield* read({ every: "hour" })).length, 31)
    const within = { every: "hour", from: start + 90 * 60_000, to: start + 3 * hour } as const
    const some = yield* read(within)
    assert.deepStrictEqual(
      some.map(({ at }) => (at - start) / hour),
      [1, 2],
    )
    const [all] = yield* read({ by: [] })
    assert.deepInclude(all, { count: 24, amount: Money.make("123"), outcome: "" })
  })

  engineTest(
    "begins days where those of the zone begin, or those of the organization's zone",
    function* () {
      yield* books
      const days = Effect.fnUntraced(function* (query: Partial<Query> = {}) {
        const found = yield* read({ by: [], kinds: ["bookings"], ...query })
        return found.map(({ at, count }) => [(at - start) / hour, count])
      })
      // Each booking is at a full hour: 0 to 30.
      const kathmandu = [
        [-5.75, 19],
        [18.25, 12],
      ]
      assert.deepStrictEqual(yield* days({ zone: "Asia/Kathmandu" }), kathmandu)
      assert.deepStrictEqual(yield* days(), [
        [0, 24],
        [24, 7],
      ])
      yield* Organizations.use((_) => _.update({ id: organization, zone: "Asia/Kathmandu" }))
      assert.deepStrictEqual(yield* days(), kathmandu)
      assert.deepStrictEqual(yield* days({ zone: "UTC", to: start + day }), [[0, 24]])
      const hours = yield* days({ every: "hour", to: start + hour })
      assert.deepStrictEqual(hours, [
        [-0.75, 1],
        [0.25, 1],
      ])
    },
  )

  engineTest("refuses a zone that does not exist", function* () {
    yield* books
    const error = yield* Effect.flip(read({ zone: "Asia/Dacca-2" }))
    assert.nestedPropertyVal(error, "details.zone[0].code", "unknown_zone")
  })

  const tooMany = ["details.to[0].code", "too_many_slots"] as const

  engineTest.each([
    ["that ends before it begins", { to: start - 1 }, "details.from[0].code", "after_to"],
    ["of too many days", { to: start + maxSlots * day + 1 }, ...tooMany],
    ["of too many hours", { every: "hour", to: start + maxSlots * hour + 1 }, ...tooMany],
  ] as const)("refuses a period %s", function* ([, query, field, code]) {
    yield* TestEngine.open()
    const error = yield* Effect.flip(read(query))
    assert.nestedPropertyVal(error, field, code)
    assert.deepStrictEqual(yield* read({ ...query, to: start }), [])
  })

  testOn(recording({ totals: false }))(
    "finds nothing where the host records no totals",
    function* () {
      yield* books
      assert.deepStrictEqual(yield* read(), [])
    },
  )
})
