/**
 * Tables and records for people: aligned by the width that a terminal shows.
 */
import { displayWidth } from "effect/cli/CliOutput"
import * as DateTime from "effect/DateTime"
import { printable } from "./printable.ts"

/** What a cell shows. `null`: a dash. */
export type Cell = string | number | boolean | Date | null

/** A column: a member of the rows under its own name, or what a function returns. */
export type Column<A> =
  | ({ readonly [K in keyof A]: A[K] extends Cell ? K : never }[keyof A] & string)
  | { readonly title: string; readonly of: (row: A) => Cell }

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

const pad = (text: string, width: number, isRight: boolean): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return isRight ? space + text : text + space
}

const widthOf = (texts: ReadonlyArray<string>): number =>
  texts.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0)

/** Amounts and counts, which are aligned to the right. */
const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$|^-$/.test(text)

/** One line for the titles and one for each row. Columns are two spaces apart. */
export const table = <A>(
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>,
  zone: DateTime.TimeZone,
): string => {
  const texts = columns.map((column) => {
    const title = typeof column === "string" ? column : column.title
    const cells = rows.map((row) =>
      show(typeof column === "string" ? row[column] : column.of(row), zone),
    )
    const width = widthOf([title, ...cells])
    const isRight = cells.some((cell) => cell !== "-") && cells.every(isNumber)
    return [title.toUpperCase(), ...cells].map((text) => pad(text, width, isRight))
  })
  return ["", ...rows]
    .map((_, line) =>
      texts
        .map((column) => column[line] ?? "")
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

/** One line for each field: its name and its value. */
export const record = (fields: Readonly<Record<string, Cell>>, zone: DateTime.TimeZone): string => {
  const width = widthOf(Object.keys(fields))
  return Object.entries(fields)
    .map(([name, cell]) => `${pad(name, width, false)}  ${show(cell, zone)}`)
    .join("\n")
}
