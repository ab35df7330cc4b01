import { assert, it } from "vitest"
import { makeFormat } from "../app/i18n/format.ts"
import { elapsed } from "../app/ui/elapsed.ts"

const bangla = makeFormat("bn")

it("shows money with all its digits and its currency", () => {
  const english = makeFormat("en")
  assert.strictEqual(english.money("1234567.5", "BDT"), "1,234,567.50 BDT")
  assert.strictEqual(english.money("0.0075", "BDT"), "0.0075 BDT")
  assert.deepStrictEqual(
    ["0.5", "-0.5", "0.00"].map((amount) => english.change(amount, "BDT")),
    ["+0.50 BDT", "−0.50 BDT", "0.00 BDT"],
  )
  assert.strictEqual(bangla.money("1234567.5", "BDT"), "১২,৩৪,৫৬৭.৫০ BDT")
})

it("counts in the words of the language", () => {
  const forms = { one: "# code", other: "# codes" }
  const english = makeFormat("en")
  assert.deepStrictEqual(
    [0, 1, 2].map((count) => english.plural(count, forms)),
    ["0 codes", "1 code", "2 codes"],
  )
  // In Bangla, nought is a single one.
  assert.strictEqual(bangla.plural(0, forms), "০ code")
})

it("shows times in the zone of the reader, and names it", () => {
  const zoned = new Intl.DateTimeFormat().resolvedOptions().timeZone
  assert.isString(zoned)
  assert.include(makeFormat("en").fullTime("2026-11-22T18:00:00.000Z"), "2026-11-22T18:00:00.000Z")
  assert.notStrictEqual(makeFormat("en").zone, "")
})

it("shows how long a request took in the unit that fits", () => {
  const english = makeFormat("en")
  assert.deepStrictEqual(
    [1, 14, 999, 1_000, 1_449, 15_003].map((millis) => english.duration(elapsed(millis))),
    [
      "1 millisecond",
      "14 milliseconds",
      "999 milliseconds",
      "1 second",
      "1.4 seconds",
      "15 seconds",
    ],
  )
  assert.strictEqual(english.duration(elapsed(90_000)), "1.5 minutes")
  assert.strictEqual(english.duration(elapsed(86_000_000)), "23.9 hours")
  assert.strictEqual(bangla.duration(elapsed(15_003)), "১৫ সেকেন্ড")
})
