import type { Alerts, AlertState } from "@countersign/core/domain/alerts/AlertState"
import { names } from "@countersign/core/domain/alerts/AlertTable"
import * as Ids from "@countersign/core/domain/values/Ids"
import * as Schema from "effect/Schema"
import { bool, identifier, int8, jsonb } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { Array, Boolean, Int, Literals, Struct } = Schema

const decodeStates = Schema.decodeUnknownSync(
  Array(Struct({ alert: Literals(names), isOpen: Boolean, raisedAt: Int })),
)

/** One row for each organization that was examined. It changes every minute while the organization sends. */
export const alerts = rowTable<Alerts>(
  "alerts",
  [],
  {
    organization: identifier(Ids.OrganizationId),
    checkedAt: int8,
    isOpen: bool,
    states: jsonb<ReadonlyArray<AlertState>>(decodeStates),
  },
  { fillFactor: 50 },
)
