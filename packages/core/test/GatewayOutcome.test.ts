import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { errorText, maxErrorLength } from "../src/GatewayOutcome.ts"

describe("errorText", () => {
  it.each([
    ["no route", "no route"],
    ["two\r\nlines", "two lines"],
    ["\u0000\u001f\u007f", " "],
    ["প্রাপক নেই", "প্রাপক নেই"],
    ["x".repeat(500), "x".repeat(maxErrorLength)],
    [`${"x".repeat(maxErrorLength - 1)}😀`, `${"x".repeat(maxErrorLength - 1)}\ufffd`],
    ["\ud800 alone", "\ufffd alone"],
  ])("keeps %j as %j", (text, kept) => assert.strictEqual(errorText(text), kept))

  it("fits a row and can be stored, whatever a vendor says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 1_000 }), (text) => {
        const kept = errorText(text)
        assert.isAtMost(kept.length, maxErrorLength)
        assert.isTrue(kept.isWellFormed() && !kept.includes("\u0000"))
        assert.strictEqual(errorText(kept), kept)
      }),
    )
  })
})
