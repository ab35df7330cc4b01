/**
 * How far the deliveries of a webhook have come.
 *
 * Every event up to `position` was delivered, or waits in `retries`. An event that fails does not block the events
 * after it, until `maxRetries` events wait.
 */
import type { EventType } from "../events/EventTable.ts"
import type { OrganizationId, WebhookId } from "../values/Ids.ts"

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

/** A request to the receiver, and its answer. */
export interface Attempt {
  readonly sequence: number
  /** Epoch milliseconds of the node that sent it. */
  readonly at: number
  /** Time until the answer, or until the request was given up. */
  readonly millis: number
  /** `null`: there was no answer. */
  readonly status: number | null
  /** The cause of the failure; `null` if the receiver has taken the event. */
  readonly error: string | null
  /** The beginning of the answer's body without long numbers; `null` if it is empty. */
  readonly answer: string | null
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
  /**
   * Until when its answers count as slow, in epoch milliseconds; 0 if no answer was slow. `null` before its first delivery:
   * how fast the receiver answers is not known.
   */
  readonly slowUntil: number | null
  /** The error of the last failed delivery; `null` after a success. */
  readonly lastError: string | null
  /** The newest attempts, newest first. At most `maxAttempts`. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Number of all attempts. A replay keeps it. */
  readonly attempted: number
  /** The node that delivers now, until `leaseUntil`. */
  readonly holder: string | null
  readonly leaseUntil: number
}

/** The result of a delivery. */
export type Outcome =
  | { readonly _tag: "Delivered" }
  /** Retention has dropped the event. */
  | { readonly _tag: "Dropped" }
  /** The node ended the request before its answer, because others waited for its place. */
  | { readonly _tag: "Cut" }
  | {
      /** `Gone`: the receiver wants no more deliveries. It has answered 410. */
      readonly _tag: "Failed" | "Gone"
      readonly error: string
      /** The wait that the receiver asks for. */
      readonly retryAfterMillis: number
    }

export const isFailure = ({ _tag }: Outcome): boolean => _tag === "Failed" || _tag === "Gone"

/** The answer to a request. */
export interface Answer {
  readonly outcome: Outcome
  readonly status: number | null
  /** The beginning of the body, at most `maxAnswerLength` characters. */
  readonly answer: string | null
}

export interface Delivery extends Answer, Pick<Attempt, "at" | "millis"> {
  readonly sequence: number
  readonly previous: number | null
  /** The type of the event; `null` if retention has dropped it. */
  readonly type: EventType | null
  /** Random, from 0 to 1: spreads the retries. */
  readonly jitter: number
}

/** Maximum number of attempts that the progress contains, and of characters of their answers. */
export const maxAttempts = 20
const maxShownLength = 200

/** Maximum number of characters of an answer. */
export const maxAnswerLength = 1_000

/** Maximum number of events of a webhook that wait for a retry. */
export const maxRetries = 100

/** An answer that takes this long is slow. */
export const slowMillis = 1_000

const minute = 60_000

/** How long a webhook counts as slow after a slow answer. */
export const slowForMillis = 10 * minute

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
  slowUntil: null,
  lastError: null,
  attempts: [],
  attempted: 0,
  holder: null,
  leaseUntil: 0,
})

/** Whether a node may claim the webhook, if there is something to deliver. */
export const isFree = ({ leaseUntil, status }: WebhookProgress, now: number): boolean =>
  status === "active" && leaseUntil <= now

/**
 * Whether its deliveries may take long: the last ones have failed, an answer was slow, or no request was answered yet. Such a
 * webhook waits for places of its own, and does not delay the others.
 */
export const isTroubled = (
  { slowUntil, troubledSince }: Pick<WebhookProgress, "slowUntil" | "troubledSince">,
  now: number,
): boolean => troubledSince !== null || slowUntil === null || now < slowUntil

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

const firstTry = ({ previous, sequence }: Delivery, now: number): Retry => ({
  sequence,
  previous,
  attempts: 0,
  firstAt: now,
  nextAt: now,
})

const isDelivered = ({ outcome }: Delivery): boolean => outcome._tag === "Delivered"

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

const slowAfter = (
  { slowUntil }: WebhookProgress,
  deliveries: ReadonlyArray<Delivery>,
  now: number,
): number | null => {
  if (deliveries.some(({ millis }) => millis >= slowMillis)) return now + slowForMillis
  return deliveries.some(isDelivered) ? (slowUntil ?? 0) : slowUntil
}

const cutError = "The request was ended before its answer, and is repeated"

export const attemptOf = (delivery: Delivery): Attempt => {
  const { answer, at, millis, outcome, sequence, status } = delivery
  const error = "error" in outcome ? outcome.error : null
  return { sequence, at, millis, status, error: outcome._tag === "Cut" ? cutError : error, answer }
}

/** The newest attempts after a round, and the number of all. Deliveries are in the order of their ends. */
const attemptsAfter = (
  { attempted, attempts }: WebhookProgress,
  deliveries: ReadonlyArray<Delivery>,
): Pick<WebhookProgress, "attempted" | "attempts"> => {
  const made = deliveries.filter(({ outcome }) => outcome._tag !== "Dropped")
  const newest = made.toReversed().map((delivery) => {
    const attempt = attemptOf(delivery)
    return { ...attempt, answer: attempt.answer?.slice(0, maxShownLength).toWellFormed() ?? null }
  })
  return {
    attempts: [...newest, ...attempts].slice(0, maxAttempts),
    attempted: attempted + made.length,
  }
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
    if (outcome._tag === "Cut") {
      // Due at once. This was no attempt: the receiver had less time than it is given.
      retries.set(sequence, tried)
      continue
    }
    const { retryAfterMillis } = outcome
    lastError = outcome.error
    retries.set(sequence, afterFailure(tried, jitter, retryAfterMillis, now))
    if (outcome._tag === "Gone") status = "gone"
    else if (status === "active" && isOver(tried, now)) status = "failing"
  }
  const hasDelivered = deliveries.some(isDelivered)
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
      slowUntil: slowAfter(self, deliveries, now),
      ...attemptsAfter(self, deliveries),
      lastError: hasDelivered && !hasFailed ? null : lastError,
    },
    [...retries.values()],
  )
}

/**
 * Records the delivery of one event that a person has sent again. The deliveries under way go on: only a success ends the
 * retries of the event, and a failure changes no time.
 */
export const recordResent = (self: WebhookProgress, delivery: Delivery): WebhookProgress => {
  const isLeft = ({ sequence }: Retry): boolean =>
    sequence !== delivery.sequence || !isDelivered(delivery)
  return {
    ...withRetries(self, self.retries.filter(isLeft)),
    ...attemptsAfter(self, [delivery]),
  }
}

/** Where a replay starts by default: before the first event that was not delivered. */
export const undeliveredAfter = ({ position, retries }: WebhookProgress): number =>
  Math.min(position, ...retries.map(({ sequence }) => sequence - 1))

/** Starts again after an event. A node that delivers now loses its lease. */
export const replay = (self: WebhookProgress, position: number): WebhookProgress => ({
  ...initial(self.organization, self.id, position),
  slowUntil: self.slowUntil,
  attempts: self.attempts,
  attempted: self.attempted,
})
