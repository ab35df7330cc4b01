/** The engine's metrics, made from their table. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type { Kind } from "../decide/maintenance/Pruning.ts"
import type { Channel } from "../domain/values/Channel.ts"
import { isUnsentStatus, type Message, type Status } from "../domain/messages/Message.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import { Countries } from "./internal/countries.ts"
import { type Name, type Route, metricRows, statusClasses } from "./MetricTable.ts"

/** The metrics of one kind that have no labels, by their names in the table. */
const counter = (name: Name): Metric.Counter<number> =>
  Metric.counter(name, { description: metricRows[name].help, incremental: true })

export const gauge = (name: Name): Metric.Gauge<number> =>
  Metric.gauge(name, { description: metricRows[name].help })

const histogram = (name: Name): Metric.Histogram<number> =>
  Metric.histogram(name, {
    description: metricRows[name].help,
    boundaries: metricRows[name].boundaries ?? [],
  })

/** Adds a series to the registry of a context, unless it is there. It begins at zero. */
export const begin = (
  name: Name,
  labels: Readonly<Record<string, string>>,
  context: Context.Context<never>,
): void => {
  const register = <I, S>(metric: Metric.Metric<I, S>): void =>
    void Metric.withAttributes(metric, labels).valueUnsafe(context)
  const { kind } = metricRows[name]
  if (kind === "counter") register(counter(name))
  else if (kind === "gauge") register(gauge(name))
  else register(histogram(name))
}

export const sends = counter("countersign_sends_total")

export const checks = counter("countersign_checks_total")

export const refusals = counter("countersign_refusals_total")

export const outcomes = counter("countersign_outcomes_total")

/** Attempts to send a message, by gateway and outcome. A message may take several. */
export const attempts = counter("countersign_gateway_attempts_total")

export const circuits = counter("countersign_gateway_circuit_changes_total")

export const fallbacks = counter("countersign_fallbacks_total")

export const refunds = counter("countersign_refunds_total")

export const unreadable = counter("countersign_unreadable_total")

export const droppedRows = counter("countersign_dropped_rows_total")

export const deliveries = counter("countersign_webhook_deliveries_total")

export const clockAlarms = counter("countersign_clock_alarms_total")

export const batchSize = histogram("countersign_batch_size")

export const commitSeconds = histogram("countersign_commit_seconds")

const requests = counter("countersign_http_requests_total")

const requestSeconds = histogram("countersign_http_request_seconds")

const overloads = counter("countersign_http_overloads_total")

const answerSeconds = histogram("countersign_gateway_answer_seconds")

/** The value of a label that would be one too many. */
export const otherLabel = "other"

/** Maximum number of countries, and of gateways, that have series of their own in a process. */
export const maxLabels = 40

/** Names that become known while the engine runs. Those that come too late share one series. */
class SeenLabels {
  readonly #seen = new Set<string>()

  of(name: string): string {
    if (this.#seen.has(name)) return name
    if (name === "" || this.#seen.size >= maxLabels) return otherLabel
    this.#seen.add(name)
    return name
  }
}

const countries = new Countries()
const countryLabels = new SeenLabels()
const gatewayLabels = new SeenLabels()

export const countryLabel = (country: string): string => countryLabels.of(country)

export const gatewayLabel = (gateway: string): string => gatewayLabels.of(gateway)

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

interface Sent {
  readonly channel: Channel
  readonly phoneNumber: PhoneNumber
}

const labelsOf = ({ channel, phoneNumber }: Sent, gateway: string) => ({
  channel,
  gateway: gatewayLabel(gateway),
  country: countryLabel(countries.of(phoneNumber)),
})

/** Counts a message that a gateway has answered. */
export const countSend = (message: Sent, gateway: string, outcome: string): Update =>
  count(sends, { ...labelsOf(message, gateway), outcome })

/** Counts a message that has its final outcome. */
export const countOutcome = (message: Message): Update =>
  count(outcomes, { ...labelsOf(message, message.gateway), status: message.status })

/** Seconds since an earlier reading of the monotonic clock. */
const secondsSince = (start: bigint, context: Context.Context<never>): number =>
  Number(monotonicNanos(context) - start) / 1e9

export const monotonicNanos = (context: Context.Context<never>): bigint =>
  Context.get(context, Clock.Clock).monotonicTimeNanosUnsafe()

const timed = new Map<string, Metric.Histogram<number>>()

/** Records how long a gateway took. */
export const recordAnswer = (
  gateway: string,
  start: bigint,
  context: Context.Context<never>,
): void => {
  const label = gatewayLabel(gateway)
  const metric = timed.get(label) ?? Metric.withAttributes(answerSeconds, { gateway: label })
  timed.set(label, metric)
  metric.updateUnsafe(secondsSince(start, context), context)
}

/** Returns the function that records an answer on a route. */
export const requestRecorder = (
  route: Route,
): ((status: number, start: bigint, context: Context.Context<never>) => void) => {
  const counts = statusClasses.map((status) => count(requests, { route, status }))
  const seconds = Metric.withAttributes(requestSeconds, { route })
  return (status, start, context) => {
    counts[Math.floor(status / 100) - 2]?.(context)
    seconds.updateUnsafe(secondsSince(start, context), context)
  }
}

export const countOverload: Update = (context) => overloads.updateUnsafe(1, context)

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
