import type { Recipient } from "./recipients.ts"

/** The placeholders of the service: a name in braces. */
const placeholder = /\{([A-Za-z_]\w*)\}/g

/** The text that a recipient gets. A placeholder without a value stays, and the service refuses the row. */
export const textFor = (
  { text, values }: Pick<Recipient, "text" | "values">,
  shared: string,
): string =>
  (text ?? shared).replace(placeholder, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )
