/** The options of an answer that browsers save as a file. An organization's id can be part of a file name. */
const file = (contentType: string, filename: string) => ({
  contentType,
  headers: { "content-disposition": `attachment; filename="${filename}"` },
})

export const csv = (organization: string, name: string) =>
  file("text/csv; charset=utf-8", `${organization}-${name}.csv`)

export const jsonLines = (organization: string, name: string) =>
  file("application/x-ndjson", `${organization}-${name}.jsonl`)
