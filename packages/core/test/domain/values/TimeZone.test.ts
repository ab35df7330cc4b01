import { assert, describe, it } from "vitest"
import { isZone, offsetAt, slotsOf } from "../../../src/domain/values/TimeZone.ts"

const hour = 3_600_000

describe("a zone", () => {
  it.each([
    ["UTC", true],
    ["Asia/Dhaka", true],
    ["Asia/Kathmandu", true],
    ["Dhaka", false],
    ["+06:00", false],
    ["", false],
  ])("%s: %s", (name, expected) => {
    assert.strictEqual(isZone(name), expected)
  })

  it("is ahead of UTC by an offset that changes with its clocks", () => {
    assert.strictEqual(offsetAt("Asia/Kathmandu", 0) % 900_000, 0)
    assert.strictEqual(offsetAt("Asia/Dhaka", Date.UTC(2026, 5, 1)), 6 * hour)
    assert.strictEqual(offsetAt("Europe/Berlin", Date.UTC(2026, 2, 29, 0, 59)), hour)
    assert.strictEqual(offsetAt("Europe/Berlin", Date.UTC(2026, 2, 29, 1)), 2 * hour)
  })
})

describe("slots", () => {
  const shown = (zone: string, every: "hour" | "day", from: string, to: string) => {
    const [starts, end] = slotsOf(zone, every, Date.parse(from), Date.parse(to))
    return [...starts, end].map((at) => new Date(at).toISOString().slice(5, 16))
  }

  it.each([
    ["UTC", "day", "2026-01-01T00:00Z", "2026-01-02T00:00Z", ["01-01T00:00", "01-02T00:00"]],
    ["Asia/Dhaka", "day", "2026-01-01T17:59Z", "2026-01-01T18:00Z", ["12-31T18:00", "01-01T18:00"]],
    [
      "Asia/Kathmandu",
      "day",
      "2026-01-01T18:14Z",
      "2026-01-01T18:16Z",
      ["12-31T18:15", "01-01T18:15", "01-02T18:15"],
    ],
    [
      "Asia/Kolkata",
      "hour",
      "2026-01-01T00:00Z",
      "2026-01-01T00:30Z",
      ["12-31T23:30", "01-01T00:30"],
    ],
    // 23 and 25 hours.
    [
      "Europe/Berlin",
      "day",
      "2026-03-29T12:00Z",
      "2026-03-29T13:00Z",
      ["03-28T23:00", "03-29T22:00"],
    ],
    [
      "Europe/Berlin",
      "day",
      "2026-10-25T12:00Z",
      "2026-10-25T13:00Z",
      ["10-24T22:00", "10-25T23:00"],
    ],
    // Clocks go from midnight to one o'clock, and back from midnight to eleven.
    [
      "America/Havana",
      "day",
      "2026-03-08T12:00Z",
      "2026-03-08T13:00Z",
      ["03-08T05:00", "03-09T04:00"],
    ],
    [
      "America/Santiago",
      "day",
      "2026-04-04T12:00Z",
      "2026-04-05T12:00Z",
      ["04-04T03:00", "04-05T04:00", "04-06T04:00"],
    ],
    ["Asia/Dhaka", "day", "2026-01-01T00:00Z", "2026-01-01T00:00Z", ["12-31T18:00", "01-01T18:00"]],
  ] as const)("of %s by the %s from %s to %s", (zone, every, from, to, expected) => {
    assert.deepStrictEqual(shown(zone, every, from, to), [...expected])
  })
})
