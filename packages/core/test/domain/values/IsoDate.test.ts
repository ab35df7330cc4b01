import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as IsoDate from "../../../src/domain/values/IsoDate.ts"

const day = 86_400_000

const read: ReadonlyArray<readonly [text: string, start: string, end: string]> = [
  ["2026-01-31", "2026-01-31T00:00:00.000Z", "2026-01-31T23:59:59.999Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
  ["2000-02-29", "2000-02-29T00:00:00.000Z", "2000-02-29T23:59:59.999Z"],
  ["0001-01-01", "0001-01-01T00:00:00.000Z", "0001-01-01T23:59:59.999Z"],
  ["9999-12-31", "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  ["2026-01-31T09:30Z", "2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00.000Z"],
  ["2026-01-31T09:30:05Z", "2026-01-31T09:30:05.000Z", "2026-01-31T09:30:05.000Z"],
  ["2026-01-31T09:30:05.1Z", "2026-01-31T09:30:05.100Z", "2026-01-31T09:30:05.100Z"],
  ["2026-01-31T09:30:05,25Z", "2026-01-31T09:30:05.250Z", "2026-01-31T09:30:05.250Z"],
  ["2026-01-31T09:30:05.123456Z", "2026-01-31T09:30:05.124Z", "2026-01-31T09:30:05.123Z"],
  ["2026-01-31T09:30:05.123000Z", "2026-01-31T09:30:05.123Z", "2026-01-31T09:30:05.123Z"],
  ["2026-01-31T23:59:59.9999Z", "2026-02-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z"],
  ["2026-01-31T09:30:00+06:00", "2026-01-31T03:30:00.000Z", "2026-01-31T03:30:00.000Z"],
  ["2026-01-31T09:30:00+0530", "2026-01-31T04:00:00.000Z", "2026-01-31T04:00:00.000Z"],
  ["2026-01-31T09:30:00-05", "2026-01-31T14:30:00.000Z", "2026-01-31T14:30:00.000Z"],
  ["2026-01-01T00:30:00+06:00", "2025-12-31T18:30:00.000Z", "2025-12-31T18:30:00.000Z"],
  ["2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
]

const refused = [
  "",
  "2026-01",
  "2026-1-1",
  "20260131",
  "+002026-01-31",
  "2026-02-30",
  "2026-02-29",
  "1900-02-29",
  "2026-13-01",
  "2026-01-00",
  "2026-01-32",
  "2026-01-31 ",
  " 2026-01-31",
  "2026-01-31\n",
  "2026-01-31T09:30",
  "2026-01-31 09:30:00Z",
  "2026-01-31t09:30:00z",
  "2026-01-31T9:30:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T09:60:00Z",
  "2026-01-31T09:30:60Z",
  "2026-01-31T09:30:00.Z",
  "2026-01-31T09:30:00.0123456789Z",
  "2026-01-31T09Z",
  "2026-01-31+06:00",
  "2026-01-31T09:30:00+24:00",
  "2026-01-31T09:30:00+06:60",
  "২০২৬-০১-৩১",
]

const offsets = fc.record({
  sign: fc.constantFrom(1, -1),
  hours: fc.integer({ min: 0, max: 23 }),
  minutes: fc.integer({ min: 0, max: 59 }),
})

/** Every instant whose year has four digits, with any offset. */
const instants = fc.integer({
  min: Date.UTC(200, 0, 1) - day,
  max: Date.UTC(9999, 11, 30),
})

const two = (value: number): string => String(value).padStart(2, "0")

describe("IsoDate", () => {
  it.each(read)("reads %j as a range from %s to %s", (text, start, end) => {
    assert.strictEqual(IsoDate.parse(text, "start"), Date.parse(start))
    assert.strictEqual(IsoDate.parse(text, "end"), Date.parse(end))
  })

  it.each(refused)("refuses %j", (text) => {
    assert.isUndefined(IsoDate.parse(text, "start"))
    assert.isUndefined(IsoDate.parse(text, "end"))
  })

  it("parses every instant with any offset", () => {
    fc.assert(
      fc.property(instants, offsets, (instant, { hours, minutes, sign }) => {
        const local = new Date(instant + sign * (hours * 60 + minutes) * 60_000)
        const offset = `${sign < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`
        const text = `${local.toISOString().slice(0, -1)}${offset}`
        assert.strictEqual(IsoDate.parse(text, "start"), instant)
        assert.strictEqual(IsoDate.parse(text, "end"), instant)
      }),
    )
  })
})
