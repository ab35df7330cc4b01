/** Numbers, money and times as the reader writes them. */
import type { Locale } from "../base.ts"

export interface Format {
  readonly number: (value: number) => string
  /** A share of 1. */
  readonly percent: (value: number) => string
  /** A decimal, exact. Other text stays as it is. */
  readonly decimal: (text: string) => string
  /** A decimal and its currency. */
  readonly money: (amount: string, currency: string) => string
  /** A change with its sign, and its currency. */
  readonly change: (amount: string, currency: string) => string
  /** Day and time in the reader's zone. */
  readonly time: (iso: string) => string
  /** As `time`, without seconds. */
  readonly minutes: (iso: string) => string
  /** The time with its zone, for the title of a time. */
  readonly fullTime: (iso: string) => string
  /** A day such as `2026-11-24`, without a zone. Empty for other text. */
  readonly day: (local: string) => string
  /** Day and month, or the time of the day in a chart of hours. */
  readonly tick: (millis: number, hours: boolean) => string
  /** The name of the reader's zone, such as `GMT+6`. */
  readonly zone: string
  /** How long ago, or in how long. */
  readonly relative: (iso: string) => string
  /** A duration such as `90 days`. Other text stays as it is. */
  readonly duration: (text: string) => string
  readonly list: (items: ReadonlyArray<string>) => string
  /** Picks a form, and puts the number where `#` is. */
  readonly plural: (
    count: number,
    forms: { readonly one: string; readonly other: string },
  ) => string
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

const relativeTo = (format: Intl.RelativeTimeFormat, iso: string): string => {
  const seconds = Math.round((Date.parse(iso) - Date.now()) / 1_000)
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit)
  return format.format(seconds, "second")
}

const tagOf = (locale: Locale): string => {
  if (locale === "bn") return "bn-BD"
  return navigator.languages.find((tag) => tag.startsWith("en-")) ?? "en-GB"
}

/** The digits of a decimal after its point: an amount shows all that it has, at least two. */
const fractionOf = (decimal: string): number =>
  Math.min(20, Math.max(2, (decimal.split(".")[1] ?? "").length))

/** Writes the number and the unit of a duration. */
const durationIn = (tag: string, text: string): string => {
  const [, count, unit] = /^([\d.]+) (millisecond|second|minute|hour|day)s?$/.exec(text) ?? []
  if (unit === undefined) return text
  return new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay: "long" }).format(
    Number(count),
  )
}

const isDecimal = (text: string): text is `${number}` => /^-?\d+(\.\d+)?$/.test(text)

export const makeFormat = (locale: Locale): Format => {
  const tag = tagOf(locale)
  const numbers = new Intl.NumberFormat(tag)
  const percents = new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 })
  // The short names of months are unusual in Bangla.
  const month = locale === "bn" ? "long" : "short"
  const day = { year: "numeric", month, day: "numeric" } as const
  const clockMinutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
  const clock = { ...clockMinutes, second: "2-digit" } as const
  const times = new Intl.DateTimeFormat(tag, { ...day, ...clock })
  const toMinutes = new Intl.DateTimeFormat(tag, { ...day, ...clockMinutes })
  const zoned = new Intl.DateTimeFormat(tag, { ...day, ...clock, timeZoneName: "long" })
  const days = new Intl.DateTimeFormat(tag, { month, day: "numeric" })
  const wholeDays = new Intl.DateTimeFormat(tag, day)
  const hours = new Intl.DateTimeFormat(tag, clockMinutes)
  const zones = new Intl.DateTimeFormat(tag, { timeZoneName: "short" })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" })
  const lists = new Intl.ListFormat(tag)
  const rules = new Intl.PluralRules(tag)
  const decimal = (text: string): string => {
    if (!isDecimal(text)) return text
    const minimumFractionDigits = fractionOf(text)
    const options = { minimumFractionDigits, maximumFractionDigits: minimumFractionDigits }
    return new Intl.NumberFormat(tag, options).format(text)
  }
  return {
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value),
    decimal,
    money: (amount, currency) => `${decimal(amount)} ${currency}`,
    change: (amount, currency) =>
      `${/[1-9]/.test(amount) && !amount.startsWith("-") ? "+" : ""}${decimal(amount).replace("-", "−")} ${currency}`,
    time: (iso) => times.format(new Date(iso)),
    minutes: (iso) => toMinutes.format(new Date(iso)),
    fullTime: (iso) => `${zoned.format(new Date(iso))} · ${iso}`,
    day: (local) => {
      const date = new Date(`${local}T00:00`)
      return Number.isNaN(date.getTime()) ? "" : wholeDays.format(date)
    },
    tick: (millis, isHour) => (isHour ? hours : days).format(millis),
    zone: zones.formatToParts(0).find(({ type }) => type === "timeZoneName")?.value ?? "",
    relative: (iso) => relativeTo(relative, iso),
    duration: (text) => durationIn(tag, text),
    list: (items) => lists.format(items),
    plural: (count, forms) =>
      forms[rules.select(count) === "one" ? "one" : "other"].replace("#", numbers.format(count)),
  }
}
