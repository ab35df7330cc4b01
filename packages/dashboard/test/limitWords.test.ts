import { assert, describe, it } from "vitest"
import { shownLimit, typedLimit } from "../app/i18n/limitWords.ts"

describe("a limit in Bangla", () => {
  it.each([
    ["10 in 1 minute; 50 in 1 day", "১ মিনিটে ১০; ১ দিনে ৫০"],
    ["5 in 30 seconds", "৩০ সেকেন্ডে ৫"],
    ["1 in 500 milliseconds", "৫০০ মিলিসেকেন্ডে ১"],
    ["100 in 2 hours", "২ ঘণ্টায় ১০০"],
    ["none", "নেই"],
    ["30 seconds", "৩০ সেকেন্ড"],
    ["0.5", "০.৫"],
    ["", ""],
  ])("%s is shown as %s, and means the same", (text, shown) => {
    assert.strictEqual(shownLimit(text, "bn"), shown)
    assert.strictEqual(shownLimit(text, "en"), text)
    assert.strictEqual(typedLimit(shown), text)
  })

  it("is read in either language", () => {
    assert.strictEqual(typedLimit("10 in 1 minute"), "10 in 1 minute")
    assert.strictEqual(typedLimit("১০ in ৫ minutes"), "10 in 5 minutes")
    assert.strictEqual(typedLimit("৫ মিনিটে ১০টি;১ ঘণ্টায় ২০"), "10 in 5 minutes; 20 in 1 hour")
    assert.strictEqual(typedLimit("১০ মানুষ"), "10 মানুষ")
  })
})
