/** The table of totals. */
import * as Ids from "@countersign/core/domain/Ids"
import * as Money from "@countersign/core/domain/Money"
import { kinds, type Total } from "@countersign/core/domain/Total"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { identifier, int8, parsed } = Columns
const money = parsed(int8, Money.fromUnits)

/** An identifier with a closed set of values. */
const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Columns.Column<A> =>
  Columns.constrained(Columns.oneOf(...values), () => 'COLLATE "C"')

/** A chart shows one kind over many hours, so the key begins with the kind. */
export const totals = rowTable<Total>(
  "totals",
  ["kind", "hour", "channel", "gateway", "country", "outcome"],
  {
    organization: identifier(Ids.OrganizationId),
    hour: int8,
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
