/** Limits on events in windows, as people write them: `10 in 1 minute; 50 in 1 day`. */
import type { Organization } from "../../api/types.ts"

export type WindowLimit = NonNullable<Organization["limits"]["sendsPerNumber"]>

type Single = Exclude<WindowLimit, ReadonlyArray<unknown>>

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

const spanOf = (millis: number): string => {
  const [unit, length] = units.find(([, one]) => millis % one === 0) ?? ["milli", 1]
  const count = millis / length
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

const singleText = (limit: Single): string => {
  const span = "windowMillis" in limit ? limit.windowMillis : limit.per
  return `${limit.max} in ${typeof span === "number" ? spanOf(span) : span}`
}

/** `undefined` is the empty text: the host's limit. `null`: no limit. */
export const windowText = (limit: WindowLimit | null | undefined): string => {
  if (limit === undefined) return ""
  if (limit === null) return "none"
  return ("max" in limit ? [limit] : limit).map(singleText).join("; ")
}

const pattern = /^(\d+) in (\d+) (second|minute|hour|day)s?$/i

const millisOf = (unit: string): number =>
  units.find(([name]) => name === unit.toLowerCase())?.[1] ?? 0

const parseSingle = (
  text: string,
): { readonly max: number; readonly windowMillis: number } | undefined => {
  const [, max, count, unit = ""] = pattern.exec(text.trim()) ?? []
  if (max === undefined) return undefined
  return { max: Number(max), windowMillis: Number(count) * millisOf(unit) }
}

/** The limit that a text means; `invalid` for other text. */
export const parseWindow = (
  text: string,
): ReadonlyArray<{ readonly max: number; readonly windowMillis: number }> | null | "invalid" => {
  if (text.trim().toLowerCase() === "none") return null
  const parsed = text.split(";").map(parseSingle)
  const limits = parsed.filter((limit) => limit !== undefined)
  return limits.length === parsed.length ? limits : "invalid"
}
