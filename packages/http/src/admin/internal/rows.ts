/** The operations with an endpoint in the admin API, by the ids of their endpoints. */
import type { Operation, Operations } from "@countersign/core/api/Operation"
import { account, ledger } from "@countersign/core/api/account"
import { apiKeys } from "@countersign/core/api/apiKeys"
import { audit } from "@countersign/core/api/audit"
import { fraud } from "@countersign/core/api/fraud"
import { organizations } from "@countersign/core/api/organizations"
import { refusals } from "@countersign/core/api/refusals"
import { brands } from "@countersign/core/api/senders"
import { totals } from "@countersign/core/api/totals"
import { webhooks } from "@countersign/core/api/webhooks"

const subjects: ReadonlyArray<Operations> = [
  organizations,
  apiKeys,
  brands,
  account,
  ledger,
  audit,
  totals,
  refusals,
  webhooks,
  fraud,
]

export const rows: ReadonlyMap<string, Operation> = new Map(
  subjects.flatMap((subject) =>
    Object.values(subject).flatMap((row) => {
      const { admin } = row
      return admin === undefined ? [] : [[admin.id, row] as const]
    }),
  ),
)
