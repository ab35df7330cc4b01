import * as Record from "effect/Record"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Money from "../../../src/domain/values/Money.ts"
import * as PhoneNumber from "../../../src/domain/values/PhoneNumber.ts"
import * as PrefixStats from "../../../src/domain/fraud/PrefixStats.ts"

const minute = 60_000
/** The beginning of a window. */
const start = 1_000 * minute

const rules = Samples.fraudRules({ maxSent: undefined })

const empty = PrefixStats.at(PrefixStats.empty(Samples.organizationId, "88017"), rules, start)

const counts = (sent: number, verified = 0): PrefixStats.Counts => ({
  ...PrefixStats.none,
  sent,
  verified,
})

const most: Partial<PrefixStats.Rules> = { maxSent: 10 }
const share: Partial<PrefixStats.Rules> = { minSent: 10, minConversion: 0.3 }

interface More {
  readonly before?: PrefixStats.Counts
  /** Seconds into the running window. */
  readonly at?: number
  /** Default: `most`. */
  readonly rules?: Partial<PrefixStats.Rules>
}

const table: ReadonlyArray<
  readonly [given: string, running: PrefixStats.Counts, comes: string, More]
> = [
  ["room for one", counts(9), "", {}],
  ["no room", counts(10), "velocity for 61", {}],
  ["no room, later", counts(10), "velocity for 2", { at: 59 }],
  ["twice too many", counts(20), "velocity for 91", {}],
  ["the window before", counts(0), "velocity for 1", { before: counts(10) }],
  ["the window before, less of it", counts(0), "", { before: counts(10), at: 1 }],
  ["both, half of one", counts(5), "velocity for 1", { before: counts(10), at: 30 }],
  ["both, less than half", counts(5), "", { before: counts(10), at: 31 }],
  ["any number", counts(999), "", { before: counts(999), rules: { minSent: 5_000 } }],
  ["too few to judge", counts(9), "", { rules: share }],
  ["none verified", counts(10), "conversion for 120", { rules: share }],
  ["too few verified", counts(10, 2), "conversion for 90", { at: 30, rules: share }],
  ["as many as have to be", counts(10, 3), "", { rules: share }],
  ["both windows", counts(5), "conversion for 60", { before: counts(5), rules: share }],
  ["better than before", counts(10, 9), "", { before: counts(10), rules: share }],
  ["no share asked for", counts(99), "", { rules: { minSent: 1 } }],
  ["both reasons", counts(10), "velocity and conversion for 120", { rules: { ...most, ...share } }],
]

describe("PrefixStats.suspicions and retryAfterSeconds", () => {
  it.each(table)("%s: %3$s", (_, running, comes, more) => {
    const { at = 0, before = counts(0), rules: own = most } = more
    const watched = { ...rules, ...own }
    const now = start + at * 1_000
    const self = { ...empty, before, running }
    const found = PrefixStats.suspicions(self, watched, now)
    const wait = PrefixStats.retryAfterSeconds(self, watched, now)
    const result = found.length === 0 ? "" : `${found.join(" and ")} for ${wait}`
    assert.strictEqual(result, comes)
  })

  it("end exactly at the returned time, and not a second before", () => {
    const few = fc.nat({ max: 30 })
    const window = fc.tuple(few, few).map(([sent, part]) => counts(sent, Math.min(sent, part)))
    const some = fc.record({
      maxSent: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      minSent: fc.integer({ min: 1, max: 12 }),
      minConversion: fc.constantFrom(0, 0.2, 0.5, 1),
      windowMillis: fc.constantFrom(minute, 7_300),
    })
    fc.assert(
      fc.property(window, window, some, fc.nat({ max: 100_000 }), (before, running, own, later) => {
        const now = start + later
        const watched: PrefixStats.Rules = { ...rules, ...own }
        const since = PrefixStats.at(empty, watched, now).since
        const self = { ...empty, since, before, running }
        const still = (seconds: number) => {
          const at = now + seconds * 1_000
          return PrefixStats.suspicions(PrefixStats.at(self, watched, at), watched, at).length > 0
        }
        if (!still(0)) return
        const wait = PrefixStats.retryAfterSeconds(self, watched, now)
        assert.isFalse(still(wait))
        assert.isTrue(wait === 1 || still(wait - 1))
      }),
    )
  })
})

describe("PrefixStats.at", () => {
  const self = { ...empty, running: counts(3, 1), before: counts(5, 5), velocityAt: start }

  it("does not change within the same window", () => {
    assert.strictEqual(PrefixStats.at(self, rules, start + minute - 1), self)
  })

  it("moves the current window to the previous one, without a finding yet", () => {
    assert.deepStrictEqual(PrefixStats.at(self, rules, start + minute), {
      ...empty,
      since: start + minute,
      before: counts(3, 1),
    })
  })

  it("is empty two windows later", () => {
    const later = start + 2 * minute
    assert.deepStrictEqual(PrefixStats.at(self, rules, later), { ...empty, since: later })
  })
})

