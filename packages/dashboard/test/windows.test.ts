import { assert, it } from "vitest"
import { parseWindow, windowText } from "../app/pages/settings/windows.ts"

it.each([
  ["10 in 1 minute", [{ max: 10, per: "1 minute" }]],
  [
    "10 in 1 minute; 50 in 2 days",
    [
      { max: 10, per: "1 minute" },
      { max: 50, per: "2 days" },
    ],
  ],
  [" 3 IN 90  Seconds ", [{ max: 3, per: "90 seconds" }]],
  ["3 in 60", [{ max: 3, per: "60" }]],
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
  [{ max: 1, per: "1 minute" }, "1 in 1 minute"],
  [{ max: 5, per: "61 seconds" }, "5 in 61 seconds"],
  [
    [
      { max: 1, per: "1 second" },
      { max: 9, per: "1 day" },
    ],
    "1 in 1 second; 9 in 1 day",
  ],
] as const)("a limit is written as people read it: %j", (limit, expected) => {
  assert.strictEqual(windowText(limit), expected)
})

it("reads what it writes", () => {
  const limit = [
    { max: 7, per: "90 seconds" },
    { max: 70, per: "1 hour" },
  ] as const
  assert.deepStrictEqual(parseWindow(windowText(limit)), limit)
})
