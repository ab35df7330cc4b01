import { assert, it } from "vitest"
import { parseWindow, windowText } from "../app/pages/settings/windows.ts"

it.each([
  ["10 in 1 minute", [{ max: 10, windowMillis: 60_000 }]],
  [
    "10 in 1 minute; 50 in 2 days",
    [
      { max: 10, windowMillis: 60_000 },
      { max: 50, windowMillis: 172_800_000 },
    ],
  ],
  [" 3 IN 90 Seconds ", [{ max: 3, windowMillis: 90_000 }]],
  ["none", null],
  ["10 per minute", "invalid"],
  ["10 in 1 minute;", "invalid"],
  ["-1 in 1 hour", "invalid"],
  ["", "invalid"],
] as const)("%j is read as the limit that it states", (text, expected) => {
  assert.deepEqual<unknown>(parseWindow(text), expected)
})

it.each([
  [undefined, ""],
  [null, "none"],
  [{ max: 1, windowMillis: 60_000 }, "1 in 1 minute"],
  [{ max: 5, per: 7_200_000 }, "5 in 2 hours"],
  [{ max: 5, per: "61 seconds" as const }, "5 in 61 seconds"],
  [
    [
      { max: 1, windowMillis: 1_000 },
      { max: 9, windowMillis: 86_400_000 },
    ],
    "1 in 1 second; 9 in 1 day",
  ],
])("a limit is written as people read it: %j", (limit, expected) => {
  assert.strictEqual(windowText(limit), expected)
})

it("reads what it writes", () => {
  const limit = [
    { max: 7, windowMillis: 90_000 },
    { max: 70, windowMillis: 3_600_000 },
  ]
  assert.deepStrictEqual(parseWindow(windowText(limit)), limit)
})
