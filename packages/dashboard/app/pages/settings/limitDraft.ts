/** A limit while it is edited: texts in the fields of its kind, and the value that they mean. */
import type { Organization } from "../../api/types.ts"
import type { limitFields } from "../../generated/limitFields.ts"
import { latinDigits } from "../../i18n/limitWords.ts"

export type Limits = Organization["limits"]
export type LimitName = keyof typeof limitFields
export type LimitKind = (typeof limitFields)[LimitName]["kind"]

export const units = ["second", "minute", "hour", "day"] as const

export type Unit = (typeof units)[number]

/** A number and its unit as they are typed. */
export interface Length {
  readonly count: string
  readonly unit: Unit
}

export interface Draft {
  /** Whether there is no limit. The fields keep what was typed. */
  readonly isNone: boolean
  /** Of a number of events in a time; at most four. */
  readonly windows: ReadonlyArray<{ readonly max: string; readonly per: Length }>
  /** The fields of the other kinds, by their names. */
  readonly numbers: Readonly<Record<string, string>>
  readonly lengths: Readonly<Record<string, Length>>
}

/** Windows that one limit may have. */
export const maxWindows = 4

export const emptyWindow: Draft["windows"][number] = {
  max: "",
  per: { count: "1", unit: "minute" },
}

/** A duration of the service, such as `90 seconds`. */
const lengthOf = (text: string): Length => {
  const [, count = "", name] = /^([\d.]+) (\w+?)s?$/.exec(text) ?? []
  const unit = units.find((one) => one === name)
  // Whole milliseconds, which no field has, are a part of a second.
  return unit === undefined
    ? { count: String(Number(count) / 1_000), unit: "second" }
    : { count, unit }
}

const fieldsOf = (value: object): readonly [string, unknown][] => Object.entries(value)

const nothing: Draft = { isNone: false, windows: [emptyWindow], numbers: {}, lengths: {} }

/** The fields for a limit. `value`: the limit in force; `null`: none. */
export const draftOf = (kind: LimitKind, value: Limits[LimitName]): Draft => {
  if (value === undefined || value === null) return { ...nothing, isNone: true }
  if (kind === "duration") return { ...nothing, lengths: { value: lengthOf(String(value)) } }
  if (typeof value !== "object") return { ...nothing, numbers: { value: String(value) } }
  if (kind === "window") {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    const windows = all.flatMap((one) => {
      const fields = new Map(fieldsOf(Object(one)))
      return [{ max: String(fields.get("max")), per: lengthOf(String(fields.get("per"))) }]
    })
    return { ...nothing, windows }
  }
  const fields = fieldsOf(value)
  return kind === "durationRange"
    ? {
        ...nothing,
        lengths: Object.fromEntries(fields.map(([name, one]) => [name, lengthOf(String(one))])),
      }
    : { ...nothing, numbers: Object.fromEntries(fields.map(([name, one]) => [name, String(one)])) }
}

/** A field that is no number. */
export const notNumber = "not a number"

const wholeOf = (text: string): number | typeof notNumber => {
  const latin = latinDigits(text).trim()
  return /^\d+$/.test(latin) ? Number(latin) : notNumber
}

const durationOf = ({ count, unit }: Length): string => {
  const latin = latinDigits(count).trim()
  return /^\d+(\.\d+)?$/.test(latin) ? `${latin} ${unit}${latin === "1" ? "" : "s"}` : notNumber
}

/** The value for the service, which judges the bounds. `notNumber`: a field is not a number. */
export const valueOf = (kind: LimitKind, { isNone, lengths, numbers, windows }: Draft): unknown => {
  if (isNone) return null
  const checked = (value: object): unknown =>
    Object.values(value).includes(notNumber) ? notNumber : value
  switch (kind) {
    case "window": {
      const all = windows.map(({ max, per }) =>
        checked({ max: wholeOf(max), per: durationOf(per) }),
      )
      return all.includes(notNumber) ? notNumber : all.length === 1 ? all[0] : all
    }
    case "count":
      return wholeOf(numbers["value"] ?? "")
    case "money":
      return latinDigits(numbers["value"] ?? "").trim()
    case "duration":
      return durationOf(lengths["value"] ?? emptyWindow.per)
    case "durationRange":
      return checked(
        Object.fromEntries(Object.entries(lengths).map(([name, one]) => [name, durationOf(one)])),
      )
    case "range":
    case "cap":
      return checked(
        Object.fromEntries(Object.entries(numbers).map(([name, one]) => [name, wholeOf(one)])),
      )
  }
}
