/**
 * The flags and the pages of both searches.
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { print } from "./output.ts"
import { phoneNumberFlag } from "./phoneNumbers.ts"
import { type Column, table } from "./table.ts"
import { time } from "./times.ts"

/** An optional flag; `undefined` if it is not given. */
export const optionally = <A>(flag: Flag.Flag<A>) =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined)

export const text = (name: string, description: string) =>
  optionally(Flag.String(name).pipe(Flag.withDescription(description)))

/** A flag with a whole number from `min` to `max`. */
export const integer = (name: string, description: string, min: number, max: number) => {
  const range = `${min} to ${max.toLocaleString("en")}`
  return Flag.Int(name).pipe(
    Flag.withDescription(`${description}, ${range}`),
    Flag.filter(
      (value) => value >= min && value <= max,
      () => `Expected ${range}`,
    ),
  )
}

/** The flag with the length of a page. */
export const limit = (description: string, max: number, standard: number) =>
  Flag.withDefault(integer("limit", description, 1, max), standard)

/** The bounds of a search. */
export const times = {
  from: optionally(time("from", "Start of the period, inclusive")),
  to: optionally(time("to", "End of the period, inclusive")),
}

export const search = {
  phoneNumber: optionally(
    phoneNumberFlag("phone-number", "The recipient: +8801712345678, or 01712345678"),
  ),
  ...times,
  cursor: text("cursor", "The end of the previous page"),
  limit: limit("Rows in the page", 200, 50),
}

/**
 * Prints a page, and how the next one is read. A page may be empty although there is a next one. `flag`: what takes
 * `next`. `note`: a line below the page.
 */
export const printPage = <A>(
  value: { readonly next: string | number | null },
  rows: ReadonlyArray<A>,
  columns: ReadonlyArray<Column<A>>,
  empty: string,
  flag = "cursor",
  note = "",
) =>
  print(value, (zone) => {
    const { next } = value
    const page = `${rows.length === 0 ? empty : table(columns, rows, zone)}${note}`
    return next === null ? page : `${page}\nThere may be more: --${flag} ${next}`
  })
