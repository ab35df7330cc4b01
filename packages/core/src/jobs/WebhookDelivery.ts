/**
 * Delivers the events of organizations to their webhooks, at least once each.
 *
 * Any number of nodes may deliver. A node claims a webhook for a minute, posts a round of events, and records the
 * round in one commit. A node that loses its lease records nothing, and another node repeats the round.
 *
 * Webhooks in trouble, which are those whose receiver fails, answers slowly or has not answered yet, have places of
 * their own. In both, organizations take turns and have two places at most. A receiver that becomes slow leaves the
 * places of the others after two seconds. So a receiver that hangs delays no other.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Access } from "../engine/Access.ts"
import { Commits, retryUnavailable } from "../engine/Commits.ts"
import { type StoreUnavailable, WebhookNotFound } from "../domain/errors/Errors.ts"
import type { LoggedEvent } from "../domain/events/Event.ts"
import { eventTable } from "../domain/events/EventTable.ts"
import { newId } from "../engine/internal/newId.ts"
import { makeWebhookPosts, type Post } from "../delivery/internal/webhookPosts.ts"
import { WebhookPlaces } from "./internal/webhookPlaces.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import { Store, type WebhookRef } from "../ports/Store.ts"
import * as Telemetry from "../engine/Telemetry.ts"
import * as Tracing from "../engine/Tracing.ts"
import * as Webhook from "../domain/webhooks/Webhook.ts"
import * as WebhookProgress from "../domain/webhooks/WebhookProgress.ts"

/** Longest time until a node notices an event, while it has nothing to deliver. */
export const pollInterval = Duration.seconds(1)

/** How long a webhook belongs to the node that has claimed it. Longer than a round with its last answer. */
export const lease = Duration.minutes(1)

/** Number of requests to one webhook at once; 1 while it is in trouble. */
export const concurrency = 4

/** The webhooks that a node delivers to at once: of those in trouble, and of the others. */
export const places = { total: 16, perOrganization: 2 }

/** How long a webhook that was not in trouble may have its place, from its first request. */
export const healthyTime = Duration.millis(2 * WebhookProgress.slowMillis)

/** Maximum number of events of a round, of retries among them, and of events that it reads. */
const maxEvents = WebhookProgress.maxRetries
const maxRetried = 20
const maxRead = 500

/** Number of due webhooks that a node reads at a time, and the number of those that it knows from which it reads no more. */
const pageSize = 200
const maxKnown = 5_000

export class WebhookDelivery extends Context.Service<
  WebhookDelivery,
  {
    /** Delivers one round to a webhook. Does nothing if it is not due, or another node has claimed it. */
    readonly deliver: (webhook: WebhookRef) => Effect.Effect<void, StoreUnavailable>
    /** Delivers to all due webhooks. Never ends. */
    readonly run: Effect.Effect<never, never, Scope.Scope>
    /** Whether this process can deliver. */
    readonly isPossible: boolean
  }
>()("@countersign/core/jobs/WebhookDelivery") {}

/** An event of a round. Without `event`, retention has dropped it. */
interface Job extends Pick<WebhookProgress.Delivery, "sequence" | "previous"> {
  readonly event: LoggedEvent | undefined
}

interface Limits {
  /** The round starts no request after this time. */
  readonly startsFor: Duration.Duration
  /** The round ends its requests when this ends. */
  readonly end: Effect.Effect<void>
}

/** The limits of a webhook that has its place for a whole round. */
const whole: Limits = { startsFor: Duration.seconds(10), end: Effect.never }

/** The webhooks of this kind that a node delivers to, or that wait. */
interface Pool {
  readonly isTroubled: boolean
  readonly places: WebhookPlaces
  /** Opens when due webhooks have to be read before the next poll. */
  readonly refill: Latch.Latch
  /** The end of the last page that was read; `undefined`: the next one is the first. */
  after: WebhookRef | undefined
}

const makePool = (isTroubled: boolean): Pool => ({
  isTroubled,
  places: new WebhookPlaces(places),
  refill: Latch.makeUnsafe(),
  after: undefined,
})

const unanswered = (_tag: "Cut" | "Dropped"): WebhookProgress.Answer => ({
  outcome: { _tag },
  status: null,
  answer: null,
})

/** The new events of a round, and the place after them. */
interface NewJobs extends Pick<WebhookProgress.WebhookProgress, "position" | "previous"> {
  readonly jobs: ReadonlyArray<Job>
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const commits = yield* Commits
  const posts = yield* makeWebhookPosts
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store
  const holder = yield* newId(random, "nod")

