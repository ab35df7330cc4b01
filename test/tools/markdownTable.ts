/**
 * Tables that documents contain between markers.
 */

/** A table as the formatter writes it. The first row is the head. */
export const markdownTable = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")))
  const widths = head.map((_, index) =>
    Math.max(3, ...[head, ...body].map((row) => row[index]?.length ?? 0)),
  )
  const line = (row: ReadonlyArray<string>): string =>
    `| ${widths.map((width, index) => (row[index] ?? "").padEnd(width)).join(" | ")} |`
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`]
    .concat(body.map(line))
    .join("\n")
}

/** The document with this text between the markers of this name. Throws if it has none. */
export const betweenMarkers = (name: string, document: string, text: string): string => {
  const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- ${name}: end -->`]
  const [before, rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`no markers for ${name}`)
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}
