/** The hours and days of a period by the clocks of a zone, as the service divides totals. */

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

const formats = new Map<string, Intl.DateTimeFormat>()

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
const offsetAt = (zone: string, at: number): number => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" })
  formats.set(zone, format)
  const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? ""
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const millis = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === "-" ? -millis : millis
}

/** The first instant at which the clocks of a zone show this time or a later one. `local` is written as if in UTC. */
const instantOf = (zone: string, local: number): number => {
  const offsets = [local - dayMillis, local + dayMillis].map((at) => offsetAt(zone, at))
  const first = local - Math.max(...offsets)
  return first + offsetAt(zone, first) >= local ? first : local - Math.min(...offsets)
}

export interface Slots {
  readonly starts: ReadonlyArray<number>
  readonly end: number
}

/** The slot that contains a time and those before it, `count` in all. */
export const slotsUntil = (
  zone: string,
  every: "hour" | "day",
  count: number,
  at: number,
): Slots => {
  const millis = every === "hour" ? hourMillis : dayMillis
  const offset = offsetAt(zone, at)
  const local = Math.floor((at + offset) / millis) * millis
  const startOf = (index: number): number =>
    every === "hour" ? local - offset + index * millis : instantOf(zone, local + index * millis)
  const starts = Array.from({ length: count }, (_, index) => startOf(index - count + 1))
  return { starts, end: startOf(1) }
}

/** The zone of the reader's browser. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
