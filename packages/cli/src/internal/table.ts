/**
 * Tables and records for people: aligned by the width that a terminal shows.
 */
import { displayWidth } from "effect/cli/CliOutput"
import * as DateTime from "effect/DateTime"
import { printable } from "./printable.ts"

/** What a cell shows. `null`: a dash. */
export type Cell = string | number | boolean | Date | null

export interface Column<in A> {
  readonly title: string
  readonly of: (row: A) => Cell
  /** Aligns to the right, as amounts and counts do. @defaultValue `false` */
  readonly isRight?: boolean | undefined
}

/** A time in the zone of the reader, to the second: `2026-11-22 19:09:44 +06:00`. */
export const formatTime = (at: Date, zone: DateTime.TimeZone): string => {
  const zoned = DateTime.makeZonedUnsafe(at, { timeZone: zone })
  const [, day = "", time = "", offset = ""] =
    /^(.*)T([\d:]+)(?:\.\d+)?(.*)$/.exec(DateTime.formatIsoOffset(zoned)) ?? []
  return `${day} ${time} ${offset === "Z" ? "+00:00" : offset}`
}

const show = (cell: Cell, zone: DateTime.TimeZone): string => {
  if (cell === null || cell === "") return "-"
  if (cell instanceof Date) return formatTime(cell, zone)
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  return printable(String(cell))
}

const pad = (text: string, width: number, isRight: boolean): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return isRight ? space + text : text + space
}

/** One line for the titles and one for each row. Columns are two spaces apart. */
export const table = <A>(
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>,
  zone: DateTime.TimeZone,
): string => {
  const lines = [
    columns.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => columns.map(({ of }) => show(of(row), zone))),
  ]
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, displayWidth(line[index] ?? "")), 0),
  )
  return lines
    .map((line) =>
      line
        .map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.isRight === true))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

/** One line for each field: its name and its value. */
export const record = (fields: Readonly<Record<string, Cell>>, zone: DateTime.TimeZone): string => {
  const names = Object.keys(fields)
  const width = names.reduce((widest, name) => Math.max(widest, displayWidth(name)), 0)
  return Object.entries(fields)
    .map(([name, cell]) => `${pad(name, width, false)}  ${show(cell, zone)}`)
    .join("\n")
}
