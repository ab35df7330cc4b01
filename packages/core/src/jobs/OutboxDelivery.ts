/**
 * Sends what waits in the outbox. Every node takes a fair share of each queue, and more as soon as it has sent some.
 *
 * Taking only keeps other nodes from trying the same at the same time. The commit that charges a message decides that it
 * is sent once.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { QueuedSend, QueueRef } from "../domain/outbox/QueuedSend.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { Outbox } from "../services/Outbox.ts"
import { Store } from "../ports/Store.ts"

export interface OutboxPolicy {
  /** Longest pause between two looks, in milliseconds, if nothing wakes the node. */
  readonly intervalMillis: number
  /** Maximum number of sends of a node at the same time. */
  readonly concurrency: number
  /** For how long a taken send belongs to its node, in milliseconds, unless it is sent before. */
  readonly leaseMillis: number
}

/** The policy in force. Default: a second, 256 sends, and 30 seconds. */
export const OutboxPolicy = Context.Reference<OutboxPolicy>("@countersign/core/OutboxPolicy", {
  defaultValue: () => ({ intervalMillis: 1_000, concurrency: 256, leaseMillis: 30_000 }),
})

/** Number of queues of which a look takes sends. */
const maxQueues = 64

export class OutboxDelivery extends Context.Service<
  OutboxDelivery,
  {
    /** Takes sends that are due, and starts them in the scope. Returns their number. */
    readonly round: Effect.Effect<number, StoreUnavailable, Scope.Scope>
    /** Takes and sends until its scope closes. */
    readonly run: Effect.Effect<never, never, Scope.Scope>
  }
>()("@countersign/core/jobs/OutboxDelivery") {}

const make = Effect.gen(function* () {
  const outbox = yield* Outbox
  const store = yield* Store
  const { concurrency, intervalMillis, leaseMillis } = yield* OutboxPolicy
  /** The rest is for other organizations than the one that has the most. */
  const maxOfOrganization = Math.ceil((concurrency * 3) / 4)
  const worthTaking = Math.ceil(concurrency / 4)
  const underWay = new Map<OrganizationId, number>()
  const isWoken = Latch.makeUnsafe()
  let total = 0
  let after: QueueRef | undefined

  const count = (organization: OrganizationId, change: 1 | -1): void => {
    total += change
    const own = (underWay.get(organization) ?? 0) + change
    if (own === 0) underWay.delete(organization)
    else underWay.set(organization, own)
  }

  const sendOne = (taken: QueuedSend): Effect.Effect<void> =>
    outbox.handle(taken, (taken.dueAt ?? 0) - leaseMillis).pipe(
      // Its lease ends, and it is tried again.
      Effect.catchCause((cause) =>
        Effect.logWarning(
          "A queued send has to be tried again",
          {
            organization: taken.organization,
            id: taken.id,
          },
          cause,
        ),
      ),
      Effect.ensuring(
        Effect.sync(() => {
          count(taken.organization, -1)
          if (concurrency - total >= worthTaking) isWoken.openUnsafe()
        }),
      ),
    )

  /** The queues after those that the last look has found, and then from the first on. */
  const nextQueues = Effect.gen(function* () {
    const queues = yield* store.queues(after, maxQueues)
    const first =
      after === undefined || queues.length > 0 ? queues : yield* store.queues(undefined, maxQueues)
    after = first.length < maxQueues ? undefined : first.at(-1)
    return first
  })

  const round = Effect.gen(function* () {
    const free = concurrency - total
    if (free <= 0) return 0
    const queues = yield* nextQueues
    const share = Math.max(1, Math.floor(free / Math.max(1, queues.length)))
    const shares = queues.flatMap((queue) => {
      const own = maxOfOrganization - (underWay.get(queue.organization) ?? 0)
      return own <= 0 ? [] : [{ ...queue, limit: Math.min(share, own) }]
    })
    if (shares.length === 0) return 0
    const taken = yield* store.takeQueued(shares, leaseMillis)
    const scope = yield* Effect.scope
    for (const send of taken) {
      count(send.organization, 1)
      yield* Effect.forkIn(sendOne(send), scope, { startImmediately: true })
    }
    return taken.length
  })

  const wake = store.wakeups.pipe(
    Stream.runForEach(() => Effect.sync(() => isWoken.openUnsafe())),
    Effect.catchCause(() => Effect.logWarning("The outbox is polled, because nothing wakes it")),
  )

  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(wake, { startImmediately: true })
    for (;;) {
      isWoken.closeUnsafe()
      const taken = yield* round.pipe(
        Effect.catchCause(() =>
          Effect.as(
            Effect.logWarning("The outbox could not be read; the next look will try again"),
            0,
          ),
        ),
      )
      // There may be more of the same.
      if (taken === 0 || concurrency - total < worthTaking) {
        yield* Effect.timeoutOption(isWoken.await, Duration.millis(intervalMillis))
      }
    }
  })

  return OutboxDelivery.of({ round, run })
})

export const layer = Layer.effect(OutboxDelivery, make)

/** Sends for the lifetime of the layer. */
export const layerBackground = Layer.effectDiscard(
  Effect.flatMap(OutboxDelivery, ({ run }) => Effect.forkScoped(run)),
)
