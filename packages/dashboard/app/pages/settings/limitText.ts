/** The text of a limit's value. */
import type { Locale } from "../../base.ts"
import type { Dictionary } from "../../i18n/dictionary.ts"
import type { settingsPage } from "../../i18n/en/settings.ts"
import { fill } from "../../i18n/dictionary.ts"
import type { Format } from "../../i18n/format.ts"
import { windowWords } from "../../i18n/limitWords.ts"
import type { LimitKind, LimitName, Limits } from "./limitDraft.ts"

interface Words {
  readonly format: Format
  readonly locale: Locale
  readonly t: Dictionary & typeof settingsPage
  readonly currency: string
}

const partsOf = (value: object, show: (part: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name, show(String(one))]))

export const limitText = (
  kind: LimitKind,
  value: Limits[LimitName],
  { currency, format, locale, t }: Words,
): string => {
  if (value === undefined || value === null) return t.settingsPage.noLimit
  const number = (text: string) => format.number(Number(text))
  if (typeof value === "number") return format.number(value)
  if (typeof value === "string")
    return kind === "money" ? format.money(value, currency) : format.duration(value)
  if (kind === "window") {
    const all: ReadonlyArray<object> = Array.isArray(value) ? value : [value]
    return all
      .map((one) => {
        const { max = "", per = "" } = partsOf(one, (part) => part)
        return windowWords(locale === "en" ? number(max) : max, per, locale)
      })
      .join("; ")
  }
  const parts = partsOf(value, kind === "durationRange" ? format.duration : number)
  return fill(kind === "cap" ? t.settingsPage.cap : t.settingsPage.range, parts)
}
