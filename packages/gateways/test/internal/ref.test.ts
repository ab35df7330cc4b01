import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { markedRef, readRef, writeRef } from "../../src/internal/ref.ts"

const ref = fc.record({
  organization: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map(OrganizationId),
  sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
})

describe("A reference as text", () => {
  it("is parsed to what it was written from, and is URL-safe", () => {
    fc.assert(
      fc.property(ref, (one) => {
        const text = writeRef(one)
        assert.deepStrictEqual(readRef(text), one)
        assert.strictEqual(encodeURIComponent(text), text)
        assert.isAtMost(text.length, 81)
      }),
    )
  })

  it("has the end of the message's token if several installations share the reports", () => {
    const token = Samples.messageId()
    fc.assert(
      fc.property(ref, (one) => {
        const text = markedRef({ ref: one, token })
        const read = readRef(text)
        assert.deepStrictEqual(read, { ...one, token: token.slice(-12) })
        assert.strictEqual(encodeURIComponent(text), text)
        assert.strictEqual(String(new URLSearchParams({ text })), `text=${text}`)
        // Vonage takes 100.
        assert.isAtMost(text.length, 94)
      }),
    )
  })

  const none = "acme .1 acme. acme.0 acme.01 acme.1.2 acme.1.0123456789a acme.1.0123456789abc"
  it.each([undefined, null, "", "a b.1", "acme.1.0123456789ab.1", ...none.split(" ")])(
    "%s is not a reference",
    (text) => {
      assert.isUndefined(readRef(text))
    },
  )

  it("never fails on any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readRef(text)
        assert.isTrue(read === undefined || text.startsWith(writeRef(read)))
      }),
    )
  })
})
