/** The language of the pages: chosen by the reader, else by the browser. */
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from "react"
import { type Locale, settings } from "../base.ts"
import { readStored, writeStored } from "../stored.ts"
import { chooseZone, chosenZone, type ZoneChoice } from "../zone.ts"
import type { Dictionary, PageTexts } from "./dictionary.ts"
import { english } from "./en/en.ts"
import { type Format, makeFormat } from "./format.ts"

interface I18n {
  readonly locale: Locale
  readonly t: Dictionary
  readonly format: Format
  readonly setLocale: (locale: Locale) => void
  readonly zone: ZoneChoice
  readonly setZone: (zone: ZoneChoice) => void
}

const I18nContext = createContext<I18n | undefined>(undefined)

/** The texts and formats of the reader's language. */
export const useI18n = (): I18n => {
  const value = use(I18nContext)
  if (value === undefined) throw new Error("no language")
  return value
}

const wanted = (): Locale => {
  const stored = readStored("locale")
  const tags = [stored ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2))
  const found = tags.flatMap((tag) => settings.locales.filter((locale) => locale === tag))
  return found[0] ?? settings.locales[0] ?? "en"
}

/**
 * As `useI18n`, with English texts that only some pages load. The dictionary of another language has these texts as
 * well, because it is loaded as a whole.
 */
export const useTexts = <Own extends Partial<PageTexts>>(
  own: Own,
): I18n & { readonly t: Own & Dictionary } => {
  const i18n = useI18n()
  const t = useMemo(() => ({ ...own, ...i18n.t }), [own, i18n.t])
  return { ...i18n, t }
}

/** Bangla is loaded when a reader wants it. */
const load = async (locale: Locale): Promise<Dictionary> =>
  locale === "en" ? english : (await import("./bn/bn.ts")).bangla

export interface Loaded {
  readonly locale: Locale
  readonly t: Dictionary
}

/** The language for the start, loaded before anything is shown. */
export const loadFirst = async (): Promise<Loaded> => {
  const locale = wanted()
  return { locale, t: await load(locale) }
}

interface Props {
  readonly first: Loaded
  readonly children: ReactNode
}

export const I18nProvider = ({ children, first }: Props) => {
  const [{ locale, t }, setLoaded] = useState(first)
  const setLocale = useCallback((next: Locale) => {
    writeStored("locale", next)
    void load(next).then((texts) => setLoaded({ locale: next, t: texts }))
  }, [])
  const [zone, setChosen] = useState<ZoneChoice>(chosenZone)
  const setZone = useCallback((next: ZoneChoice) => {
    chooseZone(next)
    setChosen(next)
  }, [])
  useEffect(() => {
    document.documentElement.lang = locale
  }, [locale])
  const value = useMemo(
    () => ({
      locale,
      t,
      format: makeFormat(locale, { timeZone: zone === "utc" ? "UTC" : undefined }),
      setLocale,
      zone,
      setZone,
    }),
    [locale, t, setLocale, setZone, zone],
  )
  return <I18nContext value={value}>{children}</I18nContext>
}
