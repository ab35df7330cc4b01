import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { Pacer } from "../../../src/routing/internal/pacer.ts"
import * as PhoneNumber from "../../../src/domain/values/PhoneNumber.ts"

const number = (last: number) => PhoneNumber.fromE164(`+88017123456${String(10 + last)}`)

describe("Pace", () => {
  it("spaces places by its rate", () => {
    const pace = new Pacer({ perSecond: 2 }, 10)
    const waits = [0, 0, 100, 2_000].map((now) => pace.take(number(1), now, 10_000).wait)
    assert.deepStrictEqual(waits, [0, 500, 900, 0])
  })

  it("keeps a separate pause for each recipient", () => {
    const pace = new Pacer({ pairMillis: 6_000 }, 10)
    assert.strictEqual(pace.take(number(1), 0, 10_000).wait, 0)
    assert.strictEqual(pace.take(number(2), 0, 10_000).wait, 0)
    assert.strictEqual(pace.take(number(1), 1_000, 10_000).wait, 5_000)
    assert.strictEqual(pace.take(number(1), 12_000, 0).wait, 0)
  })

  it("refuses a place beyond the longest wait, and keeps it for the next message", () => {
    const pace = new Pacer({ perSecond: 1 }, 10)
    assert.strictEqual(pace.take(number(1), 0, 0).wait, 0)
    assert.deepStrictEqual(pace.take(number(2), 0, 999), { wait: 1_000, isTaken: false })
    assert.deepStrictEqual(pace.take(number(3), 0, 1_000), { wait: 1_000, isTaken: true })
  })

  it("law: no window of a second has more places than the rate", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.nat(400), { maxLength: 60 }),
        FastCheck.integer({ min: 1, max: 20 }),
        (gaps, perSecond) => {
          const pace = new Pacer({ perSecond }, 10)
          let now = 0
          const at = gaps.map((gap) => {
            now += gap
            return now + pace.take(number(1), now, Infinity).wait
          })
          for (const [index, one] of at.entries()) {
            const next = at[index + perSecond]
            if (next !== undefined) assert.isAtLeast(next - one, 999.999)
          }
        },
      ),
    )
  })
})
