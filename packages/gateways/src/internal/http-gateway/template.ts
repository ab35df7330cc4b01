/** Templates: text with placeholders. */
/** Returns the value of a placeholder, not encoded yet. */
export type Fill = (name: string) => string

const placeholder = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The names of the placeholders. */
export const namesIn = (template: string): ReadonlyArray<string> =>
  [...template.matchAll(placeholder)].flatMap(([, name]) => (name === undefined ? [] : [name]))

/** Whether the text contains an unmatched brace. */
export const isTorn = (template: string): boolean => /[{}]/.test(template.replace(placeholder, ""))

/** Fills a template. Filled-in values are not searched for placeholders. */
export const render = (template: string, fill: Fill, encode: (value: string) => string = plain) =>
  template.replace(placeholder, (found, name: string | undefined) =>
    name === undefined ? found.slice(1) : encode(fill(name)),
  )

/** No encoding: the context encodes the value. */
export const plain = (value: string): string => value

/** Encoding for the path and the query of a URL. */
export const url = (value: string): string => encodeURIComponent(value.toWellFormed())

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}

const letters = new Map(Object.entries(entities).map(([letter, entity]) => [entity, letter]))

// oxlint-disable-next-line no-control-regex -- XML has no way to write these, not even as entities
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Encoding for XML text and attributes. */
export const xml = (value: string): string =>
  value
    .toWellFormed()
    .replace(notXml, " ")
    .replace(/[&<>"']/g, (letter) => entities[letter] ?? letter)

/** Decodes the five predefined entities of XML, and character references. */
export const fromXml = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (found, decimal, hex, name) => {
      if (typeof name === "string") return letters.get(found.toLowerCase()) ?? found
      const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : found
    },
  )

/** Applies a function to every string in a JSON value. Keys stay unchanged. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]),
  )
}

/** Every string in a JSON value, except keys. */
export const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}
