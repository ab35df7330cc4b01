import type { OptOut } from "@countersign/core/domain/messages/OptOut"
import * as Ids from "@countersign/core/domain/values/Ids"
import { identifier, int8, orNull } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

/** The numbers that get no promotional messages. */
export const optOuts = rowTable<OptOut>("opt_outs", ["digest"], {
  organization: identifier(Ids.OrganizationId),
  digest: identifier(String),
  addedAt: int8,
  removedAt: orNull(int8),
})
