/**
 * Prints results: tables and sentences for people, or one JSON value.
 */
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { jsonOf } from "./printable.ts"
import { Json } from "./settings.ts"
import { type Cell, type Column, record, table } from "./table.ts"

/** Prints a value: as JSON with `--json`, otherwise as the text that `text` makes. */
export const print = Effect.fnUntraced(function* (
  value: unknown,
  text: (zone: DateTime.TimeZone) => string,
) {
  const isJson = yield* Json
  const zone = yield* DateTime.CurrentTimeZone
  yield* Console.log(isJson ? jsonOf(value, 2) : text(zone))
})

/** Prints a list as a table. `empty` is the sentence of a list without rows. */
export const printTable = <A>(
  rows: ReadonlyArray<A>,
  columns: ReadonlyArray<Column<A>>,
  { empty, value = rows }: { readonly empty: string; readonly value?: unknown },
) => print(value, (zone) => (rows.length === 0 ? empty : table(columns, rows, zone)))

/** Prints one thing as a list of its fields. */
export const printRecord = (value: unknown, fields: Readonly<Record<string, Cell>>) =>
  print(value, (zone) => record(fields, zone))

/** Prints a sentence, or with `--json` the value that it tells of. */
export const printDone = (value: unknown, sentence: string) => print(value, () => sentence)

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
