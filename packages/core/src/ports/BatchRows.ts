/** The part of the store that reads batches. Commands write them. */
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { Batch, BatchRef, BatchTotal } from "../domain/outbox/Batch.ts"
import type { QueueRef } from "../domain/outbox/QueuedSend.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"

/** The place of a batch in the order of creation. */
export type BatchPlace = Pick<Batch, "createdAt" | "id">

export interface BatchRows {
  readonly batch: (
    organization: OrganizationId,
    id: string,
  ) => Effect.Effect<Batch | undefined, StoreUnavailable>

  /** Batches before a place, newest first. */
  readonly batches: (
    organization: OrganizationId,
    before: BatchPlace | undefined,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Batch>, StoreUnavailable>

  /** Batches of all organizations that are open, after one in the order of organizations and ids. */
  readonly openBatches: (
    after: BatchRef | undefined,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Batch>, StoreUnavailable>

  /** The totals of some batches. Their number does not depend on the number of messages. */
  readonly batchTotals: (
    organization: OrganizationId,
    ids: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<BatchTotal>, StoreUnavailable>

  /** Ids of sends of a queue that have not ended, those that are due first. */
  readonly openQueued: (
    queue: QueueRef,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
}
