/** The limits of an organization as the texts of a form. */
import type { Organization } from "../../api/types.ts"
import { limitFields } from "../../generated/limitFields.ts"
import { durationText, parseWindow, windowText } from "./windows.ts"

type Limits = Organization["limits"]

const { count: numbers, duration: durations, money: amounts, window: windows } = limitFields

/** Texts that the service judges. */
const texts = [...durations, ...amounts]

export { numbers, texts, windows }

export const fields = [...windows, ...numbers, ...texts]

export type Texts = Readonly<Record<string, string>>

/** What the fields show. The empty text is a limit that is not set. */
export const textsOf = (limits: Limits): Texts => {
  const plain = (value: string | number | null | undefined): string =>
    value === undefined ? "" : value === null ? "none" : String(value)
  return Object.fromEntries([
    ...windows.map((name) => [name, windowText(limits[name])]),
    ...numbers.map((name) => [name, plain(limits[name])]),
    ...texts.map((name) => [name, plain(limits[name])]),
  ])
}

const isOf = (list: ReadonlyArray<string>, name: string): boolean => list.includes(name)

const valueOf = (name: string, text: string) => {
  if (text.toLowerCase() === "none") return null
  if (isOf(windows, name)) return parseWindow(text)
  if (isOf(amounts, name)) return text
  if (isOf(durations, name)) return durationText(text)
  return /^\d+$/.test(text) ? Number(text) : "invalid"
}

/** The fields that were changed. The service judges the values that have the grammar of their field. */
export const changesOf = (before: Texts, after: Texts) => {
  const changed = Object.entries(after)
    .map(([name, text]) => [name, text.trim()] as const)
    .filter(([name, text]) => text !== before[name])
  const values = changed
    .filter(([, text]) => text !== "")
    .map(([name, text]) => [name, valueOf(name, text)] as const)
  return {
    limits: Object.fromEntries(values),
    /** The code of the problem of each field that cannot be read. */
    invalid: values
      .filter(([, value]) => value === "invalid")
      .map(([name]) => [name, isOf(windows, name) ? "limit_not_window" : "not_integer"] as const),
    // The host's own values apply to them again.
    resetLimits: changed.filter(([, text]) => text === "").map(([name]) => name),
  }
}
