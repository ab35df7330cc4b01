/** The invariants of the event log and the audit: sequences without gaps, in the order of time. */
interface Row {
  readonly sequence: number
  readonly at: number
}

interface Places {
  readonly first: number
  readonly last: number
  readonly lastAt: number
}

/** `name`: the invariant and the kind of row, as in `I35: event`. */
export const orderProblems = (
  name: string,
  rows: ReadonlyArray<Row>,
  { first, last, lastAt }: Places,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const count = last - first + 1
  if (rows.length !== count) {
    found.push(`${name}: the account counts ${count}, there are ${rows.length}`)
  }
  let latest = 0
  for (const [index, { at, sequence }] of rows.entries()) {
    const expected = first + index
    if (sequence !== expected) found.push(`${name} ${expected} has the number ${sequence}`)
    if (at < latest || at > lastAt) found.push(`I27: row ${sequence} of ${name} is out of time`)
    latest = at
  }
  return found
}

/** No row that retention keeps is rewritten, and no sequence is given back. */
export const recordRegressions = (
  name: string,
  before: ReadonlyArray<Row>,
  after: ReadonlyArray<Row>,
  places: Pick<Places, "first"> & { readonly before: number; readonly after: number },
): ReadonlyArray<string> => {
  const kept = new Map(after.map((row) => [row.sequence, row]))
  const found = before.flatMap((row) =>
    row.sequence < places.first || JSON.stringify(kept.get(row.sequence)) === JSON.stringify(row)
      ? []
      : [`${name} ${row.sequence} was rewritten`],
  )
  return places.after < places.before ? [...found, `${name}: the log has become shorter`] : found
}
