import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { getCountries } from "libphonenumber-js/max"
import { zonesByCountry } from "../../../src/domain/messages/internal/countryZones.ts"
import * as QuietHours from "../../../src/domain/messages/QuietHours.ts"
import { fromE164 } from "../../../src/domain/values/PhoneNumber.ts"

const night = { from: "22:00", to: "08:00" }
const noon = { from: "12:00", to: "14:30" }

/** A time in UTC, to the minute for example. */
const timeOf = (text: string): number => Date.parse(`${text}Z`)
const isoOf = (text: string): string => new Date(timeOf(text)).toISOString()

/** The first allowed time. */
const next = (hours: QuietHours.QuietHours, phoneNumber: string, at: string): string =>
  new Date(QuietHours.nextAllowed(hours, fromE164(phoneNumber), timeOf(at))).toISOString()

const dhaka = "+8801712345678"
const london = "+447400123456"
const kathmandu = "+9779841234567"
const lordHowe = "+61412345678"
const toronto = "+14165550123"
const honolulu = "+18085550123"
const moscow = "+79123456789"
const singapore = "+6581234567"

const same = "the same"

describe("the next time that is not quiet", () => {
  it.each([
    // Bangladesh is six hours ahead of UTC.
    ["before the hours", night, dhaka, "2026-11-27T15:59:59.999", same],
    ["their first moment", night, dhaka, "2026-11-27T16:00", "2026-11-28T02:00"],
    ["before midnight", night, dhaka, "2026-11-27T17:59:59.999", "2026-11-28T02:00"],
    ["midnight", night, dhaka, "2026-11-27T18:00", "2026-11-28T02:00"],
    ["after midnight", night, dhaka, "2026-11-27T20:00", "2026-11-28T02:00"],
    ["their last moment", night, dhaka, "2026-11-28T01:59:59.999", "2026-11-28T02:00"],
    ["after the hours", night, dhaka, "2026-11-28T02:00", same],
    ["before hours by day", noon, dhaka, "2026-11-27T05:59", same],
    ["hours by day", noon, dhaka, "2026-11-27T06:00", "2026-11-27T08:30"],
    ["after hours by day", noon, dhaka, "2026-11-27T08:30", same],
    ["five hours and 45 minutes", night, kathmandu, "2026-11-27T16:15", "2026-11-28T02:15"],
    ["eight hours", night, singapore, "2026-11-27T14:00", "2026-11-28T00:00"],
    ["no country", night, "+80012345678", "2026-11-27T22:00", "2026-11-28T08:00"],
    ["an erased number", night, "erased:BD", "2026-11-27T16:00", "2026-11-28T02:00"],
    ["winter in London", night, london, "2026-12-01T23:00", "2026-12-02T08:00"],
    ["summer in London", night, london, "2026-07-01T22:00", "2026-07-02T07:00"],
    // Of several zones, the last one ends the hours: Tobago is alone, the United States and Russia are not.
    ["one zone of a shared code", night, "+18682345678", "2026-07-02T12:00", same],
    ["it is quiet in Honolulu only", night, honolulu, "2026-07-02T17:59", "2026-07-02T18:00"],
    ["it is quiet in New York only", night, honolulu, "2026-07-02T02:00", "2026-07-02T18:00"],
    ["it is quiet nowhere", night, honolulu, "2026-07-02T18:00", same],
    ["an area code of no country", night, "+18005550123", "2026-07-02T17:00", "2026-07-02T18:00"],
    ["Kaliningrad ends, Kamchatka begins", night, moscow, "2026-07-02T20:00", "2026-07-03T06:00"],
    ["it is quiet in Kaliningrad only", night, moscow, "2026-07-03T05:59", "2026-07-03T06:00"],
    ["four hours are left in Russia", night, moscow, "2026-07-03T09:59", same],
    ["it is night in Kamchatka", night, moscow, "2026-07-03T10:00", "2026-07-04T06:00"],
  ] as const)("%s", (_, hours, phoneNumber, at, expected) => {
    assert.strictEqual(next(hours, phoneNumber, at), isoOf(expected === same ? at : expected))
  })

  it.each([
    // London: at 01:00 UTC on 29 March the clock goes from 01:00 to 02:00, on 25 October from 02:00 to 01:00.
    ["a night that loses an hour", night, london, "2026-03-28T22:00", "2026-03-29T07:00"],
    ["a night that gains an hour", night, london, "2026-10-24T21:00", "2026-10-25T08:00"],
    [
      "an end in the gap",
      { from: "22:00", to: "01:30" },
      london,
      "2026-03-28T22:00",
      "2026-03-29T01:00",
    ],
    ["a start in the gap", { from: "01:30", to: "06:00" }, london, "2026-03-29T00:59:59", same],
    [
      "just after the gap",
      { from: "01:30", to: "06:00" },
      london,
      "2026-03-29T01:00",
      "2026-03-29T05:00",
    ],
    ["hours within the gap", { from: "01:10", to: "01:50" }, london, "2026-03-29T01:00", same],
    [
      "the first end in the overlap",
      { from: "22:00", to: "01:30" },
      london,
      "2026-10-24T23:59",
      "2026-10-25T00:30",
    ],
    ["between two ends", { from: "22:00", to: "01:30" }, london, "2026-10-25T00:45", same],
    [
      "the second end in the overlap",
      { from: "22:00", to: "01:30" },
      london,
      "2026-10-25T01:00",
      "2026-10-25T01:30",
    ],
    [
      "a start in the overlap",
      { from: "01:30", to: "06:00" },
      london,
      "2026-10-25T00:45",
      "2026-10-25T01:00",
    ],
    // New York: at 07:00 UTC on 8 March, and at 06:00 UTC on 1 November. Honolulu ends the hours, at 18:00 UTC.
    ["spring in the United States", night, toronto, "2026-03-08T06:59", "2026-03-08T15:00"],
    ["autumn in the United States", night, honolulu, "2026-11-01T05:59", "2026-11-01T18:00"],
    // Lord Howe: at 15:30 UTC on 3 October, from 02:00 to 02:30.
    [
      "half an hour",
      { from: "02:00", to: "02:45" },
      lordHowe,
      "2026-10-03T15:30",
      "2026-10-03T15:45",
    ],
  ] as const)("when clocks are changed: %s", (_, hours, phoneNumber, at, expected) => {
    assert.strictEqual(next(hours, phoneNumber, at), isoOf(expected === same ? at : expected))
  })
})

