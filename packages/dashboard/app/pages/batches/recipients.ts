/** The recipients of a batch in a CSV file, whose first line names the columns. */
import * as RecipientRows from "@countersign/core/domain/outbox/RecipientRows"
import { CsvError, parse } from "csv-parse/browser/esm/sync"
import { typedNumber } from "../../ui/typedNumber.ts"

export type Recipient = RecipientRows.Recipient

export interface Recipients {
  readonly recipients: ReadonlyArray<Recipient>
  /** The line of each recipient, from 1. */
  readonly lines: ReadonlyArray<number>
  readonly malformed: ReadonlyArray<RecipientRows.Malformed>
}

/** A problem of a file as a whole. */
export type FileProblem = "noNumbers" | "repeated" | "noRows" | "unreadable"

const rowsOf = (text: string): ReadonlyArray<RecipientRows.Row> | undefined => {
  try {
    const found: ReadonlyArray<unknown> = parse(text, RecipientRows.parseOptions)
    return found.filter(RecipientRows.isRow)
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

export const readRecipients = (file: string): Recipients | FileProblem => {
  const read = rowsOf(file)
  if (read === undefined) return "unreadable"
  const [head, ...rest] = read
  if (head === undefined) return "noRows"
  const titles = RecipientRows.readTitles(head.record)
  if ("repeated" in titles) return titles.repeated === null ? "noNumbers" : "repeated"
  const recipients: Array<Recipient> = []
  const lines: Array<number> = []
  const malformed: Array<RecipientRows.Malformed> = []
  for (const row of rest) {
    const one = RecipientRows.readRow(titles, row, typedNumber)
    if ("expected" in one) {
      malformed.push(one)
      continue
    }
    recipients.push(one)
    lines.push(row.info.lines)
  }
  return recipients.length === 0 ? "noRows" : { recipients, lines, malformed }
}

/** The recipients as the service takes them: with the values that a text has. */
export const sendable = (
  { recipients }: Recipients,
  shared: string,
): ReadonlyArray<Partial<Recipient>> =>
  recipients.map(({ phoneNumber, text, values }) => {
    const used = Object.entries(values).filter(([name]) => (text ?? shared).includes(`{${name}}`))
    return {
      phoneNumber,
      ...(text === undefined ? {} : { text }),
      ...(used.length === 0 ? {} : { values: Object.fromEntries(used) }),
    }
  })
