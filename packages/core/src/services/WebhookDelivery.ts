/**
 * Delivers the events of organizations to their webhooks, at least once each.
 *
 * Any number of nodes may deliver. A node claims a webhook for a minute, posts a round of events, and records the
 * round in one commit. A node that loses its lease records nothing, and another node repeats the round.
 *
 * Webhooks in trouble, whose last round has failed, have workers of their own. A receiver that hangs delays the
 * others for one round at most.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Access } from "./Access.ts"
import { Commits, retryUnavailable } from "./Commits.ts"
import { type StoreUnavailable, WebhookNotFound } from "../domain/Errors.ts"
import type { LoggedEvent } from "../domain/Event.ts"
import { newId } from "./internal/newId.ts"
import { makeWebhookPosts, type Post } from "./internal/webhookPosts.ts"
import * as Organization from "../domain/Organization.ts"
import { Store, type WebhookRef } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Webhook from "../domain/Webhook.ts"
import * as WebhookProgress from "../domain/WebhookProgress.ts"

/** Longest time until a node notices an event, while it has nothing to deliver. */
export const pollInterval = Duration.seconds(1)

/** How long a webhook belongs to the node that has claimed it. Longer than a round with its last answer. */
export const lease = Duration.minutes(1)

/** A round starts no request after this time. */
const roundTime = Duration.seconds(10)

/** Number of requests to one webhook at once; 1 while it is in trouble. */
export const concurrency = 4

/** Number of webhooks that a node delivers to at once: of those in trouble, and of the others. */
export const workers = { troubled: 8, healthy: 16 }

/** Maximum number of events of a round, of retries among them, and of events that it reads. */
const maxEvents = WebhookProgress.maxRetries
const maxRetried = 20
const maxRead = 500

/** Number of due webhooks that a node reads at a time. */
const pageSize = 200

export class WebhookDelivery extends Context.Service<
  WebhookDelivery,
  {
    /** Delivers one round to a webhook. Does nothing if it is not due, or another node has claimed it. */
    readonly deliver: (webhook: WebhookRef) => Effect.Effect<void, StoreUnavailable>
    /** A worker: delivers to due webhooks, one after another. Never ends. Several share their webhooks. */
    readonly work: (isTroubled: boolean) => Effect.Effect<never>
    /** Whether this process can deliver. */
    readonly isPossible: boolean
  }
>()("@countersign/core/services/WebhookDelivery") {}

