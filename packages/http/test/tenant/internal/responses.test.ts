import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { iso } from "../../../src/tenant/internal/responses.ts"

const limit = 8_640_000_000_000_000

/** Times in any order, of which many are in the minute of the one before. */
const times = fc.array(
  fc.oneof(
    fc.integer({ min: -limit, max: limit }),
    fc.integer({ min: 1_795_449_000_000, max: 1_795_449_120_000 }),
  ),
  { minLength: 2, maxLength: 30 },
)

describe("iso", () => {
  it("formats any sequence of times as toISOString does", () => {
    fc.assert(
      fc.property(times, (some) =>
        assert.deepStrictEqual(
          some.map(iso),
          some.map((millis) => new Date(millis).toISOString()),
        ),
      ),
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, limit + 60_000])("refuses %d", (millis) => {
    assert.throws(() => iso(millis), RangeError)
    assert.strictEqual(iso(0), "1970-01-01T00:00:00.000Z")
  })
})
