/**
 * The engine's metrics. Labels come from small closed sets and never contain an organization, a phone number
 * or an id.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type { Channel } from "../domain/Channel.ts"
import type { Kind } from "../decide/Pruning.ts"

/** Dispatches, by channel and gateway outcome. */
export const sends = Metric.counter("countersign_sends_total", {
  description: "Messages handed to the gateway, by channel and outcome",
  incremental: true,
})

/** Code checks, by outcome. */
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

/**
 * Attempts to send a message, by gateway and outcome. A message may take several. The host configures the few
 * gateways.
 */
export const attempts = Metric.counter("countersign_gateway_attempts_total", {
  description: "Tries to hand a message to a gateway, by gateway and outcome",
  incremental: true,
})

/** Changes of the gateways' circuits, by gateway and new state. */
export const circuits = Metric.counter("countersign_gateway_circuit_changes_total", {
  description: "Changes of gateways' circuits, by gateway and new state",
  incremental: true,
})

/** Codes that were sent by SMS after WhatsApp, by the reason. */
export const fallbacks = Metric.counter("countersign_fallbacks_total", {
  description: "Codes sent by SMS because WhatsApp had not delivered them, by reason",
  incremental: true,
})

/** Refunded prices. */
export const refunds = Metric.counter("countersign_refunds_total", {
  description: "Messages whose price was given back",
  incremental: true,
})

/** Unreadable values of adapters and templates, by kind. */
export const unreadable = Metric.counter("countersign_unreadable_total", {
  description:
    "Answers, reports and texts of adapters and templates that could not be read, by kind",
  incremental: true,
})

/** Rows that retention has dropped, by kind. */
export const droppedRows = Metric.counter("countersign_dropped_rows_total", {
  description: "Rows dropped by retention, by kind",
  incremental: true,
})

/**
 * Alarms about the store's clock, by kind: the clock has jumped ahead, or an organization's time is far
 * ahead.
 */
export const clockAlarms = Metric.counter("countersign_clock_alarms_total", {
  description: "Alarms about the store's clock, by kind",
  incremental: true,
})

/** Commands that shared a commit. */
export const batchSize = Metric.histogram("countersign_batch_size", {
  description: "Commands in one commit",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024],
})

/** Milliseconds from taking the lock to the durable commit. */
export const commitMillis = Metric.histogram("countersign_commit_milliseconds", {
  description: "Time from the first statement of a batch to its durable commit",
  boundaries: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048],
})

/** Adds one to a metric in the registry of a context. */
export type Update = (context: Context.Context<never>) => void

const labelled = new Map<string, Update>()

/** The update for one label set. There are few label sets, so each update is made once. */
const count = (
  counter: Metric.Counter<number>,
  name: string,
  labels: Readonly<Record<string, string>>,
): Update => {
  const key = `${name} ${Object.values(labels).join(" ")}`
  const known = labelled.get(key)
  if (known !== undefined) return known
  const metric = Metric.withAttributes(counter, labels)
  const update: Update = (context) => metric.updateUnsafe(1, context)
  labelled.set(key, update)
  return update
}

const effectOf = (update: Update): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    update(fiber.context)
    return Effect.void
  })

export const countSend = (channel: Channel, outcome: string): Update =>
  count(sends, "sends", { channel, outcome })

export const countCheck = (outcome: string): Effect.Effect<void> =>
  effectOf(count(checks, "checks", { outcome }))

export const countRefusal = (reason: string): Effect.Effect<void> =>
  effectOf(count(refusals, "refusals", { reason }))

export const countOutcome = (status: string): Update => count(outcomes, "outcomes", { status })

export const countRefund: Update = (context) => refunds.updateUnsafe(1, context)

export const countClockAlarm = (kind: "jump" | "organization"): Update =>
  count(clockAlarms, "clock alarms", { kind })

export const countAttempt = (gateway: string, outcome: string): Effect.Effect<void> =>
  effectOf(count(attempts, "attempts", { gateway, outcome }))

export const countCircuit = (gateway: string, state: string): Effect.Effect<void> =>
  effectOf(count(circuits, "circuits", { gateway, state }))

export const countFallback = (reason: string): Effect.Effect<void> =>
  effectOf(count(fallbacks, "fallbacks", { reason }))

export const countDropped = (kind: Kind, rows: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(droppedRows, { kind }), rows)

/**
 * Kinds of unreadable values: the outcome of a dispatch, the answer to a question (the outcome of a message,
 * or whether a number is reachable), a delivery report, or the text of a template.
 */
export type Unreadable = "outcome" | "lookup" | "report" | "template"

/** Maximum number of logged sources per kind. Unreadable values of further sources are only counted. */
const maxLogged = 1_000

/** The sources whose unreadable values this process has logged, by kind. */
export const LoggedSources = Context.Reference<Map<Unreadable, Set<string>>>(
  "@countersign/core/LoggedSources",
  { defaultValue: () => new Map() },
)

const lines: { readonly [K in Unreadable]: string } = {
  outcome: "A gateway's answer could not be read; the outcome of the message is unknown",
  lookup: "A gateway's answer to a question could not be read",
  report: "A delivery report could not be read and was not applied",
  template: "The text of a template cannot be sent; the request has failed",
}

/**
 * Counts an unreadable value, and logs the first of each kind and source. `source` is part of the log line:
 * the name of a gateway, or an organization. `problem` names the field and its requirement.
 */
export const noteUnreadable = (
  kind: Unreadable,
  source: Readonly<Record<string, string>>,
  problem: string,
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    count(unreadable, "unreadable", { kind })(fiber.context)
    const logged = Context.get(fiber.context, LoggedSources)
    const sources = logged.get(kind) ?? new Set()
    logged.set(kind, sources)
    const key = Object.values(source).join("\n")
    if (sources.has(key) || sources.size >= maxLogged) return Effect.void
    sources.add(key)
    return Effect.logError(lines[kind], { ...source, problem })
  })

/** The value that an adapter has returned; `otherwise` if it is unreadable, which is counted and logged. */
export const readOr = <A, B>(
  read: Result.Result<A, string>,
  otherwise: B,
  kind: Unreadable,
  gateway: string,
): Effect.Effect<A | B> =>
  Result.isSuccess(read)
    ? Effect.succeed(read.success)
    : Effect.as(noteUnreadable(kind, { gateway }, read.failure), otherwise)
