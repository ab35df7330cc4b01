import * as Effect from "effect/Effect"
import type { Batch } from "../../domain/outbox/Batch.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { BatchPlace, BatchRows } from "../../ports/BatchRows.ts"
import { byText } from "./outboxRows.ts"
import type { OrganizationState } from "./organizationState.ts"

/** The batches in memory. */
export const makeBatchRows = (
  states: ReadonlyMap<OrganizationId, OrganizationState>,
): BatchRows => ({
  batch: (organization, id) => Effect.sync(() => states.get(organization)?.batches.get(id)),
  batches: (organization, before, limit) =>
    Effect.sync(() =>
      [...(states.get(organization)?.batches.values() ?? [])]
        .filter((one) => before === undefined || byAge(one, before) < 0)
        .toSorted((a, b) => byAge(b, a))
        .slice(0, limit),
    ),
  openBatches: (after, limit) =>
    Effect.sync(() =>
      [...states.values()]
        .flatMap(({ batches }) => [...batches.values()])
        .filter(({ isOpen }) => isOpen)
        .toSorted(byPlace)
        .filter((one) => after === undefined || byPlace(one, after) > 0)
        .slice(0, limit),
    ),
  batchTotals: (organization, ids) =>
    Effect.sync(() => ids.flatMap((id) => states.get(organization)?.batchTotals.ofBatch(id) ?? [])),
  openQueued: ({ organization, queue }, limit) =>
    Effect.sync(() =>
      [...(states.get(organization)?.outbox.values() ?? [])]
        .filter((send) => send.queue === queue && send.dueAt !== null)
        .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
        .slice(0, limit)
        .map(({ id }) => id),
    ),
})

const byAge = (a: BatchPlace, b: BatchPlace): number =>
  a.createdAt - b.createdAt || byText(a.id, b.id)

const byPlace = (
  a: Pick<Batch, "id" | "organization">,
  b: Pick<Batch, "id" | "organization">,
): number => byText(a.organization, b.organization) || byText(a.id, b.id)
