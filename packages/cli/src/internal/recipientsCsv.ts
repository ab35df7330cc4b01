/** The recipients of a batch in a CSV file. Its first line names the columns. */
import * as RecipientRows from "@countersign/core/domain/outbox/RecipientRows"
import { textCell } from "@countersign/core/domain/values/Csv"
import { CsvError, parse } from "csv-parse"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { closeSync, createReadStream, openSync, writeSync } from "node:fs"
import { UsageError } from "./failures.ts"

/** Turns an error of the file system into a `UsageError`. Another error stays as it is: it is a bug. */
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

const titlesOf = (cells: ReadonlyArray<string>): RecipientRows.Titles => {
  const read = RecipientRows.readTitles(cells)
  if (!("repeated" in read)) return read
  throw new UsageError({
    message:
      read.repeated === null
        ? `The first line has to name the columns, one of them phone_number. It is: ${cells.join(",").slice(0, 200)}`
        : `The first line names the column ${read.repeated} twice.`,
  })
}

/**
 * Reads a file from its beginning. Rows of another length than the first line are given to `refuse`. Throws a
 * `UsageError` if the file is no CSV or cannot be read.
 */
export async function* readRecipients(
  file: string,
  readNumber: (cell: string) => string,
  lines: WeakMap<object, number>,
  refuse: (row: RefusedRow) => void,
): AsyncGenerator<RecipientRows.Recipient> {
  const parser = parse(RecipientRows.parseOptions)
  const input = createReadStream(file)
  // A pipe does not pass errors on.
  input.on("error", (error) => parser.destroy(error))
  input.pipe(parser)
  let titles: RecipientRows.Titles | undefined
  try {
    for await (const row of parser) {
      if (!RecipientRows.isRow(row)) continue
      if (titles === undefined) {
        titles = titlesOf(row.record)
        continue
      }
      const read = RecipientRows.readRow(titles, row, readNumber)
      if ("expected" in read) {
        const { cells, expected, line, phoneNumber } = read
        const reason = `has ${cells} cells, and the first line has ${expected}`
        refuse({ line, phoneNumber, reason })
        continue
      }
      lines.set(read, row.info.lines)
      yield read
    }
  } catch (error) {
    if (error instanceof CsvError) {
      throw new UsageError({ message: `${file} is no CSV file: ${error.message}.` })
    }
    throw fileProblem(file, error)
  } finally {
    input.destroy()
  }
  if (titles === undefined) throw new UsageError({ message: `${file} is empty.` })
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
