/**
 * HTML as a tagged template, which escapes every value that is not HTML itself.
 */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | ReadonlyArray<Html> | string | number | false | undefined

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (value: Value): string => {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(escaped).join("")
  if (value === undefined || value === false) return ""
  return String(value).replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter)
}

/** `undefined` and `false` become nothing. Quote every attribute. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(String.raw({ raw: strings }, ...values.map(escaped)))
