/** Between ISO 8601 times and the fields of forms, which are in the zone that the reader has chosen. */
import { chosenZone } from "../zone.ts"

/** A time for the API. Text that is no time stays, so that the service names the problem. */
export const isoOf = (local: string): string => {
  const isWithoutZone = /T[\d:.]+$/.test(local)
  const millis = Date.parse(isWithoutZone && chosenZone() === "utc" ? `${local}Z` : local)
  return Number.isNaN(millis) ? local : new Date(millis).toISOString()
}

const two = (value: number): string => String(value).padStart(2, "0")

/** The value of a field of the type `datetime-local`. */
export const localOf = (iso: string): string => {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ""
  if (chosenZone() === "utc") return date.toISOString().slice(0, 16)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}
