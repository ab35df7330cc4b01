import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Money from "../../../src/domain/values/Money.ts"
import * as Account from "../../../src/domain/money/Account.ts"

const day = 86_400_000
const noon = 20_454 * day + day / 2
const midnight = 20_455 * day

interface Row {
  readonly given: string
  readonly spent: string
  /** When the last charge was made. */
  readonly at: number
  readonly amount: string
  readonly cap: string | undefined
  readonly now: number
  /** Seconds until it fits. */
  readonly comes: number | "fits"
}

/** What a row does not say. */
const usual = { spent: "10", at: noon, amount: "1", cap: "10", now: noon, comes: "fits" } as const

const table: ReadonlyArray<Partial<Row> & Pick<Row, "given">> = [
  { given: "no cap", spent: "9", amount: "9", cap: undefined },
  { given: "the last of it", spent: "9" },
  { given: "a unit more", spent: "9", amount: "1.0001", comes: 43_200 },
  { given: "half a second left", now: midnight - 500, comes: 1 },
  { given: "1.5 seconds left", now: midnight - 1_500, comes: 2 },
  { given: "the next day", now: midnight },
  { given: "nothing to pay", amount: "0" },
  { given: "a cap of nothing", spent: "0", amount: "0.0001", cap: "0", comes: 43_200 },
  { given: "a price above the cap", spent: "0", amount: "11", now: midnight, comes: 86_400 },
]

describe("Account.overCap", () => {
  it.each<Row>(table.map((row) => ({ ...usual, ...row })))(
    "$given: $amount on $spent of $cap comes to $comes",
    (row) => {
      const self = { spentOn: Account.dayOf(row.at), spent: Money.make(row.spent) }
      const cap = row.cap === undefined ? undefined : Money.make(row.cap)
      const refusal = Account.overCap(self, Money.make(row.amount), cap, row.now)
      assert.deepStrictEqual<unknown>(
        refusal,
        row.comes === "fits" ? undefined : { _tag: "Capped", retryAfterSeconds: row.comes },
      )
    },
  )
})

const nothing: Account.Spending = { spentOn: 0, spent: Money.zero }

describe("Account.spend and giveBack", () => {
  it("keep the sum of a day, and start at zero the next day", () => {
    const one = Account.spend(Account.spend(nothing, Money.make("1"), noon), Money.make("2"), noon)
    assert.strictEqual(Account.spentAt(one, midnight - 1), Money.make("3"))
    assert.strictEqual(Account.spentAt(one, midnight), Money.zero)
    const next = Account.spend(one, Money.make("5"), midnight)
    assert.strictEqual(Account.spentAt(next, midnight), Money.make("5"))
    assert.strictEqual(Account.giveBack(next, Money.make("2"), noon), next)
    assert.strictEqual(Account.giveBack(next, Money.make("2"), midnight).spent, Money.make("3"))
  })

  it("stay between zero and the largest exact amount", () => {
    const little = Account.spend(nothing, Money.make("1"), noon)
    assert.strictEqual(Account.giveBack(little, Money.make("2"), noon).spent, Money.zero)
    const most = Money.fromUnits(Number.MAX_SAFE_INTEGER)
    assert.strictEqual(Account.spend(Account.spend(nothing, most, noon), most, noon).spent, most)
  })

  it("never exceed the cap in a day, for any sequence of charges and refunds", () => {
    const cap = Money.make("10")
    const step = fc.record({
      amount: fc.nat({ max: 60_000 }).map(Money.fromUnits),
      after: fc.constantFrom(0, 1, day / 3),
      isGivenBack: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let self = nothing
        let now = noon
        const kept = new Map<number, number>()
        for (const { after, amount, isGivenBack } of steps) {
          now += after
          if (Account.overCap(self, amount, cap, now) !== undefined) continue
          self = Account.spend(self, amount, now)
          if (isGivenBack) self = Account.giveBack(self, amount, now)
          else kept.set(Account.dayOf(now), (kept.get(Account.dayOf(now)) ?? 0) + amount)
        }
        assert.isTrue([...kept.values()].every((sum) => sum <= cap))
      }),
    )
  })
})