it("gives the same time however often it is asked, and in any order", () => {
  const start = Date.parse("2026-03-28T00:00:00Z")
  const times = Array.from({ length: 97 }, (_, index) => start + index * 30 * 60_000)
  const askedOf = (hours: QuietHours.QuietHours) => (at: number) =>
    [dhaka, london, moscow].map((number) => QuietHours.nextAllowed(hours, fromE164(number), at))
  const once = times.map((at) => askedOf({ ...night })(at))
  assert.deepStrictEqual(times.map(askedOf(night)), once)
  assert.deepStrictEqual(times.toReversed().map(askedOf(night)).toReversed(), once)
})

/** The time of day in a zone, as the runtime formats it. */
const clockOf = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" })
  return (at: number) => format.format(at)
}

const isWithin = ({ from, to }: QuietHours.QuietHours, time: string): boolean =>
  from < to ? time >= from && time < to : time >= from || time < to

describe("the zones of countries", () => {
  it("are known to the runtime", () => {
    const names = [...zonesByCountry().values()].flat()
    assert.isAbove(names.length, 400)
    for (const name of names) assert.doesNotThrow(() => clockOf(name), name)
  })

  it("are known for every country with a numbering plan, and for no other", () => {
    assert.sameMembers(getCountries(), [...zonesByCountry().keys()])
  })

  it("have a time at which the longest quiet hours are over", () => {
    for (const country of zonesByCountry().keys()) {
      for (const at of [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]) {
        const longest = { from: "20:00", to: "09:00" }
        const allowed = QuietHours.nextAllowed(longest, fromE164(`erased:${country}`), at)
        assert.isBelow(allowed - at, 24 * 60 * 60_000, country)
      }
    }
  })

  it("all have a time that is not quiet within a day, and none before it", () => {
    const clocks = new Map(
      [...zonesByCountry()].map(([country, zones]) => [country, zones.map(clockOf)] as const),
    )
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"))
    const history = fc.record({
      country: fc.constantFrom(...clocks.keys()),
      from: time,
      to: time,
      at: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
      share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    })
    fc.assert(
      fc.property(history, ({ at, country, from, share, to }) => {
        const hours = { from, to }
        fc.pre(QuietHours.problems(hours).length === 0)
        const isQuiet = (time: number) =>
          (clocks.get(country) ?? []).some((clock) => isWithin(hours, clock(time)))
        const allowed = QuietHours.nextAllowed(hours, fromE164(`erased:${country}`), at)
        assert.isFalse(isQuiet(allowed))
        assert.isBelow(allowed - at, 26 * 60 * 60_000)
        if (allowed > at) assert.isTrue(isQuiet(at + Math.floor((allowed - at) * share)))
      }),
      { numRuns: 300 },
    )
  })
})

describe("quiet hours", () => {
  it.each([
    ["22:00", "08:00", undefined, undefined],
    ["00:00", "13:00", undefined, undefined],
    ["23:59", "00:00", undefined, undefined],
    ["22:00", "22:00", "to", "quiet_hours_length"],
    ["08:00", "21:01", "to", "quiet_hours_length"],
    ["10:00", "00:00", "to", "quiet_hours_length"],
    ["24:00", "08:00", "from", "not_time_of_day"],
    ["9:00", "08:00", "from", "not_time_of_day"],
    ["22:00", "08:60", "to", "not_time_of_day"],
    ["22:00", "08:00:00", "to", "not_time_of_day"],
    ["", "08:00", "from", "not_time_of_day"],
  ])("from %s to %s have a problem in: %s", (from, to, field, code) => {
    const [found] = QuietHours.problems({ from, to })
    assert.strictEqual(found?.[0], field)
    assert.strictEqual(found?.[1].code, code)
    if (found !== undefined) {
      assert.throws(() => next({ from, to }, dhaka, "2026-11-27T00:00"), "No quiet hours")
    }
  })
})
