/**
 * The engine's metrics. Labels are drawn from small closed sets: no
 * organization, number or id is ever one.
 */
import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { Channel } from "./Channel.ts"

/** Dispatches, by channel and by the gateway's answer. */
export const sends = Metric.counter("countersign_sends_total", {
  description: "Messages handed to the gateway, by channel and outcome",
  incremental: true,
})

/** Code checks, by what they came to. */
export const checks = Metric.counter("countersign_checks_total", {
  description: "Code checks, by outcome",
  incremental: true,
})

/** Verification requests and messages that were refused before anything was sent. */
export const refusals = Metric.counter("countersign_refusals_total", {
  description: "Requests refused by a limit or for lack of balance, by reason",
  incremental: true,
})

/** Messages with a final outcome, by status. */
export const outcomes = Metric.counter("countersign_outcomes_total", {
  description: "Messages whose outcome became final, by status",
  incremental: true,
})

/** Prices given back. */
export const refunds = Metric.counter("countersign_refunds_total", {
  description: "Messages whose price was given back",
  incremental: true,
})

/** Commands that shared a commit. */
export const batchSize = Metric.histogram("countersign_batch_size", {
  description: "Commands in one commit",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024],
})

/** From taking the lock to the durable commit. */
export const commitMillis = Metric.histogram("countersign_commit_milliseconds", {
  description: "Time from the first statement of a batch to its durable commit",
  boundaries: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048],
})

const labelled = new Map<string, Effect.Effect<void>>()

/** One more of a kind; the label sets are few, so each is made once. */
const count = (
  counter: Metric.Counter<number>,
  name: string,
  labels: Readonly<Record<string, string>>,
): Effect.Effect<void> => {
  const key = `${name} ${Object.values(labels).join(" ")}`
  const known = labelled.get(key)
  if (known !== undefined) return known
  const update = Metric.update(Metric.withAttributes(counter, labels), 1)
  labelled.set(key, update)
  return update
}

export const countSend = (channel: Channel, outcome: string): Effect.Effect<void> =>
  count(sends, "sends", { channel, outcome })

export const countCheck = (outcome: string): Effect.Effect<void> =>
  count(checks, "checks", { outcome })

export const countRefusal = (reason: string): Effect.Effect<void> =>
  count(refusals, "refusals", { reason })

export const countOutcome = (status: string): Effect.Effect<void> =>
  count(outcomes, "outcomes", { status })

export const countRefund: Effect.Effect<void> = Metric.update(refunds, 1)
