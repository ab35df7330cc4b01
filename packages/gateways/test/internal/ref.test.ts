import { OrganizationId } from "@countersign/core/Ids"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { readRef, writeRef } from "../../src/internal/ref.ts"

const ref = fc.record({
  organization: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map(OrganizationId),
  number: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
})

describe("A reference as text", () => {
  it("is read as what it was written of, and is the same in an address", () => {
    fc.assert(
      fc.property(ref, (one) => {
        const text = writeRef(one)
        assert.deepStrictEqual(readRef(text), one)
        assert.strictEqual(encodeURIComponent(text), text)
        assert.isAtMost(text.length, 81)
      }),
    )
  })

  it.each([undefined, null, "", "acme", "acme.", ".1", "acme.0", "acme.01", "acme.1.2", "a b.1"])(
    "%s is none",
    (text) => {
      assert.isUndefined(readRef(text))
    },
  )

  it("never fails, whatever it is read of", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readRef(text)
        assert.isTrue(read === undefined || writeRef(read) === text)
      }),
    )
  })
})
