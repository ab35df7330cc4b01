import type { english } from "./en/en.ts"
import type { pageTexts } from "./en/pages.ts"

/** The texts that are loaded at the start. English defines which there are. */
export type Dictionary = typeof english

/** The texts that are loaded with their pages. */
export type PageTexts = typeof pageTexts

/** Puts values where `{name}` is. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