  const claim = ({ id, organization }: WebhookRef) =>
    access.serve(
      { organization },
      Effect.fnUntraced(function* (current: Organization.Organization) {
        const webhook = Organization.webhookOf(current, id)
        if (webhook === undefined || !webhook.isEnabled) {
          return yield* access.refuse(current, new WebhookNotFound())
        }
        const claimed = yield* commits.run({
          _tag: "ClaimWebhook",
          organization,
          version: current.version,
          id,
          startsAfter: webhook.startsAfter,
          holder,
          leaseMillis: Duration.toMillis(lease),
        })
        return { ...claimed, webhook }
      }),
    )

  const retriesOf = ({ organization, retries }: WebhookProgress.WebhookProgress, now: number) =>
    Effect.forEach(
      retries
        .filter(({ nextAt }) => nextAt <= now)
        .toSorted((a, b) => a.nextAt - b.nextAt)
        .slice(0, maxRetried),
      ({ previous, sequence }) =>
        Effect.map(store.events(organization, sequence - 1, 1), (page): Job => {
          const [event] = page?.events ?? []
          return { sequence, previous, event: event?.sequence === sequence ? event : undefined }
        }),
    )

  /** The trace of the message that an event is about. Read only for a tracer, so an event needs no copy of it. */
  const traceOf = (event: LoggedEvent) =>
    Effect.withFiber(({ context }) =>
      Tracing.isTraced(context)
        ? Effect.orElseSucceed(messageTrace(event), () => null)
        : Effect.succeed(null),
    )

  const messageTrace = Effect.fnUntraced(function* (event: LoggedEvent) {
    const { organization } = event
    let sequence = "messageSequence" in event ? event.messageSequence : undefined
    if ("requestId" in event) {
      const found = yield* store.verification(organization, event.requestId)
      sequence = found?.verification.messageSequence
    }
    const found =
      sequence === undefined ? undefined : yield* store.message({ organization, sequence })
    return found?.message?.traceparent ?? null
  })

  const newJobs = Effect.fnUntraced(function* (
    progress: WebhookProgress.WebhookProgress,
    webhook: Webhook.Webhook,
  ): Effect.fn.Return<NewJobs, StoreUnavailable> {
    const room = maxEvents - progress.retries.length
    const jobs: Array<Job> = []
    let { position, previous } = progress
    const page =
      room <= 0 ? undefined : yield* store.events(progress.organization, position, maxRead)
    for (const event of page?.events ?? []) {
      const { sequence } = event
      if (Webhook.wants(webhook, event)) {
        if (jobs.length === room) break
        jobs.push({ sequence, previous, event })
        previous = sequence
      }
      position = sequence
    }
    return { jobs, position, previous }
  })

