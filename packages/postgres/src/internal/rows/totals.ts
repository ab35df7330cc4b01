/** The table of totals. */
import * as Ids from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { dayMillis, inSlots, kinds, type Total } from "@countersign/core/domain/money/Total"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { identifier, int8, parsed } = Columns
const money = parsed(int8, Money.fromUnits)

/** An identifier with a closed set of values. */
const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Columns.Column<A> =>
  Columns.constrained(Columns.oneOf(...values), () => 'COLLATE "C"')

/** The sum of an hour, or of the UTC day that begins with `hour`, so that a long period takes few rows. */
export interface TotalRow extends Total {
  readonly slot: "hour" | "day"
}

/** The rows that hours of any organizations add to. */
export const totalRows = (hours: ReadonlyArray<Total>): ReadonlyArray<TotalRow> => [
  ...hours.map((row) => ({ ...row, slot: "hour" as const })),
  ...[...Map.groupBy(hours, ({ organization }) => organization).values()].flatMap((own) =>
    inSlots(own, dayMillis).map((row) => ({ ...row, slot: "day" as const })),
  ),
]

/** A chart shows one kind over many slots of one length, so the key begins with both. */
export const totals = rowTable<TotalRow>(
  "totals",
  ["kind", "slot", "hour", "channel", "gateway", "country", "outcome"],
  {
    organization: identifier(Ids.OrganizationId),
    hour: int8,
    slot: oneOf("hour", "day"),
    kind: oneOf(...kinds),
    channel: oneOf("", "sms", "whatsapp"),
    gateway: identifier(String),
    country: identifier(String),
    outcome: identifier(String),
    count: int8,
    amount: money,
    refunded: money,
  },
  // No index has the counts, so a change stays on its page, which has room for many versions of a row.
  { fillFactor: 50 },
)

export const decodeTotal = (row: Columns.Row): Total => {
  const { slot: _slot, ...total } = totals.decode(row)
  return total
}
