/** The audit. Rows are only inserted, and deleted from the oldest on. */
import type { AuditRecord, Values } from "@countersign/core/domain/access/AuditRecord"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Schema from "effect/Schema"
import { identifier, int8, jsonb, orNull, text } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const record = Schema.Record(Schema.String, Schema.Unknown)
const values = orNull(jsonb<Values>(Schema.decodeUnknownSync(record)))

export const audit = rowTable<AuditRecord>("audit", ["sequence"], {
  organization: identifier(OrganizationId),
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
