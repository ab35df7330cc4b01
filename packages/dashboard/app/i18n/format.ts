/** Numbers, money and times as the reader writes them. */
import type { Locale } from "../base.ts"
import { fill } from "./dictionary.ts"

export interface Format {
  readonly number: (value: number) => string
  /** A share of 1. */
  readonly percent: (value: number) => string
  /** A decimal, exact. Other text stays as it is. */
  readonly decimal: (text: string) => string
  /** A decimal with the symbol of its currency. */
  readonly money: (amount: string, currency: string) => string
  /** A change with its sign. Where the title of a column names the currency, the cells have none. */
  readonly change: (amount: string, currency?: string) => string
  /** A share of cases. Few cases are counted, because their share says little. */
  readonly share: (part: number, of: number) => string
  /** The difference of two shares of 1, in points with a sign. */
  readonly points: (difference: number) => string
  /** The time of today, with seconds; day and time of this year; else with the year. */
  readonly time: (iso: string) => string
  /** As `time`, without seconds. */
  readonly minutes: (iso: string) => string
  /** Day and time with seconds. */
  readonly exact: (iso: string) => string
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

/** Of fewer cases, a share says little. */
const fewCases = 20

const few: Readonly<Record<Locale, string>> = { en: "{part} of {of}", bn: "{of}টির মধ্যে {part}টি" }

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

interface FormatOptions {
  /** The zone of times. @defaultValue the zone of the browser */
  readonly timeZone?: string | undefined
  /** Epoch milliseconds. */
  readonly now?: () => number
}

export const makeFormat = (
  locale: Locale,
  { now = Date.now, timeZone }: FormatOptions = {},
): Format => {
  const tag = tagOf(locale)
  const numbers = new Intl.NumberFormat(tag)
  const tenths = new Intl.NumberFormat(tag, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "negative",
  })
  const percents = new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 })
  // The short names of months are unusual in Bangla.
  const month = locale === "bn" ? "long" : "short"
  const zone = timeZone === undefined ? {} : { timeZone }
  const dayOfYear = { ...zone, month, day: "numeric" } as const
  const day = { ...dayOfYear, year: "numeric" } as const
  const clockMinutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
  const clock = { ...clockMinutes, second: "2-digit" } as const
  const exactly = new Intl.DateTimeFormat(tag, { ...day, ...clock })
  const ofToday = new Intl.DateTimeFormat(tag, { ...zone, ...clock })
  const ofYear = new Intl.DateTimeFormat(tag, { ...dayOfYear, ...clockMinutes })
  const toMinutes = new Intl.DateTimeFormat(tag, { ...day, ...clockMinutes })
  const zoned = new Intl.DateTimeFormat(tag, { ...day, ...clock, timeZoneName: "long" })
  const days = new Intl.DateTimeFormat(tag, dayOfYear)
  const localDays = new Intl.DateTimeFormat(tag, { year: "numeric", month, day: "numeric" })
  const wholeDays = new Intl.DateTimeFormat(tag, day)
  const years = new Intl.DateTimeFormat(tag, { ...zone, year: "numeric" })
  const hours = new Intl.DateTimeFormat(tag, { ...zone, ...clockMinutes })
  const zones = new Intl.DateTimeFormat(tag, { ...zone, timeZoneName: "short" })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" })
  const lists = new Intl.ListFormat(tag)
  const rules = new Intl.PluralRules(tag)
  const decimal = (text: string): string => {
    if (!isDecimal(text)) return text
    const minimumFractionDigits = fractionOf(text)
    const options = { minimumFractionDigits, maximumFractionDigits: minimumFractionDigits }
    return new Intl.NumberFormat(tag, options).format(text)
  }
  const money = (amount: string, currency: string): string => {
    if (!isDecimal(amount)) return amount
    const minimumFractionDigits = fractionOf(amount)
    return new Intl.NumberFormat(tag, {
      style: "currency",
      currency,
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits,
      maximumFractionDigits: minimumFractionDigits,
    })
      .format(amount)
      .replace("-", "−")
  }
  const signed = (isPositive: boolean, text: string): string =>
    `${isPositive ? "+" : ""}${text.replace("-", "−")}`
  /** Of today by `today`, else of this year or with the year. */
  const timeBy = (today: Intl.DateTimeFormat, iso: string): string => {
    const at = new Date(iso)
    if (wholeDays.format(at) === wholeDays.format(now())) return today.format(at)
    return (years.format(at) === years.format(now()) ? ofYear : toMinutes).format(at)
  }
  return {
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value),
    decimal,
    money,
    change: (amount, currency) =>
      signed(
        /[1-9]/.test(amount) && !amount.startsWith("-"),
        currency === undefined ? decimal(amount) : money(amount, currency),
      ),
    share: (part, of) => {
      if (of === 0) return "—"
      if (of >= fewCases) return percents.format(part / of)
      const values = { part: numbers.format(part), of: numbers.format(of) }
      return fill(few[locale], values)
    },
    points: (difference) => {
      const text = tenths.format(100 * difference)
      return signed(difference > 0 && text !== tenths.format(0), text)
    },
    time: (iso) => timeBy(ofToday, iso),
    minutes: (iso) => timeBy(hours, iso),
    exact: (iso) => exactly.format(new Date(iso)),
    fullTime: (iso) => `${zoned.format(new Date(iso))} · ${iso}`,
    day: (local) => {
      const date = new Date(`${local}T00:00`)
      return Number.isNaN(date.getTime()) ? "" : localDays.format(date)
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
