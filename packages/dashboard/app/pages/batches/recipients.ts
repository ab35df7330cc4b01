/** The recipients of a batch in a CSV file, whose first line names the columns. */
import { CsvError, parse } from "csv-parse/browser/esm/sync"
import { typedNumber } from "../../ui/typedNumber.ts"

export interface Recipient {
  readonly phoneNumber: string
  readonly text?: string
  readonly values: Readonly<Record<string, string>>
}

/** A row with another number of cells than the first line. */
export interface Malformed {
  readonly line: number
  readonly phoneNumber: string
  readonly cells: number
  readonly expected: number
}

export interface Recipients {
  readonly recipients: ReadonlyArray<Recipient>
  /** The line of each recipient, from 1. */
  readonly lines: ReadonlyArray<number>
  readonly malformed: ReadonlyArray<Malformed>
}

/** What is wrong with a file as a whole. */
export type FileProblem = "noNumbers" | "repeated" | "noRows" | "unreadable"

const numberColumns = ["phone_number", "to"]

interface Line {
  readonly record: ReadonlyArray<string>
  readonly info: { readonly lines: number }
}

const isLine = (value: unknown): value is Line =>
  typeof value === "object" && value !== null && "record" in value && "info" in value

const linesOf = (text: string): ReadonlyArray<Line> | undefined => {
  const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true }
  try {
    const found: ReadonlyArray<unknown> = parse(text, options)
    return found.filter(isLine)
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

export const readRecipients = (file: string): Recipients | FileProblem => {
  const read = linesOf(file)
  if (read === undefined) return "unreadable"
  const [head, ...rest] = read
  if (head === undefined) return "noRows"
  const names = head.record.map((name) => name.trim())
  const number = names.findIndex((name) => numberColumns.includes(name))
  if (number === -1) return "noNumbers"
  if (new Set(names).size < names.length) return "repeated"
  const own = names.indexOf("text")
  const recipients: Array<Recipient> = []
  const lines: Array<number> = []
  const malformed: Array<Malformed> = []
  for (const { info, record } of rest) {
    const phoneNumber = typedNumber(record[number] ?? "")
    if (record.length !== names.length) {
      const [cells, expected] = [record.length, names.length]
      malformed.push({ line: info.lines, phoneNumber, cells, expected })
      continue
    }
    const text = record[own] ?? ""
    const values = Object.fromEntries(names.map((name, index) => [name, record[index] ?? ""]))
    recipients.push({ phoneNumber, values, ...(text === "" ? {} : { text }) })
    lines.push(info.lines)
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
