/** The newest refused calls of an organization. A newer row takes the place of the oldest. */
import { channels } from "@countersign/core/domain/values/Channel"
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import * as Ids from "@countersign/core/domain/values/Ids"
import * as Refusal from "@countersign/core/domain/verifications/Refusal"
import * as Schema from "effect/Schema"
import { identifier, int4, int8, jsonb, oneOf, orNull, parsed, type Row, text } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

export interface RefusalRow extends Refusal.Refusal {
  readonly place: number
}

const decodeParameters = Schema.decodeUnknownSync(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number])),
)

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

export const decodeRefusal = (row: Row): Refusal.Refusal => {
  const { place: _, ...refusal } = refusals.decode(row)
  return refusal
}
