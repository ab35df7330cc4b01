/** The counters, the states of gateways and the attempts of webhooks in memory. */
import * as Order from "effect/Order"
import * as Effect from "effect/Effect"
import * as GatewayPeriod from "../../domain/messages/GatewayPeriod.ts"
import * as Counter from "../../domain/money/Counter.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as WebhookAttempt from "../../domain/webhooks/WebhookAttempt.ts"
import { type CounterRows, selectsAttempt } from "../../ports/CounterRows.ts"
import type { OrganizationState } from "./organizationState.ts"

const byPlace = Order.combineAll([
  Order.mapInput(Order.Number, ({ hour }: Counter.Counter) => hour),
  Order.mapInput(Order.String, ({ kind }: Counter.Counter): string => kind),
  Order.mapInput(Order.String, ({ subject }: Counter.Counter) => subject),
  Order.mapInput(Order.String, ({ name }: Counter.Counter) => name),
])

const keyOf = ({ gateway, node, since }: GatewayPeriod.GatewayPeriod): string =>
  JSON.stringify([gateway, node, since])

const endOf = ({ until }: GatewayPeriod.GatewayPeriod): number => until ?? Infinity

/** The counters in memory. Old ones go when a new hour begins. */
export class Counters {
  readonly #sums = new Counter.Sums()
  #newest = 0

  add(counters: ReadonlyArray<Counter.Counter>): void {
    for (const one of counters) {
      this.#sums.add(one)
      if (one.hour <= this.#newest) continue
      this.#newest = one.hour
      this.#sums.dropBefore(one.hour - Counter.keptMillis.day)
    }
  }

  rows(): ReadonlyArray<Counter.Counter> {
    return this.#sums.rows()
  }
}

export const makeCounterRows = (
  states: ReadonlyMap<OrganizationId, OrganizationState>,
  counters: Counters,
  isCounted: boolean,
): CounterRows => {
  const periods = new Map<string, GatewayPeriod.GatewayPeriod>()
  return {
    counters: ({ from, kinds, slotMillis, subjects, to }) =>
      Effect.sync(() => {
        const selected = counters
          .rows()
          .filter(
            ({ hour, kind, subject }) =>
              hour >= from && hour < to && kinds.includes(kind) && subjects.includes(subject),
          )
        return Counter.inSlots(selected, slotMillis).toSorted(byPlace)
      }),
    addCounters: (added) =>
      Effect.sync(() => {
        if (isCounted) counters.add(added)
      }),
    saveGatewayPeriods: (saved) =>
      Effect.sync(() => {
        for (const one of saved) {
          periods.set(keyOf(one), one)
          const oldest = one.seenAt - GatewayPeriod.keptMillis
          for (const [key, old] of periods) if (endOf(old) < oldest) periods.delete(key)
        }
      }),
    gatewayPeriods: (gateway, from) =>
      Effect.sync(() =>
        [...periods.values()]
          .filter((one) => one.gateway === gateway && endOf(one) >= from)
          .toSorted(
            (a, b) => b.since - a.since || Number(a.node > b.node) - Number(a.node < b.node),
          )
          .slice(0, GatewayPeriod.maxRead),
      ),
    webhookAttempts: (query) =>
      Effect.sync(() =>
        (states.get(query.organization)?.attempts.get(query.webhookId) ?? [])
          .filter((one) => selectsAttempt(query, one))
          .toReversed()
          .slice(0, query.limit),
      ),
  }
}

/** Appends attempts, and drops those that are not kept any more. */
export const addAttempts = (
  state: Pick<OrganizationState, "attempts">,
  added: ReadonlyArray<WebhookAttempt.WebhookAttempt>,
): void => {
  for (const one of added) {
    const oldest = one.at - WebhookAttempt.keptMillis
    const kept = (state.attempts.get(one.webhookId) ?? []).filter(({ at }) => at >= oldest)
    state.attempts.set(one.webhookId, [...kept, one])
  }
}
