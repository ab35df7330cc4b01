/** The activity of gateways, over all organizations and nodes, and tests of gateways. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { gatewayActivity, gatewayTests } from "../api/gateways.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import type * as Operation from "../api/Operation.ts"
import { type GatewayPeriod, silentMillis } from "../domain/messages/GatewayPeriod.ts"
import * as Counter from "../domain/money/Counter.ts"
import * as Total from "../domain/money/Total.ts"
import { failureReasons } from "../domain/values/FailureReason.ts"
import { InvalidRequest } from "../domain/errors/Errors.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Money from "../domain/values/Money.ts"
import { GatewayWatch } from "../engine/GatewayWatch.ts"
import { Gateway, statesOf } from "../ports/Gateway.ts"
import { Store } from "../ports/Store.ts"
import { Messages } from "./Messages.ts"
import { maxSlots } from "./Totals.ts"

type Activity = (typeof gatewayActivity.activity.output)["Type"][number]

type Sums = Pick<Activity, "amount" | "answers" | "p50" | "p95" | "refunded" | "statuses">

export const maxErrors = 50
export const maxPauses = 100

export class Gateways extends Context.Service<
  Gateways,
  Operation.HostMethods<typeof gatewayActivity & typeof gatewayTests>
>()("@countersign/core/services/Gateways") {}

const slots = { hour: Total.hourMillis, day: Total.dayMillis } as const

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const store = yield* Store
  const messages = yield* Messages
  const { node: here } = yield* GatewayWatch

  const meaningOf = (name: string, code: string): string | null =>
    gateway.meaningOf?.(name, code) ?? null

  /** Fails if no gateway has the name. */
  const known = (names: ReadonlyArray<string>, name: string) =>
    names.includes(name)
      ? Effect.succeed([name])
      : Effect.fail(
          new InvalidRequest({ details: { gateway: [FieldProblem.make("unknown_gateway", {})] } }),
        )

  const names = Effect.map(statesOf(gateway), (states) => states.map((one) => one.gateway))

  return Gateways.of({
    activity: Effect.fn("Gateways.activity")(function* ({
      every = "day",
      from,
      gateway: only,
      to,
    }) {
      const slotMillis = slots[every]
      const start = Total.slotOf(from, slotMillis)
      const problems = new FieldProblems()
      if (start > to) problems.fail("from", "after_to", {})
      if (to > start + maxSlots * slotMillis) {
        problems.fail("to", "too_many_slots", { max: maxSlots })
      }
      if (problems.error !== undefined) return yield* problems.error
      const all = yield* names
      const subjects = only === undefined ? all : yield* known(all, only)
      const end = Math.ceil(to / slotMillis) * slotMillis
      const query = { kinds: Counter.gatewayKinds, subjects, from: start, to: end, slotMillis }
      const rows = Map.groupBy(yield* store.counters(query), ({ subject }) => subject)
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.forEach(subjects, (name) =>
        Effect.map(store.gatewayPeriods(name, start), (periods) => ({
          gateway: name,
          ...activityOf(rows.get(name) ?? [], (code) => meaningOf(name, code)),
          pauses: pausesIn(periods, now)
            .filter((one) => one.from < to)
            .slice(0, maxPauses),
          nodes: nodesIn(periods, now, here),
        })),
      )
    }),
    testGateway: Effect.fn("Gateways.testGateway")(function* (input) {
      yield* known(yield* names, input.gateway)
      const { gatewayId, logStatus: status, sequence } = yield* messages.sendThrough(input)
      return { sequence, status, gatewayId }
    }, Effect.catchTags(notForHosts)),
  })
})

export const layer = Layer.effect(Gateways, make)

/** The host calls without a key and from no address. */
const notForHosts = {
  Unauthorized: Effect.die,
  InsufficientScope: Effect.die,
  AddressNotAllowed: Effect.die,
}

const sumsOf = (rows: ReadonlyArray<Counter.Counter>): Sums => {
  const statuses: Record<string, number> = {}
  let [amount, refunded] = [Money.zero, Money.zero]
  for (const row of rows) {
    if (row.kind !== "messages") continue
    statuses[row.name] = (statuses[row.name] ?? 0) + row.count
    amount = Total.plus(amount, row.amount)
    refunded = Total.plus(refunded, row.refunded)
  }
  const histogram = Counter.histogramOf(rows.filter(({ kind }) => kind === "answers"))
  return {
    statuses,
    amount,
    refunded,
    answers: histogram.reduce((sum, count) => sum + count, 0),
    p50: Counter.quantile(histogram, 0.5),
    p95: Counter.quantile(histogram, 0.95),
  }
}

const activityOf = (
  rows: ReadonlyArray<Counter.Counter>,
  meaningOf: (code: string) => string | null,
): Omit<Activity, "gateway" | "nodes" | "pauses"> => {
  const { errors = [], sums = [] } = Object.groupBy(rows, ({ kind }) =>
    kind === "errors" ? "errors" : "sums",
  )
  const slots = Map.groupBy(sums, ({ hour }) => hour)
  return {
    ...sumsOf(sums),
    slots: [...slots].map(([at, own]) => ({ at, ...sumsOf(own) })),
    errors: errorsIn(errors, meaningOf),
  }
}

/** The errors of a period. A longer slot than any contains all of it. */
const errorsIn = (
  rows: ReadonlyArray<Counter.Counter>,
  meaningOf: (code: string) => string | null,
): Activity["errors"] =>
  Counter.inSlots(rows, Number.MAX_SAFE_INTEGER)
    .toSorted((a, b) => b.count - a.count || b.lastAt - a.lastAt)
    .slice(0, maxErrors)
    .map(({ count, lastAt, lastOrganization, lastSequence, name }) => {
      const [first = "", ...rest] = name.split(":")
      const vendorCode = rest.length === 0 ? null : rest.join(":")
      return {
        reason: failureReasons.find((reason) => reason === first) ?? "unknown",
        vendorCode,
        meaning: vendorCode === null ? null : meaningOf(vendorCode),
        count,
        last: { organization: lastOrganization, sequence: lastSequence, at: lastAt },
      }
    })

/** A node that has stopped without a word has ended its pause when it was last seen. */
const pausesIn = (periods: ReadonlyArray<GatewayPeriod>, now: number): Activity["pauses"] =>
  periods
    .filter(({ state }) => state !== "available")
    .map(({ moved, node, reason, seenAt, since, state, until }) => ({
      node,
      state,
      from: since,
      to: until ?? (now - seenAt > silentMillis ? seenAt : null),
      reason,
      moved,
    }))

const nodesIn = (
  periods: ReadonlyArray<GatewayPeriod>,
  now: number,
  here: string,
): Activity["nodes"] =>
  periods
    .filter(({ seenAt, until }) => until === null && now - seenAt <= silentMillis)
    .map(({ node, reason, retryAt, seenAt, since, state }) => ({
      node,
      isHere: node === here,
      state,
      since,
      reason,
      retryAt,
      seenAt,
    }))
