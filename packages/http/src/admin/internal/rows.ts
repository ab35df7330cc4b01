/** The operations with an endpoint in the admin API, by the ids of their endpoints. */
import type { Operation, Operations } from "@countersign/core/api/Operation"
import { organizations } from "@countersign/core/api/organizations"

const subjects: ReadonlyArray<Operations> = [organizations]

export const rows: ReadonlyMap<string, Operation> = new Map(
  subjects.flatMap((subject) =>
    Object.values(subject).flatMap((row) => {
      const { admin } = row
      return admin === undefined ? [] : [[admin.id, row] as const]
    }),
  ),
)
