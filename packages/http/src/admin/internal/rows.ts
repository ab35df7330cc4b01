/** The operations with an endpoint in the admin API, by the ids of their endpoints. */
import type { Operation, Operations } from "@countersign/core/api/Operation"
import { apiKeys } from "@countersign/core/api/apiKeys"
import { organizations } from "@countersign/core/api/organizations"
import { newSenders, senders } from "@countersign/core/api/senders"

const subjects: ReadonlyArray<Operations> = [organizations, apiKeys, senders, newSenders]

export const rows: ReadonlyMap<string, Operation> = new Map(
  subjects.flatMap((subject) =>
    Object.values(subject).flatMap((row) => {
      const { admin } = row
      return admin === undefined ? [] : [[admin.id, row] as const]
    }),
  ),
)
