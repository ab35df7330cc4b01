/**
 * Decides when to retry a call, and after which wait.
 *
 * A call is repeated if it only reads, or if it has an idempotency key, by which the service recognizes a repeat.
 * A 503 does not make a retry of other calls safe. The service mostly returns it before it has done anything, but
 * also when its database became unavailable during a commit. The response does not say which.
 */
import type { Exchange, Outgoing } from "./exchange.ts"

/** Longest wait for a retry. If `Retry-After` is longer, the call returns the error immediately. */
const longestWaitMillis = 10_000

const firstWaitMillis = 250

/** Statuses of the service, or of a proxy that could not reach it. */
const passing = [502, 503, 504]

const chance = (): number => {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1))
  return drawn / 0xffff_ffff
}

const growingWait = (tries: number): number => {
  const full = Math.min(longestWaitMillis, firstWaitMillis * 2 ** tries)
  return (full / 2) * (1 + chance())
}

/** Returns the value of `Retry-After`; `undefined` if it is not in whole seconds, the form that the service uses. */
export const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined

/** Returns the wait before the next try in milliseconds; `undefined` if the call is not retried. */
export const waitBefore = (
  { idempotencyKey, method }: Outgoing,
  outcome: Exchange,
  tries: number,
): number | undefined => {
  const isRepeatable = method === "GET" || idempotencyKey !== undefined
  if (!isRepeatable || outcome.type === "aborted") return undefined
  if (outcome.type !== "answered") return growingWait(tries)
  const isInFlight = outcome.errorCode === "idempotency_in_flight"
  if (!passing.includes(outcome.status) && !isInFlight) return undefined
  const seconds = secondsOf(outcome.retryAfter)
  if (seconds === undefined) return growingWait(tries)
  const requestedMillis = seconds * 1_000
  // Adds a random delay, so that clients that were refused together do not retry together.
  return requestedMillis > longestWaitMillis
    ? undefined
    : requestedMillis + chance() * firstWaitMillis
}

/**
 * The retries that all calls of a client share: ten, and one more for every five calls. Without it, clients would
 * multiply the load of a service that is failing.
 */
export class RetryBudget {
  #tokens = maxTokens

  earn(): void {
    this.#tokens = Math.min(maxTokens, this.#tokens + tokensPerCall)
  }

  /** Whether there is a retry left, which is then used up. */
  spend(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

const maxTokens = 10
const tokensPerCall = 0.2