describe("the counts of PrefixStats", () => {
  it("belong to the window in which the code was sent", () => {
    const now = start + minute
    const one = PrefixStats.count(empty, "sent", rules, start)
    const sent = PrefixStats.count(one, "sent", rules, start)
    const self = PrefixStats.count(PrefixStats.at(sent, rules, now), "sent", rules, now)
    assert.deepStrictEqual([self.running, self.before], [counts(1), counts(2)])
    const old = PrefixStats.count(self, "verified", rules, start + 1)
    assert.deepStrictEqual([old.running, old.before], [counts(1), counts(2, 1)])
    const unsent = PrefixStats.count(old, "unsent", rules, now)
    assert.deepStrictEqual([unsent.running, unsent.before], [counts(0), counts(2, 1)])
    assert.strictEqual(PrefixStats.count(self, "verified", rules, start - 1), self)
  })

  it("never have more verified than sent codes, and are never negative", () => {
    assert.deepStrictEqual(PrefixStats.count(empty, "verified", rules, start).running, counts(0))
    assert.deepStrictEqual(PrefixStats.count(empty, "unsent", rules, start).running, counts(0))
    const self = { ...empty, running: counts(1, 1) }
    assert.deepStrictEqual(PrefixStats.count(self, "unsent", rules, start).running, counts(0))
  })
})

describe("the amount of PrefixStats", () => {
  const amountAfter = (...steps: ReadonlyArray<"verified" | "unsent" | string>) =>
    Money.format(
      steps.reduce(
        (self, step) =>
          step === "verified" || step === "unsent"
            ? PrefixStats.count(self, step, rules, start)
            : PrefixStats.count(self, "sent", rules, start, Samples.money(step)),
        empty,
      ).running.unverifiedAmount,
    )

  it.each([
    [["0.50"], "0.50"],
    [["0.50", "0.50", "verified"], "0.50"],
    [["0.50", "0.50", "unsent"], "0.50"],
    [["0.50", "verified"], "0.00"],
    // A verified code has the average price of the open ones.
    [["0.50", "1.00", "verified"], "0.75"],
    [["0.50", "1.00", "verified", "verified"], "0.00"],
    [["verified", "unsent"], "0.00"],
  ])("after %j is %s", (steps, amount) => {
    assert.strictEqual(amountAfter(...steps), amount)
  })

  it("is a part of a finding, of both windows", () => {
    const price = Samples.money("0.5")
    const now = start + minute
    const sent = PrefixStats.count(empty, "sent", rules, start, price)
    const self = PrefixStats.count(PrefixStats.at(sent, rules, now), "sent", rules, now, price)
    const { findings } = PrefixStats.judge(self, { ...rules, maxSent: 1 }, now)
    assert.deepInclude(findings[0], { reason: "velocity", unverifiedAmount: Samples.money("1") })
  })
})

describe("PrefixStats.prefixOf", () => {
  it("is the configured number of digits without the plus, or the whole of a shorter number", () => {
    const number = PhoneNumber.fromE164("+8801712345678")
    assert.strictEqual(PrefixStats.prefixOf(number, rules), "88017")
    assert.strictEqual(
      PrefixStats.prefixOf(PhoneNumber.fromE164("+2901234"), { ...rules, prefixDigits: 8 }),
      "2901234",
    )
  })
})

describe("PrefixStats.problems", () => {
  it.each([
    [{}, ""],
    [{ prefixDigits: 0 }, "prefixDigits must be an integer between 1 and 8"],
    [{ prefixDigits: 9 }, "prefixDigits must be an integer between 1 and 8"],
    [{ windowMillis: 999 }, "window must be between 1 second and 31 days"],
    [{ windowMillis: Infinity }, "window must be between 1 second and 31 days"],
    [{ maxSent: 0 }, "maxSent must be an integer between 1 and 1000000000"],
    [{ minSent: 1.5 }, "minSent must be an integer between 1 and 1000000000"],
    [{ minConversion: 1.01 }, "minConversion must be between 0 and 1"],
    [{ minConversion: Number.NaN }, "minConversion must be between 0 and 1"],
  ])("of %j are %j", (own, problem) => {
    assert.strictEqual(
      PrefixStats.problems({ ...rules, ...own })
        .map(PrefixStats.sentence)
        .join(", "),
      problem,
    )
  })
})

it("rules at their bounds have no problem", () => {
  for (const end of ["min", "max"] as const) {
    const ends = Record.map(PrefixStats.bounds, (bounds) => bounds[end])
    const minConversion = end === "min" ? 0 : 1
    assert.deepStrictEqual(PrefixStats.problems({ ...rules, ...ends, minConversion }), [])
  }
})

it("an exempt number counts for no prefix", () => {
  const number = Samples.phoneNumber()
  assert.strictEqual(PrefixStats.prefixOf(number, rules), "88017")
  assert.isNull(PrefixStats.prefixOf(number, undefined))
  assert.isNull(PrefixStats.prefixOf(number, { ...rules, exempt: new Set([number]) }))
  assert.isNotNull(PrefixStats.prefixOf(number, { ...rules, exempt: new Set(["+1"]) }))
})
