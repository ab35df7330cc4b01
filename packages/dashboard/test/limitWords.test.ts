import { assert, describe, it } from "vitest"
import { shownLimit, typedLimit } from "../app/i18n/limitWords.ts"
import { parseWindow } from "../app/pages/settings/windows.ts"

describe("a limit in Bangla", () => {
  it.each([
    ["10 in 1 minute; 50 in 1 day", "১০ প্রতি ১ মিনিট; ৫০ প্রতি ১ দিন"],
    ["5 in 30 seconds", "৫ প্রতি ৩০ সেকেন্ড"],
    ["1 in 500 milliseconds", "১ প্রতি ৫০০ মিলিসেকেন্ড"],
    ["none", "নেই"],
    ["30 seconds", "৩০ সেকেন্ড"],
    ["0.5", "০.৫"],
    ["", ""],
  ])("%s is shown as %s, and means the same", (text, shown) => {
    assert.strictEqual(shownLimit(text, "bn"), shown)
    assert.strictEqual(shownLimit(text, "en"), text)
    assert.deepStrictEqual(parseWindow(typedLimit(shown)), parseWindow(text))
  })

  it("is read in either language", () => {
    assert.strictEqual(typedLimit("10 in 1 minute"), "10 in 1 minute")
    assert.strictEqual(typedLimit("১০ in ৫ মিনিট"), "10 in 5 minutes")
  })
})
