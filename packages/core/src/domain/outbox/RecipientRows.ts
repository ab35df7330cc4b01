/** The rows of a CSV file of recipients. Its first row has the titles of the columns. */

/** How `csv-parse` reads such a file. */
export const parseOptions = {
  bom: true,
  info: true,
  relax_column_count: true,
  skip_empty_lines: true,
}

/** A row as `csv-parse` gives it. `lines`: the line of the file in which it ends, from 1. */
export interface Row {
  readonly record: ReadonlyArray<string>
  readonly info: { readonly lines: number }
}

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && "record" in value && "info" in value

export interface Titles {
  readonly names: ReadonlyArray<string>
  /** The column of the phone numbers. */
  readonly number: number
  /** The column of the texts; -1 if the file has no such column. */
  readonly text: number
}

export interface TitleProblem {
  /** The title that two columns have; `null`: no column has the phone numbers. */
  readonly repeated: string | null
}

const numberTitles = ["phone_number", "to"]

export const readTitles = (cells: ReadonlyArray<string>): Titles | TitleProblem => {
  const names = cells.map((cell) => cell.trim())
  const number = names.findIndex((name) => numberTitles.includes(name))
  if (number === -1) return { repeated: null }
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined ? { names, number, text: names.indexOf("text") } : { repeated }
}

export interface Recipient {
  readonly phoneNumber: string
  readonly text?: string
  readonly values: Readonly<Record<string, string>>
}

/** A row with another number of cells than the first one. */
export interface Malformed {
  readonly line: number
  readonly phoneNumber: string
  readonly cells: number
  readonly expected: number
}

/** `readNumber`: reads a phone number as people type it. A recipient with an empty text gets the text of the batch. */
export const readRow = (
  { names, number, text }: Titles,
  { info, record }: Row,
  readNumber: (cell: string) => string,
): Recipient | Malformed => {
  const phoneNumber = readNumber((record[number] ?? "").trim())
  const [cells, expected] = [record.length, names.length]
  if (cells !== expected) return { line: info.lines, phoneNumber, cells, expected }
  const own = record[text] ?? ""
  const values = Object.fromEntries(names.map((name, index) => [name, record[index] ?? ""]))
  return { phoneNumber, values, ...(own !== "" && { text: own }) }
}
