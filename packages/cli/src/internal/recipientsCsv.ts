/** The recipients of a batch in a CSV file. Its first line names the columns. */
import { textCell } from "@countersign/core/domain/values/Csv"
import { CsvError, parse } from "csv-parse"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { closeSync, createReadStream, openSync, writeSync } from "node:fs"
import { UsageError } from "./failures.ts"

export interface CsvRecipient {
  readonly phoneNumber: string
  readonly text?: string
  readonly values: Readonly<Record<string, string>>
}

/** What is wrong with a file. Another error stays as it is: it is a bug. */
const fileProblem = (file: string, error: unknown): unknown =>
  error instanceof Error && "syscall" in error
    ? new UsageError({ message: `${file}: ${error.message}` })
    : error

/** A row that gets no message, and why. `line`: of the file, from 1. */
export interface RefusedRow {
  readonly line: number
  readonly phoneNumber: string
  readonly reason: string
}

const numberColumns = ["phone_number", "to"]

const headOf = (cells: ReadonlyArray<string>) => {
  const names = cells.map((cell) => cell.trim())
  const number = names.findIndex((name) => numberColumns.includes(name))
  if (number === -1) {
    throw new UsageError({
      message: `The first line has to name the columns, one of them phone_number. It is: ${names.join(",").slice(0, 200)}`,
    })
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) {
    throw new UsageError({ message: `The first line names the column ${repeated} twice.` })
  }
  return { names, number, text: names.indexOf("text") }
}

interface Cells {
  readonly record: ReadonlyArray<string>
  readonly info: { readonly lines: number }
}

const isCells = (value: unknown): value is Cells =>
  typeof value === "object" && value !== null && "record" in value && "info" in value

/**
 * Reads a file from its beginning. Rows of another length than the first line are given to `refuse`. Throws a
 * `UsageError` if the file is no CSV or cannot be read.
 */
export async function* readRecipients(
  file: string,
  readNumber: (cell: string) => string,
  lines: WeakMap<object, number>,
  refuse: (row: RefusedRow) => void,
): AsyncGenerator<CsvRecipient> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true })
  const input = createReadStream(file)
  // A pipe does not pass errors on.
  input.on("error", (error) => parser.destroy(error))
  input.pipe(parser)
  let head: ReturnType<typeof headOf> | undefined
  try {
    for await (const row of parser) {
      if (!isCells(row)) continue
      const { record: cells, info } = row
      if (head === undefined) {
        head = headOf(cells)
        continue
      }
      const { names, number, text } = head
      const phoneNumber = readNumber(cells[number]?.trim() ?? "")
      if (cells.length !== names.length) {
        const reason = `has ${cells.length} cells, and the first line has ${names.length}`
        refuse({ line: info.lines, phoneNumber, reason })
        continue
      }
      const values = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]))
      const own = text === -1 ? undefined : cells[text]
      const recipient = { phoneNumber, values, ...(own && { text: own }) }
      lines.set(recipient, info.lines)
      yield recipient
    }
  } catch (error) {
    if (error instanceof CsvError) {
      throw new UsageError({ message: `${file} is no CSV file: ${error.message}.` })
    }
    throw fileProblem(file, error)
  } finally {
    input.destroy()
  }
  if (head === undefined) throw new UsageError({ message: `${file} is empty.` })
}

const refusedHead = "line,phone_number,reason\n"

const refusedLine = ({ line, phoneNumber, reason }: RefusedRow): string =>
  `${line},${textCell(phoneNumber)},${textCell(reason)}\n`

/** Writes refused rows to a file, which replaces an earlier one. Dies with a `UsageError` if the file cannot be written. */
export const refusedFile = (
  file: string,
): Effect.Effect<(row: RefusedRow) => void, never, Scope.Scope> => {
  const writing = <A>(work: () => A): A => {
    try {
      return work()
    } catch (error) {
      throw fileProblem(file, error)
    }
  }
  const opened = Effect.sync(() =>
    writing(() => {
      const descriptor = openSync(file, "w")
      writeSync(descriptor, refusedHead)
      return descriptor
    }),
  )
  const close = (descriptor: number) => Effect.sync(() => closeSync(descriptor))
  return Effect.map(
    Effect.acquireRelease(opened, close),
    (descriptor) => (row) => void writing(() => writeSync(descriptor, refusedLine(row))),
  )
}
