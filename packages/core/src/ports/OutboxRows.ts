/** The part of the store that keeps queued sends. Commands end and move them; the rest is here. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { NewQueuedSend, QueuedSend, QueueRef } from "../domain/outbox/QueuedSend.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"

/** A statement of PostgreSQL with its parameters, `$1` and so on. */
export interface SqlStatement {
  readonly text: string
  readonly values: Array<string | number | null>
}

/** How many sends of a queue a node takes. */
export interface Share extends QueueRef {
  readonly limit: number
}

export interface QueuedPage {
  /** Of the queue, in the order in which they were added. */
  readonly found: ReadonlyArray<QueuedSend>
  /** Where the next page begins; `undefined` after the last. */
  readonly next: number | undefined
}

/** Number of wake-ups that wait for a consumer. The oldest are lost first, so their sends wait for the next look. */
export const maxWakeups = 1_024

/** The organizations that add sends. */
export const organizationsOf = (
  sends: ReadonlyArray<NewQueuedSend>,
): ReadonlyArray<OrganizationId> => [...new Set(sends.map(({ organization }) => organization))]

export interface OutboxRows {
  /** Adds sends. One whose id exists already is left as it is. Durable when it returns. */
  readonly enqueue: (sends: ReadonlyArray<NewQueuedSend>) => Effect.Effect<void, StoreUnavailable>

  /** The statement that adds a send in a transaction of the host; `undefined` if hosts have no such transactions. */
  readonly enqueueStatement: (send: NewQueuedSend) => SqlStatement | undefined

  readonly queued: (
    organization: OrganizationId,
    id: string,
  ) => Effect.Effect<QueuedSend | undefined, StoreUnavailable>

  /** A page of a queue of an organization, from a place on. */
  readonly queuedPage: (
    queue: QueueRef,
    after: number | undefined,
    limit: number,
  ) => Effect.Effect<QueuedPage, StoreUnavailable>

  /**
   * Queues of organizations that exist, with sends that are due, after a queue in the order of organizations and
   * queues. Costs one look-up for each queue, however many sends it has.
   */
  readonly queues: (
    after: QueueRef | undefined,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<QueueRef>, StoreUnavailable>

  /**
   * Takes due sends by `QueuedSend.take`, the longest due first. Skips sends that another node is taking. A send with
   * an order key is taken only if no earlier send of its organization with the same key has a `dueAt`. With a `dueAt`,
   * the earlier send is open, or its gateway has not answered. The returned sends have the `claim` of the node.
   */
  readonly takeQueued: (
    shares: ReadonlyArray<Share>,
    leaseMillis: number,
  ) => Effect.Effect<ReadonlyArray<QueuedSend>, StoreUnavailable>

  /**
   * Returns the next sends of a batch that no node has taken, in the order in which they were added. Their rows do not
   * change. No later call returns them again. They have the `dueAt` that a taking would give them. Until the lease of
   * the last call has ended, `takeQueued` takes none of the batch; then it takes the rest.
   */
  readonly nextOfBatch: (
    share: Share,
    leaseMillis: number,
  ) => Effect.Effect<ReadonlyArray<QueuedSend>, StoreUnavailable>

  /**
   * Emits an organization that may have added sends, at the latest when a transaction with one has been committed.
   * `undefined`: any organization may have.
   */
  readonly wakeups: Stream.Stream<OrganizationId | undefined>
}
