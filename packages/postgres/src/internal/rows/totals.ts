/** The table of totals. */
import * as Ids from "@countersign/core/domain/Ids"
import * as Money from "@countersign/core/domain/Money"
import type { Total } from "@countersign/core/domain/Total"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { identifier, int8, parsed } = Columns
const money = parsed(int8, Money.fromUnits)

/** An identifier with a closed set of values. */
const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Columns.Column<A> =>
  Columns.constrained(Columns.oneOf(...values), () => 'COLLATE "C"')

/** Batches add to the rows of the current hour and of the one before. */
export const totals = rowTable<Total>(
  "totals",
  ["hour", "kind", "channel", "gateway", "country", "outcome"],
  {
    organization: identifier(Ids.OrganizationId),
    hour: int8,
    kind: oneOf("messages", "requests", "bookings", "deliveries"),
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
