import { assert, describe, it } from "vitest"
import { latinDigits, shownDigits, windowWords } from "../app/i18n/limitWords.ts"

describe("a number of events in a time", () => {
  it.each([
    ["10", "1 minute", "১ মিনিটে ১০"],
    ["5", "30 seconds", "৩০ সেকেন্ডে ৫"],
    ["1", "500 milliseconds", "৫০০ মিলিসেকেন্ডে ১"],
    ["100", "2 hours", "২ ঘণ্টায় ১০০"],
    ["50", "1 day", "১ দিনে ৫০"],
  ])("%s in %s is shown in Bangla with the time first", (max, per, shown) => {
    assert.strictEqual(windowWords(max, per, "bn"), shown)
    assert.strictEqual(windowWords(max, per, "en"), `${max} in ${per}`)
  })

  it("keeps a time that it does not know", () => {
    assert.strictEqual(windowWords("10", "1 age", "bn"), "১০ in ১ age")
  })
})

describe("digits", () => {
  it("are those of the reader, and are read in either language", () => {
    assert.strictEqual(shownDigits("10.5", "bn"), "১০.৫")
    assert.strictEqual(shownDigits("10.5", "en"), "10.5")
    assert.strictEqual(latinDigits("১০.৫ or 7"), "10.5 or 7")
  })
})
