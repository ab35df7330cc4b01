/** Cells of CSV (RFC 4180). */

/** Begins a formula in a spreadsheet. */
const formula = /^[=+\-@\t\r]/

/** A text as a cell, which no spreadsheet evaluates. */
export const textCell = (text: string | null): string => {
  if (text === null) return ""
  return `"${formula.test(text) ? "'" : ""}${text.replaceAll('"', '""')}"`
}
