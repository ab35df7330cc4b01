/**
 * How far the deliveries of a webhook have come.
 *
 * Every event up to `position` was delivered, or waits in `retries`. An event that fails does not block the events
 * after it, until `maxRetries` events wait.
 */
import type { OrganizationId, WebhookId } from "./Ids.ts"

/** An event that waits for another attempt. */
export interface Retry {
  readonly sequence: number
  /** As in the first attempt; `Webhook.bodyOf`. */
  readonly previous: number | null
  readonly attempts: number
  /** Time of the first attempt, in epoch milliseconds. */
  readonly firstAt: number
  readonly nextAt: number
}

export interface WebhookProgress {
  readonly organization: OrganizationId
  readonly id: WebhookId
  /** `failing`: an event has failed for three days. `gone`: the receiver has answered 410. Both end deliveries. */
  readonly status: "active" | "failing" | "gone"
  readonly position: number
  /** The last event up to `position` that the webhook wants. */
  readonly previous: number | null
  readonly retries: ReadonlyArray<Retry>
  /** The earliest `nextAt`. */
  readonly retryAt: number | null
  /** Whether no further event fits into `retries`. */
  readonly isFull: boolean
  /** The start of a series of rounds in which no delivery has succeeded. */
  readonly troubledSince: number | null
  /** What was wrong with the last failed delivery; `null` after a success. */
  readonly lastError: string | null
  /** The node that delivers now, until `leaseUntil`. */
  readonly holder: string | null
  readonly leaseUntil: number
}

/** The result of a delivery. */
export type Outcome =
  | { readonly _tag: "Delivered" }
  /** Retention has dropped the event. */
  | { readonly _tag: "Dropped" }
  | {
      /** `Gone`: the receiver wants no more deliveries. It has answered 410. */
      readonly _tag: "Failed" | "Gone"
      readonly error: string
      /** The wait that the receiver asks for. */
      readonly retryAfterMillis: number
    }

export const isFailure = ({ _tag }: Outcome): boolean => _tag === "Failed" || _tag === "Gone"

export interface Delivery {
  readonly sequence: number
  readonly previous: number | null
  readonly outcome: Outcome
  /** Random, from 0 to 1: spreads the retries. */
  readonly jitter: number
}

/** Maximum number of events of a webhook that wait for a retry. */
export const maxRetries = 100

const minute = 60_000
const hour = 60 * minute

/** For how long an event is retried. */
export const retryMillis = 72 * hour

/** The pauses after each attempt, as Standard Webhooks recommends them. */
export const pauses = [
  5_000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

const longest = 24 * hour

/** The part of a pause that `jitter` may add. */
const spread = 0.25

export const initial = (
  organization: OrganizationId,
  id: WebhookId,
  position: number,
): WebhookProgress => ({
  organization,
  id,
  status: "active",
  position,
  previous: null,
  retries: [],
  retryAt: null,
  isFull: false,
  troubledSince: null,
  lastError: null,
  holder: null,
  leaseUntil: 0,
})

/** Whether a node may claim the webhook, if there is something to deliver. */
export const isFree = ({ leaseUntil, status }: WebhookProgress, now: number): boolean =>
  status === "active" && leaseUntil <= now

/** Whether there is something to deliver now. `lastEvent`: the `sequence` of the organization's newest event. */
export const isDue = (
  { isFull, position, retryAt }: WebhookProgress,
  lastEvent: number,
  now: number,
): boolean => (retryAt !== null && retryAt <= now) || (!isFull && position < lastEvent)

export const claim = (
  self: WebhookProgress,
  holder: string,
  leaseUntil: number,
): WebhookProgress => ({ ...self, holder, leaseUntil })

const withRetries = (self: WebhookProgress, retries: ReadonlyArray<Retry>): WebhookProgress => ({
  ...self,
  retries,
  retryAt: retries.length === 0 ? null : Math.min(...retries.map(({ nextAt }) => nextAt)),
  isFull: retries.length >= maxRetries,
})

/** The first attempt of an event, made at `now`. */
const firstTry = ({ previous, sequence }: Delivery, now: number): Retry => ({
  sequence,
  previous,
  attempts: 0,
  firstAt: now,
  nextAt: now,
})

const isOver = ({ firstAt }: Retry, now: number): boolean => now >= firstAt + retryMillis

/** After a failed attempt at `now`. The last attempt is at the end of `retryMillis`. */
const afterFailure = (
  self: Retry,
  jitter: number,
  retryAfterMillis: number,
  now: number,
): Retry => {
  const pause = (pauses[self.attempts] ?? longest) * (1 + spread * jitter)
  const wait = Math.min(Math.max(pause, retryAfterMillis), longest * (1 + spread))
  const nextAt = Math.min(Math.round(now + wait), self.firstAt + retryMillis)
  return { ...self, attempts: self.attempts + 1, nextAt }
}

/** A round of deliveries, and the place after it. */
export interface Round extends Pick<WebhookProgress, "position" | "previous"> {
  readonly deliveries: ReadonlyArray<Delivery>
}

/** Records a round and ends the lease. An event that ends the deliveries stays among the retries. */
export const record = (self: WebhookProgress, round: Round, now: number): WebhookProgress => {
  const { deliveries, position, previous } = round
  const retries = new Map(self.retries.map((retry) => [retry.sequence, retry]))
  let { status, lastError } = self
  for (const delivery of deliveries) {
    const { jitter, outcome, sequence } = delivery
    const tried = retries.get(sequence) ?? firstTry(delivery, now)
    if (outcome._tag === "Delivered" || outcome._tag === "Dropped") {
      retries.delete(sequence)
      continue
    }
    const { retryAfterMillis } = outcome
    lastError = outcome.error
    retries.set(sequence, afterFailure(tried, jitter, retryAfterMillis, now))
    if (outcome._tag === "Gone") status = "gone"
    else if (status === "active" && isOver(tried, now)) status = "failing"
  }
  const hasDelivered = deliveries.some(({ outcome }) => outcome._tag === "Delivered")
  const hasFailed = deliveries.some(({ outcome }) => isFailure(outcome))
  const troubledSince = self.troubledSince ?? (hasFailed ? now : null)
  return withRetries(
    {
      ...self,
      position,
      previous,
      status,
      holder: null,
      leaseUntil: 0,
      troubledSince: hasDelivered ? null : troubledSince,
      lastError: hasDelivered && !hasFailed ? null : lastError,
    },
    [...retries.values()],
  )
}

/** Where a replay starts by default: before the first event that was not delivered. */
export const undeliveredAfter = ({ position, retries }: WebhookProgress): number =>
  Math.min(position, ...retries.map(({ sequence }) => sequence - 1))

/** Starts again after an event. A node that delivers now loses its lease. */
export const replay = (self: WebhookProgress, position: number): WebhookProgress =>
  initial(self.organization, self.id, position)
