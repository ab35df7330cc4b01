/** Limits on events in windows, as people write them: `10 in 1 minute; 50 in 1 day`. */
import type { Organization } from "../../api/types.ts"

export type WindowLimit = NonNullable<Organization["limits"]["sendsPerNumber"]>

/** `undefined` is the empty text: the host's limit. `null`: no limit. */
export const windowText = (limit: WindowLimit | null | undefined): string => {
  if (limit === undefined) return ""
  if (limit === null) return "none"
  return ("max" in limit ? [limit] : limit).map(({ max, per }) => `${max} in ${per}`).join("; ")
}

/** A limit as the service reads it, which judges the duration. */
interface Parsed {
  readonly max: number
  readonly per: string
}

const parseSingle = (text: string): Parsed | undefined => {
  const [, max, per] = /^(\d+) in (\d.*)$/i.exec(text.trim()) ?? []
  return per === undefined ? undefined : { max: Number(max), per: durationText(per) }
}

/** The text of a duration as the service reads it: `5 Minutes` becomes `5 minutes`. */
export const durationText = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase()

/** The limit that a text means; `invalid` for other text. */
export const parseWindow = (text: string): ReadonlyArray<Parsed> | null | "invalid" => {
  if (text.trim().toLowerCase() === "none") return null
  const parsed = text.split(";").map(parseSingle)
  const limits = parsed.filter((limit) => limit !== undefined)
  return limits.length === parsed.length ? limits : "invalid"
}