  /** Posts jobs in order until the round has to end. Returns the results of those that were started, and the others. */
  const postAll = Effect.fnUntraced(function* (
    jobs: ReadonlyArray<Job>,
    post: (post: Post) => Effect.Effect<WebhookProgress.Answer>,
    width: number,
    { end, startsFor }: Limits,
  ) {
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(startsFor)
    const done: Array<WebhookProgress.Delivery> = []
    let next = 0
    const isOver = (now: number): boolean =>
      now >= deadline ||
      (done.some(({ outcome }) => WebhookProgress.isFailure(outcome)) &&
        !done.some(({ outcome }) => outcome._tag === "Delivered")) ||
      done.some(({ outcome }) => outcome._tag === "Gone")
    /** The requests that were not answered yet, with the times of their starts. */
    const open = new Map<Job, number>()
    const finish = Effect.fnUntraced(function* (job: Job, answer: WebhookProgress.Answer) {
      const { event, previous, sequence } = job
      const type = event === undefined ? null : eventTable[event._tag].type
      const now = yield* Clock.currentTimeMillis
      const at = open.get(job) ?? now
      open.delete(job)
      yield* Telemetry.increment(Telemetry.deliveries, { outcome: answer.outcome._tag })
      const jitter = (yield* random.intBetween(0, 1_000)) / 1_000
      done.push({ sequence, previous, type, ...answer, at, millis: now - at, jitter })
    }, Effect.uninterruptible)
    const one = Effect.gen(function* () {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const job = isOver(now) ? undefined : jobs[next++]
        if (job === undefined) return
        open.set(job, now)
        const { event, previous } = job
        const answer =
          event === undefined
            ? unanswered("Dropped")
            : yield* post({
                id: Webhook.deliveryId(event),
                body: Webhook.bodyOf(event, previous),
                traceparent: yield* traceOf(event),
              })
        yield* finish(job, answer)
      }
    })
    yield* Effect.replicateEffect(one, width, { concurrency: "unbounded", discard: true }).pipe(
      Effect.raceFirst(end),
    )
    for (const job of open.keys()) yield* finish(job, unanswered("Cut"))
    return { deliveries: done, rest: jobs.slice(next) }
  })

  /** Returns whether it has delivered a round. */
  const deliver = Effect.fnUntraced(function* (ref: WebhookRef, limits: Limits) {
    const claimed = yield* claim(ref)
    if (claimed._tag === "NotDue") return false
    const { now, progress, webhook } = claimed
    const retries = yield* retriesOf(progress, now)
    const fresh = yield* newJobs(progress, webhook)
    const post = yield* posts.open(ref.organization, webhook, now)
    const width = progress.troubledSince === null ? concurrency : 1
    const { deliveries, rest } = yield* postAll([...retries, ...fresh.jobs], post, width, limits)
    // Jobs start in order, so the first that was not started ends the new ones.
    const unstarted = rest.find(({ sequence }) => sequence > progress.position)
    const place =
      unstarted === undefined
        ? { position: fresh.position, previous: fresh.previous }
        : { position: unstarted.sequence - 1, previous: unstarted.previous }
    yield* retryUnavailable(
      commits.run({
        _tag: "RecordDeliveries",
        organization: ref.organization,
        id: ref.id,
        holder,
        round: { ...place, deliveries },
      }),
    )
    return true
  }, Effect.catchTags(gone))

  const healthy = makePool(false)
  const troubled = makePool(true)

  const read = Effect.fnUntraced(
    function* (pool: Pool) {
      const { isTroubled, places } = pool
      while (places.size < maxKnown) {
        const { after } = pool
        const page = yield* store.dueWebhooks({ isTroubled, limit: pageSize, after })
        places.offer(page)
        const isLast = page.length < pageSize
        pool.after = isLast ? undefined : page.at(-1)
        if (isLast) return
      }
    },
    Effect.catchCause(() => Effect.logWarning("Due webhooks could not be read")),
  )

  /** Delivers to the webhooks that have got a place, and to the next ones when they leave it. */
  const start = (pool: Pool, scope: Scope.Scope): Effect.Effect<void> =>
    Effect.suspend(() => {
      const ref = pool.places.next()
      if (ref === undefined) return Effect.void
      return Effect.andThen(Effect.forkIn(stay(ref, pool, scope), scope), start(pool, scope))
    })

  const stay = (ref: WebhookRef, first: Pool, scope: Scope.Scope): Effect.Effect<void> => {
    let pool = first
    // A request that is still open at the end was slow. Without a place among the slow ones it is repeated there.
    const leave = Effect.suspend(() => {
      if (!troubled.places.enter(ref)) return Effect.void
      pool.places.leave(ref)
      pool = troubled
      return Effect.andThen(start(first, scope), Effect.never)
    })
    const limits: Limits = first.isTroubled
      ? whole
      : {
          startsFor: Duration.millis(WebhookProgress.slowMillis),
          end: Effect.delay(leave, healthyTime),
        }
    return deliver(ref, limits).pipe(
      Effect.catchCause(() =>
        Effect.as(Effect.logWarning("A webhook could not be delivered to", ref), false),
      ),
      Effect.ensuring(Effect.sync(() => pool.places.leave(ref))),
      Effect.flatMap((hasDelivered) => {
        if (hasDelivered && !pool.places.isWaiting) pool.refill.openUnsafe()
        return start(pool, scope)
      }),
    )
  }

  const serve = Effect.fnUntraced(function* (pool: Pool, scope: Scope.Scope) {
    for (;;) {
      pool.refill.closeUnsafe()
      yield* read(pool)
      yield* start(pool, scope)
      yield* Effect.timeoutOption(pool.refill.await, pollInterval)
    }
  })

  return WebhookDelivery.of({
    isPossible: posts.transport !== undefined,
    deliver: Effect.fn("WebhookDelivery.deliver")((ref) => Effect.asVoid(deliver(ref, whole))),
    run: Effect.flatMap(Effect.scope, (scope) =>
      Effect.raceFirst(serve(troubled, scope), serve(healthy, scope)),
    ),
  })
})

export const layer = Layer.effect(WebhookDelivery, make)

/** Delivers for the lifetime of the layer, if the process has a transport. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isPossible, run } = yield* WebhookDelivery
    if (isPossible) yield* Effect.forkScoped(run)
  }),
)

const nothing = () => Effect.succeed(false)

const gone = {
  // The organization or the webhook has gone, or the webhook was disabled.
  OrganizationNotFound: nothing,
  WebhookNotFound: nothing,
  // A node calls without a key and from no address, and the only command with a version is repeated.
  StaleSettings: Effect.die,
  Unauthorized: Effect.die,
  InsufficientScope: Effect.die,
  AddressNotAllowed: Effect.die,
}
