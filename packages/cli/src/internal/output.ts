/** Prints results: tables, records and sentences for people, or one JSON value. */
import { displayWidth } from "effect/cli/CliOutput"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { jsonOf, printable } from "./printable.ts"
import { Json } from "./settings.ts"

/** The value of a cell. `null`: a dash. */
type Cell = string | number | boolean | Date | null

type CellName<A> = { readonly [K in keyof A]: A[K] extends Cell ? K : never }[keyof A] & string

type Titled<A> = readonly [title: string, of: CellName<A> | ((row: A) => Cell)]

/** A column of a table or a line of a record: a member, or a title with a member or what a function returns. */
export type Column<A> = CellName<A> | Titled<A>

/** The title of a member: `isDefault` is `default`, `createdAt` is `created`, `requestId` is `request`. */
const titleOf = (name: string): string =>
  name
    .replaceAll(/^(?:is|has)(?=[A-Z])|(?:At|Id)$/g, "")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()

/** The title of a column, and the texts of its cells. */
const textsOf = <A>(column: Column<A>, rows: ReadonlyArray<A>, zone: DateTime.TimeZone) => {
  const [title, of]: Titled<A> = typeof column === "string" ? [titleOf(column), column] : column
  return [title, ...rows.map((row) => show(typeof of === "string" ? row[of] : of(row), zone))]
}

/** A time in the zone of the reader, to the second: `2026-11-22 19:09:44 +06:00`. */
export const formatTime = (at: Date, zone: DateTime.TimeZone): string => {
  const zoned = DateTime.makeZonedUnsafe(at, { timeZone: zone })
  const [, day = "", time = "", offset = ""] =
    /^(.*)T([\d:]+)(?:\.\d+)?(.*)$/.exec(DateTime.formatIsoOffset(zoned)) ?? []
  return `${day} ${time} ${offset === "Z" ? "+00:00" : offset}`
}

const show = (cell: unknown, zone: DateTime.TimeZone): string => {
  if (cell === null || cell === "") return "-"
  if (cell instanceof Date) return formatTime(cell, zone)
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  return printable(String(cell))
}

/** Pads texts to the width of the widest. */
const aligned = (texts: ReadonlyArray<string>, isRight = false): ReadonlyArray<string> => {
  const width = Math.max(0, ...texts.map(displayWidth))
  return texts.map((text) => {
    const space = " ".repeat(width - displayWidth(text))
    return isRight ? space + text : text + space
  })
}

/** Amounts and counts, which are aligned to the right. */
const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$|^-$/.test(text)

/** One line for the titles and one for each row. Columns are two spaces apart. */
export const table = <A>(
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>,
  zone: DateTime.TimeZone,
): string => {
  const texts = columns.map((column) => {
    const [title = "", ...cells] = textsOf(column, rows, zone)
    const isRight = cells.some((cell) => cell !== "-") && cells.every(isNumber)
    return aligned([title.toUpperCase(), ...cells], isRight)
  })
  const lines = ["", ...rows].map((_, line) => texts.map((column) => column[line] ?? "").join("  "))
  return lines.map((line) => line.trimEnd()).join("\n")
}

/** One line for each column: its title and its cell. */
export const record = <A>(
  columns: ReadonlyArray<Column<A>>,
  row: A,
  zone: DateTime.TimeZone,
): string => {
  const lines = columns.map((column) => textsOf(column, [row], zone))
  const titles = aligned(lines.map(([title = ""]) => title.replace(/^./, (c) => c.toUpperCase())))
  return lines.map(([, cell], line) => `${titles[line]}  ${cell}`).join("\n")
}

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
  empty: string,
  value: unknown = rows,
) => print(value, (zone) => (rows.length === 0 ? empty : table(columns, rows, zone)))

/** Prints one thing as a list of its members, and a sentence below it. */
export const printRecord = <A>(value: A, columns: ReadonlyArray<Column<A>>, sentence?: string) =>
  print(value, (zone) =>
    [record(columns, value, zone), ...(sentence === undefined ? [] : [sentence])].join("\n"),
  )

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
  { flag = "cursor", note = "" } = {},
) =>
  print(value, (zone) => {
    const { next } = value
    const page = `${rows.length === 0 ? empty : table(columns, rows, zone)}${note}`
    return next === null ? page : `${page}\nThere may be more: --${flag} ${next}`
  })
