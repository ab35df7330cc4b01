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
import type { Batch } from "../domain/outbox/Batch.ts"
import type { QueuedSend, QueueRef } from "../domain/outbox/QueuedSend.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { Commits } from "../engine/Commits.ts"
import { makeBatchUpkeep } from "./internal/batchUpkeep.ts"
import { makeRightOfWay } from "./internal/rightOfWay.ts"
import { Outbox } from "../services/Outbox.ts"
import type { Share } from "../ports/OutboxRows.ts"
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

/** Number of sends of a queue under way from which it is long. A long queue of an organization gives way to short ones. */
const long = 16

/**
 * Maximum number of organizations that a node remembers because they have added sends. If there are more, it looks at
 * all.
 */
const maxWoken = 1_000

export class OutboxDelivery extends Context.Service<
  OutboxDelivery,
  {
    /** Takes sends that are due, and starts them in the scope. Returns their number. */
    readonly round: Effect.Effect<number, StoreUnavailable, Scope.Scope>
    /** Finds the batches that are done, and drops what is left of those that are cancelled. */
    readonly upkeep: Effect.Effect<void, StoreUnavailable>
    /** Takes and sends until its scope closes. */
    readonly run: Effect.Effect<never, never, Scope.Scope>
  }
>()("@countersign/core/jobs/OutboxDelivery") {}