/** An event of a round. Without `event`, retention has dropped it. */
interface Job extends Pick<WebhookProgress.Delivery, "sequence" | "previous"> {
  readonly event: LoggedEvent | undefined
}

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

  /** Posts jobs in order until the round has to end. Returns the results of those that were started. */
  const postAll = Effect.fnUntraced(function* (
    jobs: ReadonlyArray<Job>,
    post: (post: Post) => Effect.Effect<WebhookProgress.Outcome>,
    width: number,
  ) {
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(roundTime)
    const done: Array<WebhookProgress.Delivery> = []
    let next = 0
    const isOver = (now: number): boolean =>
      now >= deadline ||
      (done.some(({ outcome }) => WebhookProgress.isFailure(outcome)) &&
        !done.some(({ outcome }) => outcome._tag === "Delivered")) ||
      done.some(({ outcome }) => outcome._tag === "Gone")
    const one = Effect.gen(function* () {
      while (next < jobs.length && !isOver(yield* Clock.currentTimeMillis)) {
        const job = jobs[next++]
        if (job === undefined) return
        const { event, previous, sequence } = job
        const outcome: WebhookProgress.Outcome =
          event === undefined
            ? { _tag: "Dropped" }
            : yield* post({
                id: Webhook.deliveryId(event),
                body: Webhook.bodyOf(event, previous),
              })
        yield* Telemetry.countDelivery(outcome._tag)
        const jitter = (yield* random.intBetween(0, 1_000)) / 1_000
        done.push({ sequence, previous, outcome, jitter })
      }
    })
    yield* Effect.replicateEffect(one, width, { concurrency: "unbounded", discard: true })
    return { deliveries: done, rest: jobs.slice(next) }
  })

  const deliver = Effect.fnUntraced(function* (ref: WebhookRef) {
    const claimed = yield* claim(ref)
    if (claimed._tag === "NotDue") return
    const { now, progress, webhook } = claimed
    const retries = yield* retriesOf(progress, now)
    const fresh = yield* newJobs(progress, webhook)
    const post = yield* posts.open(ref.organization, webhook, now)
    const width = progress.troubledSince === null ? concurrency : 1
    const { deliveries, rest } = yield* postAll([...retries, ...fresh.jobs], post, width)
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
  })

  const makeQueue = Effect.fnUntraced(function* (isTroubled: boolean) {
    const active = new Set<string>()
    const filling = yield* Semaphore.make(1)
    let waiting: ReadonlyArray<WebhookRef> = []
    let after: WebhookRef | undefined

    const fill = Effect.gen(function* () {
      const page = yield* store.dueWebhooks({ isTroubled, limit: pageSize, after })
      const isLast = page.length < pageSize
      const isWhole = after === undefined && isLast
      after = isLast ? undefined : page.at(-1)
      waiting = page.filter((ref) => !active.has(keyOf(ref)))
      if (waiting.length === 0 && isWhole) yield* Effect.sleep(pollInterval)
    }).pipe(
      Effect.catchCause(() =>
        Effect.andThen(
          Effect.logWarning("Due webhooks could not be read"),
          Effect.sleep(pollInterval),
        ),
      ),
    )

    const take = filling.withPermit(
      Effect.gen(function* () {
        for (;;) {
          const [ref, ...rest] = waiting
          if (ref === undefined) {
            yield* fill
            continue
          }
          waiting = rest
          active.add(keyOf(ref))
          return ref
        }
      }),
    )
    return { take, give: (ref: WebhookRef) => Effect.sync(() => active.delete(keyOf(ref))) }
  })

  const queues = { troubled: yield* makeQueue(true), healthy: yield* makeQueue(false) }

  const delivered = (ref: WebhookRef) =>
    deliver(ref).pipe(
      // The organization or the webhook has gone, or the webhook was disabled.
      Effect.catchTags({ OrganizationNotFound: () => Effect.void, ...gone }),
    )

  return WebhookDelivery.of({
    isPossible: posts.transport !== undefined,
    deliver: Effect.fn("WebhookDelivery.deliver")(delivered),
    work: (isTroubled) => {
      const { give, take } = queues[isTroubled ? "troubled" : "healthy"]
      // Not acquired: an acquisition could not be interrupted while it waits.
      return Effect.flatMap(take, (ref) =>
        delivered(ref).pipe(
          Effect.catchCause(() => Effect.logWarning("A webhook could not be delivered to", ref)),
          Effect.ensuring(give(ref)),
        ),
      ).pipe(Effect.forever)
    },
  })
})

export const layer = Layer.effect(WebhookDelivery, make)

/** Delivers for the lifetime of the layer, if the process has a transport. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isPossible, work } = yield* WebhookDelivery
    if (!isPossible) return
    for (const [isTroubled, count] of [
      [true, workers.troubled],
      [false, workers.healthy],
    ] as const) {
      yield* Effect.replicateEffect(Effect.forkScoped(work(isTroubled)), count, { discard: true })
    }
  }),
)

const keyOf = ({ id, organization }: WebhookRef): string => `${organization} ${id}`

const gone = {
  WebhookNotFound: () => Effect.void,
  // A node calls without a key and from no address, and the only command with a version is repeated.
  StaleSettings: Effect.die,
  Unauthorized: Effect.die,
  InsufficientScope: Effect.die,
  AddressNotAllowed: Effect.die,
}
