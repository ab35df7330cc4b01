import type { english } from "./en/en.ts"

/** The texts of the pages. English defines which there are. */
export type Dictionary = typeof english

/** Puts values where `{name}` is. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