const make = Effect.gen(function* () {
  const commits = yield* Commits
  const outbox = yield* Outbox
  const upkeep = yield* makeBatchUpkeep
  const store = yield* Store
  const { concurrency, intervalMillis, leaseMillis } = yield* OutboxPolicy
  /** The rest is for other organizations than the one that has the most. */
  const maxOfOrganization = Math.ceil((concurrency * 3) / 4)
  const worthTaking = Math.ceil(concurrency / 2)
  /** Taken while the sends before them are under way, so that those that follow need not be waited for. */
  const readAhead = concurrency
  /** Sends that are taken, by their organization. */
  const underWay = new Map<OrganizationId, number>()
  /** Number of taken sends that belong to no batch, by their organization. */
  const single = new Map<OrganizationId, number>()
  /** Taken sends that belong to no batch and are not being sent yet, by their organization. */
  const waiting = new Map<OrganizationId, Array<QueuedSend>>()
  const loops = { batches: newLoop(), single: newLoop(), woken: newLoop() }
  /** Organizations that have added sends of no batch since they were last looked at. */
  let woken = new Set<OrganizationId>()
  const rightOfWay = makeRightOfWay()
  let total = 0

  const count = ({ organization, queue }: QueueRef, change: 1 | -1): void => {
    total += change
    add(underWay, organization, change)
    if (queue === "") add(single, organization, change)
  }

  /** How many more sends of no batch are taken of an organization while as many of it are under way as may be. */
  const roomOfShort = ({ organization, queue }: QueueRef): number =>
    queue === "" ? Math.max(0, long - (single.get(organization) ?? 0)) : 0

  /** Wakes the loops. `onlyFull`: those that have left sends, because as many were under way as may be. */
  const wake = (onlyFull: boolean): void => {
    for (const { isFull, isWoken } of [loops.batches, loops.single])
      if (isFull || !onlyFull) isWoken.openUnsafe()
  }

  const wakeFor = (organization: OrganizationId | undefined): void => {
    if (organization === undefined || woken.size === maxWoken) return wake(false)
    woken.add(organization)
    loops.woken.isWoken.openUnsafe()
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
          count(taken, -1)
          // The next one with its key could not be taken before.
          if (taken.orderKey !== null) wakeFor(taken.organization)
          const own = maxOfOrganization + readAhead - (underWay.get(taken.organization) ?? 0)
          if (Math.min(own, concurrency + readAhead - total) >= worthTaking) wake(true)
        }),
      ),
    )

  /** Number of sends of an organization that are being sent. */
  const running = (organization: OrganizationId): number =>
    (underWay.get(organization) ?? 0) - (waiting.get(organization)?.length ?? 0)

  /** Sends one, and then what waits for a place. */
  const sendFrom = Effect.fnUntraced(function* (first: QueuedSend, isShort: boolean) {
    const { organization } = first
    if (isShort) yield* rightOfWay.give(sendOne(first))
    else yield* Effect.andThen(rightOfWay.wait, sendOne(first))
    while (running(organization) < maxOfOrganization) {
      const next = waiting.get(organization)?.shift()
      if (next === undefined) return
      yield* Effect.andThen(rightOfWay.wait, sendOne(next))
    }
  })

  /** The queues after the last page, and then the queues of the first page. */
  const makeNextQueues = (loop: Loop) => {
    let after: QueueRef | undefined
    return Effect.gen(function* () {
      const queues = yield* store.queues(after, maxQueues)
      const first =
        after === undefined || queues.length > 0
          ? queues
          : yield* store.queues(undefined, maxQueues)
      after = first.length < maxQueues ? undefined : first.at(-1)
      loop.isFull ||= after !== undefined
      return first
    })
  }

  const batchOf = ({ organization, queue }: QueueRef) =>
    queue === "" ? Effect.undefined : store.batch(organization, queue)

  /** The share of a queue, at most what the pace of its batch allows now. */
  const grant = ({
    batch,
    limit,
    queue,
  }: {
    readonly batch: Batch | undefined
    readonly limit: number
    readonly queue: QueueRef
  }) => {
    if (batch === undefined || batch.pace === null) return Effect.succeed({ ...queue, limit })
    const { organization } = queue
    const paced = { _tag: "PaceBatch", organization, batchId: batch.id, wanted: limit } as const
    return commits.run(paced).pipe(
      Effect.map(({ count }) => ({ ...queue, limit: count })),
      // Other queues go on.
      Effect.catch(() => Effect.succeed({ ...queue, limit: 0 })),
    )
  }

  /**
   * A batch is read from its beginning to its end, which changes no row. The rest is then taken one by one: sends of
   * nodes that have died, sends that wait for a better time, and failed sends.
   */
  const takeAll = Effect.fnUntraced(function* (shares: ReadonlyArray<Share>) {
    const read = yield* Effect.forEach(
      shares,
      (share) => (share.queue === "" ? Effect.succeed([]) : store.nextOfBatch(share, leaseMillis)),
      { concurrency: "unbounded" },
    )
    const rest = shares.filter((_, index) => read[index]?.length === 0)
    return [
      ...read.flat(),
      ...(rest.length === 0 ? [] : yield* store.takeQueued(rest, leaseMillis)),
    ]
  })

  /** `ahead`: how many sends it takes that have to wait until others are sent. */
  const roundOf = Effect.fnUntraced(function* (
    nextQueues: Effect.Effect<ReadonlyArray<QueueRef>, StoreUnavailable>,
    ahead: number,
    loop: Loop,
  ) {
    const free = concurrency + ahead - total
    loop.isFull = loop !== loops.woken && free < worthTaking
    if (free <= 0 && loop === loops.batches) return 0
    const queues = yield* nextQueues
    const batches = yield* Effect.forEach(queues, batchOf, { concurrency: "unbounded" })
    const ready = queues.flatMap((queue, index) => {
      const batch = batches[index]
      return queue.queue !== "" && batch?.status !== "running" ? [] : [{ queue, batch }]
    })
    const share = Math.max(1, Math.floor(free / Math.max(1, ready.length)))
    const wanted = ready.flatMap(({ batch, queue }) => {
      const own = maxOfOrganization + ahead - (underWay.get(queue.organization) ?? 0)
      // A taking costs the same for one send as for many.
      const isShort = loop === loops.woken || own < worthTaking
      const limit = isShort ? roomOfShort(queue) : Math.min(share, own)
      return limit === 0 ? [] : [{ batch, queue, limit }]
    })
    loop.isFull ||= wanted.length < ready.length
    const granted = yield* Effect.forEach(wanted, grant, { concurrency: "unbounded" })
    const shares = granted.filter(({ limit }) => limit > 0)
    if (shares.length === 0) return 0
    const taken = yield* takeAll(shares)
    const scope = yield* Effect.scope
    for (const { limit, organization, queue } of shares) {
      const own = taken.filter((send) => send.organization === organization && send.queue === queue)
      loop.isFull ||= own.length === limit
    }
    for (const send of taken) {
      const { organization } = send
      const isShort = roomOfShort(send) > 0
      const hasPlace = isShort || running(organization) < maxOfOrganization
      count(send, 1)
      if (hasPlace) {
        yield* Effect.forkIn(sendFrom(send, isShort), scope, { startImmediately: true })
        continue
      }
      const behind = waiting.get(organization)
      if (behind === undefined) waiting.set(organization, [send])
      else behind.push(send)
    }
    return taken.length
  })

  const listen = store.wakeups.pipe(
    Stream.runForEach((organization) => Effect.sync(() => wakeFor(organization))),
    Effect.catchCause(() => Effect.logWarning("The outbox is polled, because nothing wakes it")),
  )

  const lookAt = (
    own: Loop,
    nextQueues: Effect.Effect<ReadonlyArray<QueueRef>, StoreUnavailable>,
  ) =>
    roundOf(nextQueues, readAhead, own).pipe(
      Effect.catchCause(() =>
        Effect.as(
          Effect.logWarning("The outbox could not be read; the next look will try again"),
          0,
        ),
      ),
    )

  /** Takes and sends what is in some queues. */
  const loop = Effect.fnUntraced(function* (own: Loop, isOwn: (queue: QueueRef) => boolean) {
    const nextQueues = Effect.map(makeNextQueues(own), (queues) => queues.filter(isOwn))
    for (;;) {
      own.isWoken.closeUnsafe()
      own.isFull = false
      if (own === loops.batches) yield* rightOfWay.wait
      const taken = yield* lookAt(own, nextQueues)
      // There may be more of the same.
      if (taken === 0 || own.isFull) {
        yield* Effect.timeoutOption(own.isWoken.await, Duration.millis(intervalMillis))
      }
    }
  })

  /** The queues of the organizations that have added sends. The others wait for a look at all. */
  const nextWoken = Effect.sync(() => {
    const organizations = [...woken].slice(0, maxQueues)
    woken = woken.size > maxQueues ? new Set([...woken].slice(maxQueues)) : new Set()
    const queues = organizations.map((organization) => ({ organization, queue: "" }))
    const short = queues.filter((queue) => roomOfShort(queue) > 0)
    if (short.length < queues.length && !loops.single.isFull) loops.single.isWoken.openUnsafe()
    return short
  })

  /** Takes and sends what organizations with few sends under way have just added. */
  const wokenLoop = Effect.gen(function* () {
    const { woken: own } = loops
    for (;;) {
      yield* own.isWoken.await
      own.isWoken.closeUnsafe()
      while (woken.size > 0) {
        own.isFull = false
        yield* rightOfWay.give(lookAt(own, nextWoken))
        if (own.isFull) loops.single.isWoken.openUnsafe()
      }
    }
  })

  // A caller may wait for a send of no batch, so such sends do not wait for the takings of batches.
  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(listen, { startImmediately: true })
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.sleep(intervalMillis), Effect.ignore(upkeep))),
    )
    yield* Effect.forkScoped(rightOfWay.run)
    yield* Effect.forkScoped(wokenLoop)
    yield* Effect.forkScoped(loop(loops.batches, ({ queue }) => queue !== ""))
    return yield* loop(loops.single, ({ queue }) => queue === "")
  })

  const once = newLoop()
  return OutboxDelivery.of({ round: roundOf(makeNextQueues(once), 0, once), run, upkeep })
})

/** A loop that takes and sends. `isFull`: whether it may have left sends. */
interface Loop {
  readonly isWoken: Latch.Latch
  isFull: boolean
}

const add = (
  counts: Map<OrganizationId, number>,
  organization: OrganizationId,
  change: 1 | -1,
): void => {
  const count = (counts.get(organization) ?? 0) + change
  if (count === 0) counts.delete(organization)
  else counts.set(organization, count)
}

const newLoop = (): Loop => ({ isWoken: Latch.makeUnsafe(), isFull: false })

export const layer = Layer.effect(OutboxDelivery, make)

/** Sends for the lifetime of the layer. */
export const layerBackground = Layer.effectDiscard(
  Effect.flatMap(OutboxDelivery, ({ run }) => Effect.forkScoped(run)),
)
