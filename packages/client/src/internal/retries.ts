/**
 * When a call is tried again, and after which wait.
 *
 * Only what reads is repeated. A 503 would not forbid it for the others in most cases, because the service
 * mostly answers it before it has done anything; but it also answers it when its database went away in the
 * middle of a commit, and the answer does not say which. What was committed then may still be sent, and an
 * attempt at a code may be used up.
 */
import type { Exchange, Outgoing } from "./exchange.ts"

/** Whoever asks for more patience than this gets none: the caller is told at once. */
const longestWaitMillis = 10_000

const firstWaitMillis = 250

/** Of the service, or of a proxy in front of it that could not reach it. */
const passing = [502, 503, 504]

/** From 0 to 1. */
const chance = (): number => {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1))
  return drawn / 0xffff_ffff
}

const growingWait = (tries: number): number => {
  const full = Math.min(longestWaitMillis, firstWaitMillis * 2 ** tries)
  return (full / 2) * (1 + chance())
}

/** What `Retry-After` asks for; `undefined` where it is not in whole seconds, as the service writes it. */
export const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined

/**
 * How long to wait until the next try; `undefined` where there is to be none. `tries` is how often it was
 * tried again before.
 */
export const waitBefore = (
  { method }: Outgoing,
  outcome: Exchange,
  tries: number,
): number | undefined => {
  if (method !== "GET" || outcome.type === "aborted") return undefined
  if (outcome.type !== "answered") return growingWait(tries)
  if (!passing.includes(outcome.status)) return undefined
  const seconds = secondsOf(outcome.retryAfter)
  if (seconds === undefined) return growingWait(tries)
  const asked = seconds * 1_000
  // A little later than asked for: those who were sent away together are not to come back together.
  return asked > longestWaitMillis ? undefined : asked + chance() * firstWaitMillis
}
