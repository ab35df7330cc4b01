import { assert, it } from "vitest"
import { makeFormat } from "../app/i18n/format.ts"
import { elapsed } from "../app/ui/elapsed.ts"

const bangla = makeFormat("bn")

it("shows money with all its digits and the symbol of its currency", () => {
  const english = makeFormat("en")
  assert.strictEqual(english.money("1234567.5", "BDT"), "৳1,234,567.50")
  assert.strictEqual(english.money("0.0075", "BDT"), "৳0.0075")
  assert.deepStrictEqual(
    ["0.5", "-0.5", "0.00"].map((amount) => english.change(amount, "BDT")),
    ["+৳0.50", "−৳0.50", "৳0.00"],
  )
  assert.strictEqual(bangla.money("1234567.5", "BDT"), "১২,৩৪,৫৬৭.৫০৳")
})

it("signs changes, and counts few cases instead of their share", () => {
  const english = makeFormat("en")
  assert.deepStrictEqual(
    ["50", "-0.5", "0"].map((amount) => english.change(amount)),
    ["+50.00", "−0.50", "0.00"],
  )
  assert.deepStrictEqual(
    [english.share(0, 0), english.share(8, 15), english.share(94, 105), bangla.share(8, 15)],
    ["—", "8 of 15", "89.5%", "১৫টির মধ্যে ৮টি"],
  )
  assert.deepStrictEqual(
    [0.021, -0.0213, 0.0001, -0.0001].map((difference) => english.points(difference)),
    ["+2.1", "−2.1", "0.0", "0.0"],
  )
  assert.strictEqual(bangla.points(-0.021), "−২.১")
})

it("leaves out the day of today and the year of this year", () => {
  const now = () => Date.parse("2026-11-24T18:30:00.000Z")
  const dhaka = makeFormat("en", { now, timeZone: "Asia/Dhaka" })
  // After midnight in Dhaka.
  const [today, yesterday, lastYear] = [
    "2026-11-24T18:05:21.000Z",
    "2026-11-23T16:05:21.000Z",
    "2025-11-23T16:05:21.000Z",
  ] as const
  assert.deepStrictEqual([dhaka.time(today), dhaka.minutes(today)], ["00:05:21", "00:05"])
  assert.match(dhaka.time(yesterday), /^(23 Nov|Nov 23), 22:05$/)
  assert.match(dhaka.time(lastYear), /^(23 Nov|Nov 23,) 2025, 22:05$/)
  assert.match(dhaka.exact(today), /^(25 Nov|Nov 25,) 2026, 00:05:21$/)
  assert.strictEqual(
    makeFormat("bn", { now, timeZone: "UTC" }).time("2026-11-23T16:05:21.000Z"),
    "২৩ নভেম্বর এ ১৬:০৫",
  )
  assert.strictEqual(makeFormat("en", { timeZone: "UTC" }).zone, "UTC")
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
