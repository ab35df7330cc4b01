import { inSlots, type Total } from "../../domain/money/Total.ts"
import type { TotalQuery } from "../../ports/Store.ts"

const dimensionsOf = (row: Total): ReadonlyArray<string> => [
  row.kind,
  row.channel,
  row.gateway,
  row.country,
  row.outcome,
]

const inOrder = (a: Total, b: Total): number => {
  if (a.hour !== b.hour) return a.hour - b.hour
  const others = dimensionsOf(b)
  for (const [index, one] of dimensionsOf(a).entries()) {
    const other = others[index] ?? ""
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

/** The totals that a query selects, in their order. */
export const totalsIn = (
  rows: Iterable<Total>,
  { from, kinds, slotMillis, to }: TotalQuery,
): ReadonlyArray<Total> => {
  const selected = [...rows].filter(
    ({ hour, kind }) => hour >= from && hour < to && kinds.includes(kind),
  )
  return inSlots(selected, slotMillis).toSorted(inOrder)
}
