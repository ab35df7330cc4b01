import {
  maxAttempts,
  maxRetries,
  type WebhookProgress,
} from "@countersign/core/domain/webhooks/WebhookProgress"
import type { Snapshot } from "./snapshot.ts"

const problemsOf = (
  {
    attempts,
    holder,
    id,
    isFull,
    leaseUntil,
    position,
    previous,
    retries,
    retryAt,
  }: WebhookProgress,
  lastEvent: number,
): ReadonlyArray<string> => {
  const about = `I36: the webhook ${id}`
  const found: Array<string> = []
  if (position > lastEvent || (previous ?? 0) > position) {
    found.push(`${about} is beyond the event log`)
  }
  const waiting = new Set(retries.map(({ sequence }) => sequence))
  if (waiting.size !== retries.length || retries.some(({ sequence }) => sequence > position)) {
    found.push(`${about} retries an event twice, or before its first attempt`)
  }
  const first = retries.length === 0 ? null : Math.min(...retries.map(({ nextAt }) => nextAt))
  if (retryAt !== first || isFull !== retries.length >= maxRetries) {
    found.push(`${about} does not know its retries`)
  }
  // A first request that the node has ended counts as no attempt.
  if (
    retries.some(
      ({ attempts, firstAt, nextAt }) => nextAt < firstAt || (attempts < 1 && nextAt > firstAt),
    )
  ) {
    found.push(`${about} retries before it has tried`)
  }
  if ((holder === null) !== (leaseUntil === 0)) found.push(`${about} has half a lease`)
  if (attempts.length > maxAttempts) found.push(`${about} has too many attempts`)
  return found
}

export const webhookProblems = ({ account, webhooks }: Snapshot): ReadonlyArray<string> =>
  webhooks.flatMap((one) => problemsOf(one, account.lastEvent))
