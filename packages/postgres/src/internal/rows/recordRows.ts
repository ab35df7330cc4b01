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

/** The audit of the first migration. Older builds write it. */
export const firstAudit = rowTable<Omit<AuditRecord, "actorName">>("audit", ["sequence"], {
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

/** Rows are only inserted, and deleted from the oldest on. */
export const audit = rowTable<AuditRecord>(
  "audit",
  ["sequence"],
  { ...firstAudit.fields, actorName: orNull(text) },
  { type: "audit_row_2" },
)

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

/**
 * The sum of a quarter of an hour, or of the UTC day that begins with `hour`, so that a long period takes few rows.
 * Older builds add to the first quarter of each hour. They do not know networks and reasons. These are therefore parts
 * of other columns: a key with more columns would stop these builds during an upgrade.
 */
export interface TotalRow extends Omit<Total, "at" | "network" | "reason"> {
  readonly hour: number
  readonly slot: "hour" | "day"
}

const separator = "/"

/** A text without a second part is the first one alone. Rows keep their order, because letters follow the separator. */
const join = (first: string, second: string): string =>
  second === "" ? first : `${first}${separator}${second}`

const split = (text: string): readonly [first: string, second: string] => {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

const rowOf =
  (slot: TotalRow["slot"]) =>
  ({ at: hour, country, network, outcome, reason, ...rest }: Total): TotalRow => ({
    ...rest,
    hour,
    slot,
    country: join(country, network),
    outcome: join(outcome, reason),
  })

/** The rows that quarters of any organizations add to. */
export const totalRows = (quarters: ReadonlyArray<Total>): ReadonlyArray<TotalRow> => [
  ...quarters.map(rowOf("hour")),
  ...[...Map.groupBy(quarters, ({ organization }) => organization).values()].flatMap((own) =>
    inSlots(own, dayMillis).map(rowOf("day")),
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
  const { country: place, hour: at, outcome: end, slot: _slot, ...rest } = totals.decode(row)
  const [country, network] = split(place)
  const [outcome, reason] = split(end)
  return { ...rest, at, country, network, outcome, reason }
}
