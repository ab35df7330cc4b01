/** The audit, the newest refused calls, and the totals of an organization. */
import type { AuditRecord, Values } from "@countersign/core/domain/access/AuditRecord"
import { channels } from "@countersign/core/domain/values/Channel"
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import { dayMillis, inSlots, kinds, type Total } from "@countersign/core/domain/money/Total"
import * as Ids from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Refusal from "@countersign/core/domain/verifications/Refusal"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { constrained, identifier, int4, int8, jsonb, oneOf, orNull, parsed, text } = Columns

const record = Schema.Record(Schema.String, Schema.Unknown)
const values = orNull(jsonb<Values>(Schema.decodeUnknownSync(record)))

/** Rows are only inserted, and deleted from the oldest on. */
export const audit = rowTable<AuditRecord>("audit", ["sequence"], {
  organization: identifier(Ids.OrganizationId),
  sequence: int8,
  at: int8,
  actor: text,
  origin: orNull(text),
  action: text,
  target: orNull(text),
  before: values,
  after: values,
  reason: orNull(text),
})

export interface RefusalRow extends Refusal.Refusal {
  readonly place: number
}

const decodeParameters = Schema.decodeUnknownSync(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number])),
)

/** A newer row takes the place of the oldest. */
export const refusals = rowTable<RefusalRow>("refusals", ["place"], {
  organization: identifier(Ids.OrganizationId),
  place: int4,
  sequence: int8,
  at: int8,
  operation: oneOf(...Refusal.operations),
  code: oneOf(...errorCodes),
  reason: orNull(text),
  parameters: jsonb(decodeParameters),
  channel: orNull(oneOf(...channels)),
  country: text,
  digest: orNull(text),
  maskedNumber: orNull(text),
  requestId: orNull(parsed(text, Ids.RequestId)),
  apiKeyId: orNull(parsed(text, Ids.ApiKeyId)),
  actor: orNull(text),
})

export const encodeRefusal = (self: Refusal.Refusal): RefusalRow => ({
  ...self,
  place: Refusal.placeOf(self),
})

export const decodeRefusal = (row: Columns.Row): Refusal.Refusal => {
  const { place: _, ...refusal } = refusals.decode(row)
  return refusal
}

const money = parsed(int8, Money.fromUnits)

/** An identifier with a closed set of values. */
const named = <const A extends string>(...values: ReadonlyArray<A>): Columns.Column<A> =>
  constrained(oneOf(...values), () => 'COLLATE "C"')

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
    slot: named("hour", "day"),
    kind: named(...kinds),
    channel: named("", "sms", "whatsapp"),
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
