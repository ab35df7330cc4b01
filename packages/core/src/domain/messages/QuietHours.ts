/**
 * The hours of the day in which an organization sends no messages of a class, by the clock of the recipient.
 *
 * The zone follows from the numbering plan, which tells the country of a number. In a country with several zones, it is
 * quiet while it is quiet in any of them. A number that its plan gives to no country counts for the main country of its
 * calling code. A number without a country, such as `+800`, counts for UTC.
 */
import * as FieldProblem from "../values/FieldProblem.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"
import type { MessageClass } from "../values/MessageClass.ts"
import { offsetAt, quarterMillis as slotMillis } from "../values/TimeZone.ts"
import { zonesByCountry } from "./internal/countryZones.ts"

/** Two times of day such as `22:00` and `08:00`. `from` is included, `to` excluded; midnight may lie between them. */
export interface QuietHours {
  readonly from: string
  readonly to: string
}

/** The quiet hours of an organization. A class without any sends at all times. */
export type QuietHoursByClass = { readonly [K in MessageClass]?: QuietHours | undefined }

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Russia has zones that are ten hours apart, so there is a time at which longer hours would be over in none of them. */
export const maxHours = 13

const shape = /^([01]\d|2[0-3]):([0-5]\d)$/

/** Milliseconds since midnight; `undefined` if the text is no time of day. */
const timeOfDay = (text: string): number | undefined => {
  const [, hours, minutes] = shape.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * hour + Number(minutes) * minute
}

/** The same time of day, from 0 to 24 hours. */
const inDay = (millis: number): number => ((millis % day) + day) % day

export type Problem = readonly [field: keyof QuietHours, problem: FieldProblem.FieldProblem]

export const problems = ({ from, to }: QuietHours): ReadonlyArray<Problem> => {
  const [start, end] = [timeOfDay(from), timeOfDay(to)]
  const notTime = FieldProblem.make("not_time_of_day", {})
  if (start === undefined) return [["from", notTime]]
  if (end === undefined) return [["to", notTime]]
  const length = inDay(end - start)
  return length === 0 || length > maxHours * hour
    ? [["to", FieldProblem.make("quiet_hours_length", { max: maxHours })]]
    : []
}

/** In milliseconds since midnight. */
interface Window {
  readonly from: number
  readonly to: number
}

/** Throws for hours with a problem, which might not end in any zone. */
const windowOf = (hours: QuietHours): Window => {
  const [from, to] = [timeOfDay(hours.from), timeOfDay(hours.to)]
  if (from === undefined || to === undefined || problems(hours).length > 0) {
    throw new TypeError(`No quiet hours: ${hours.from} to ${hours.to}`)
  }
  return { from, to }
}

const isQuiet = ({ from, to }: Window, zone: string, at: number): boolean => {
  const time = inDay(at + offsetAt(zone, at))
  return from < to ? time >= from && time < to : time >= from || time < to
}

/** The first time from `after` to `until` at which the offset differs from the one at `after`. */
const changeOf = (zone: string, after: number, until: number): number => {
  const offset = offsetAt(zone, after)
  let [low, high] = [Math.floor(after / slotMillis), Math.ceil(until / slotMillis)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * slotMillis) === offset) low = middle
    else high = middle
  }
  return high * slotMillis
}

/** When it is first not quiet in a zone in which it is quiet at `at`. A clock that is changed may end or prolong it. */
const quietUntil = (window: Window, zone: string, at: number): number => {
  const offset = offsetAt(zone, at)
  const end = at + inDay(window.to - (at + offset))
  if (offsetAt(zone, end) === offset) return end
  const change = changeOf(zone, at, end)
  return isQuiet(window, zone, change) ? quietUntil(window, zone, change) : change
}

/** A time in which it is quiet in a country: `until` is the first time from `since` on at which it is not. */
interface Quiet {
  readonly since: number
  readonly until: number
}

/** The last one of each country, because the messages of a campaign ask for the same one. */
const found = new WeakMap<QuietHours, Map<string, Quiet>>()

/** The first time from `now` on at which it is quiet in no zone of the number; `now` if it is not quiet. Epoch milliseconds. */
export const nextAllowed = (
  hours: QuietHours,
  phoneNumber: PhoneNumber.PhoneNumber,
  now: number,
): number => {
  const country = PhoneNumber.mainCountryOf(phoneNumber) ?? ""
  const ofHours = found.get(hours) ?? new Map<string, Quiet>()
  const last = ofHours.get(country)
  if (last !== undefined && now >= last.since && now < last.until) return last.until
  const window = windowOf(hours)
  const zones = zonesByCountry().get(country) ?? ["UTC"]
  const after = (at: number): number => {
    const ends = zones.flatMap((zone) =>
      isQuiet(window, zone, at) ? [quietUntil(window, zone, at)] : [],
    )
    return ends.length === 0 ? at : after(Math.max(...ends))
  }
  const until = after(now)
  if (until > now) found.set(hours, ofHours.set(country, { since: now, until }))
  return until
}
