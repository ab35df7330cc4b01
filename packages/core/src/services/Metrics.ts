/** The metrics of the engine in the text format of Prometheus. Every series exists from the start, at zero. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { type Label, metricRows, type Name } from "../engine/MetricTable.ts"
import { Readiness } from "../engine/Readiness.ts"
import * as Telemetry from "../engine/Telemetry.ts"
import * as Money from "../domain/values/Money.ts"
import { NumberPolicy } from "../domain/values/PhoneNumber.ts"
import { Gateway } from "../ports/Gateway.ts"
import { Store } from "../ports/Store.ts"
import type { StoreSummary } from "../ports/StoreState.ts"

export class Metrics extends Context.Service<
  Metrics,
  {
    /**
     * The metrics of this node, in the format `text/plain; version=0.0.4`. The sums over all organizations are at most 15
     * seconds old, or as old as a hundred times the time that reading them takes.
     */
    readonly text: Effect.Effect<string>
  }
>()("@countersign/core/services/Metrics") {}

/** How long a sum over all organizations counts, and how many times longer than it takes to read. */
const summaryAge = { least: Duration.seconds(15), times: 100 }

/** How long a scrape waits for the database. */
const limit = Duration.seconds(5)

const names = Object.keys(metricRows).filter((name): name is Name => name in metricRows)

type Labels = Readonly<Record<string, string>>

/** Each combination of the values of labels. */
const combinations = (
  labels: Readonly<Record<string, Label>>,
  valuesOf: (label: Label) => ReadonlyArray<string>,
): ReadonlyArray<Labels> =>
  Object.entries(labels).reduce<ReadonlyArray<Labels>>(
    (found, [name, label]) =>
      found.flatMap((one) => valuesOf(label).map((value) => ({ ...one, [name]: value }))),
    [{}],
  )

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const store = yield* Store
  const readiness = yield* Readiness
  const { countries = [] } = yield* NumberPolicy
  const context = yield* Effect.context<never>()
  const registry = Context.get(context, Metric.MetricRegistry)

  const statesNow =
    gateway.states ?? Effect.succeed([{ gateway: gateway.name, state: "available" } as const])
  // An answer of several gateways may be of none of them.
  const gateways = new Set([gateway.name, ...(yield* statesNow).map((one) => one.gateway)])
  const known = {
    gateway: [...gateways].map(Telemetry.gatewayLabel),
    country: [...new Set([...countries.map(Telemetry.countryLabel), Telemetry.otherLabel])],
  }

  const valuesOf = (label: Label) => (typeof label === "string" ? known[label] : label)
  for (const name of names) {
    for (const labels of combinations(metricRows[name].labels ?? {}, valuesOf)) {
      Telemetry.begin(name, labels, context)
    }
  }

  const set = (name: Name, value: number, labels: Labels = {}): void =>
    Metric.withAttributes(Telemetry.gauge(name), labels).updateUnsafe(value, context)

  const showSummary = ({ held, lags, unableToSend }: StoreSummary): void => {
    for (const [task, millis] of Object.entries(lags)) {
      set("countersign_lag_seconds", millis / 1_000, { task })
    }
    const reasons = {
      suspended: unableToSend.suspended,
      no_sender: unableToSend.noSender,
      no_balance: unableToSend.noBalance,
    }
    for (const [reason, count] of Object.entries(reasons)) {
      set("countersign_organizations_unable_to_send", count, { reason })
    }
    set("countersign_money_held", Money.toNumber(held))
  }

  const summary = yield* store.summary.pipe(
    Effect.timed,
    Effect.timeout(limit),
    Effect.exit,
    Effect.cachedWithTTL((exit) => {
      const [took] =
        exit._tag === "Success" && exit.value._tag === "Success" ? exit.value.value : []
      return Duration.max(summaryAge.least, Duration.times(took ?? Duration.zero, summaryAge.times))
    }),
  )

  const refresh = Effect.gen(function* () {
    const read = yield* summary
    set("countersign_database_up", read._tag === "Success" ? 1 : 0)
    if (read._tag === "Success") showSummary(read.value[1])
    set("countersign_ready", (yield* readiness.unready) === undefined ? 1 : 0)
    const { inUse, max, waiting } = yield* store.connections
    set("countersign_connections_in_use", inUse)
    set("countersign_connections_waiting", waiting)
    set("countersign_connections_max", max)
    set("countersign_rows_in_memory", yield* store.rowsInMemory)
    for (const { gateway: name, state } of yield* statesNow) {
      for (const one of states) {
        const labels = { gateway: Telemetry.gatewayLabel(name), state: one }
        set("countersign_gateway_state", Number(one === state), labels)
      }
    }
  })

  /** The engine's metrics, in the order of the table. The registry may have others. */
  const own = () => {
    const byName = Map.groupBy(registry, ([, { id }]) => id)
    return new Map(names.flatMap((name) => byName.get(name) ?? []))
  }

  return Metrics.of({
    text: Effect.gen(function* () {
      yield* refresh
      // Few processes are scraped at their start.
      const { formatUnsafe } = yield* Effect.promise(
        () => import("effect/observability/PrometheusMetrics"),
      )
      return formatUnsafe(Context.make(Metric.MetricRegistry, own()))
    }),
  })
})

const states = metricRows.countersign_gateway_state.labels?.["state"] ?? []

export const layer = Layer.effect(Metrics, make)
