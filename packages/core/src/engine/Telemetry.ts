/** The engine's metrics. Labels come from small closed sets, never from organizations, numbers or ids. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type { Kind } from "../decide/maintenance/Pruning.ts"
import { isUnsentStatus, type Status } from "../domain/messages/Message.ts"

const counter = (name: string, description: string): Metric.Counter<number> =>
  Metric.counter(`countersign_${name}_total`, { description, incremental: true })

export const sends = counter("sends", "Messages handed to the gateway, by channel and outcome")

export const checks = counter("checks", "Code checks, by outcome")

export const refusals = counter(
  "refusals",
  "Requests refused by a limit or for lack of balance or of a sender, by reason",
)

export const outcomes = counter("outcomes", "Messages whose outcome became final, by status")

/** Attempts to send a message, by gateway and outcome. A message may take several. */
export const attempts = counter(
  "gateway_attempts",
  "Tries to hand a message to a gateway, by gateway and outcome",
)

export const circuits = counter(
  "gateway_circuit_changes",
  "Changes of gateways' circuits, by gateway and new state",
)

export const fallbacks = counter(
  "fallbacks",
  "Codes sent by SMS because WhatsApp had not delivered them, by reason",
)

export const refunds = counter("refunds", "Messages whose price was given back")

export const unreadable = counter(
  "unreadable",
  "Answers, reports and texts of adapters and templates that could not be read, by kind",
)

export const droppedRows = counter("dropped_rows", "Rows dropped by retention, by kind")

export const deliveries = counter(
  "webhook_deliveries",
  "Attempts to deliver an event to a webhook, by outcome",
)

export const clockAlarms = counter("clock_alarms", "Alarms about the store's clock, by kind")

export const batchSize = Metric.histogram("countersign_batch_size", {
  description: "Commands in one commit",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024],
})

export const commitMillis = Metric.histogram("countersign_commit_milliseconds", {
  description: "Time from the first statement of a batch to its durable commit",
  boundaries: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048],
})

/** Adds one to a metric in the registry of a context. */
export type Update = (context: Context.Context<never>) => void

const labelled = new Map<string, Update>()

/** The update for one label set. There are few label sets, so each update is made once. */
export const count = (
  counted: Metric.Counter<number>,
  labels: Readonly<Record<string, string>>,
): Update => {
  const key = `${counted.id} ${Object.values(labels).join(" ")}`
  const known = labelled.get(key)
  if (known !== undefined) return known
  const metric = Metric.withAttributes(counted, labels)
  const update: Update = (context) => metric.updateUnsafe(1, context)
  labelled.set(key, update)
  return update
}

/** As `count`, for effects. */
export const increment = (
  counter: Metric.Counter<number>,
  labels: Readonly<Record<string, string>>,
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    count(counter, labels)(fiber.context)
    return Effect.void
  })

export const countRefund: Update = (context) => refunds.updateUnsafe(1, context)

/** An organization has no default sender, and the request names none. */
export const countWithoutSender: Update = count(refusals, { reason: "NoDefaultSender" })

/** Counts a code that is sent by SMS after a message with this status. */
export const countFallback = (after: Status): Effect.Effect<void> => {
  const lost = after === "undelivered" ? "undelivered" : "silence"
  return increment(fallbacks, { reason: isUnsentStatus(after) ? "refused" : lost })
}

export const countDropped = (kind: Kind, rows: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(droppedRows, { kind }), rows)

/** Kinds of unreadable values; `lines` describes each. */
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

/** Counts an unreadable value, and logs the first of each kind and source: a gateway, or an organization. */
export const noteUnreadable = (
  kind: Unreadable,
  source: Readonly<Record<string, string>>,
  problem: string,
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    count(unreadable, { kind })(fiber.context)
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
