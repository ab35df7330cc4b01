/** Zones of the tz database, such as `Asia/Dhaka`, and the hours and days by their clocks. */
// oxlint-disable-next-line eslint/no-restricted-imports -- only functions of zones, which read no clock
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

/** Clocks change at full quarters of an hour, and the offsets of zones are quarters. */
export const quarterMillis = 900_000

const hourMillis = 4 * quarterMillis
const dayMillis = 24 * hourMillis

/** Whether the runtime knows a zone with this name. */
export const isZone = (name: string): boolean =>
  /^[A-Za-z]/.test(name) && Option.isSome(DateTime.zoneMakeNamed(name))

/** Maximum number of zones whose last offset is kept. */
const maxKnown = 600

/** The last known offset of each zone. */
const known = new Map<string, { readonly slot: number; readonly offset: number }>()

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
export const offsetAt = (zone: string, at: number): number => {
  const slot = Math.floor(at / quarterMillis)
  const last = known.get(zone)
  if (last?.slot === slot) return last.offset
  const offset = DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))
  if (known.size >= maxKnown && last === undefined) known.clear()
  known.set(zone, { slot, offset })
  return offset
}

/** The first instant at which the clocks of a zone show this time or a later one. `local` is written as if in UTC. */
const instantOf = (zone: string, local: number): number => {
  const offsets = [local - dayMillis, local + dayMillis].map((at) => offsetAt(zone, at))
  const first = local - Math.max(...offsets)
  return first + offsetAt(zone, first) >= local ? first : local - Math.min(...offsets)
}

/** The hours or days by the clocks of a zone that contain `from`, begin before `to`, and the end of the last of them. */
export const slotsOf = (
  zone: string,
  every: "hour" | "day",
  from: number,
  to: number,
): readonly [starts: ReadonlyArray<number>, end: number] => {
  const millis = every === "hour" ? hourMillis : dayMillis
  const local = Math.floor((from + offsetAt(zone, from)) / millis) * millis
  // A day has 23 to 25 hours where clocks change. An hour has none of it.
  const start = every === "day" ? instantOf(zone, local) : local - offsetAt(zone, from)
  const startOf = (index: number): number =>
    every === "day" ? instantOf(zone, local + index * millis) : start + index * millis
  const starts = [start]
  let end = startOf(1)
  while (end < to) {
    starts.push(end)
    end = startOf(starts.length)
  }
  return [starts, end]
}
