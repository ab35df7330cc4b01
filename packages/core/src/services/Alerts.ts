/** The alerts of an organization: their bounds, and which of them are open. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { alerts } from "../api/alerts.ts"
import type * as Operation from "../api/Operation.ts"
import * as AlertOverrides from "../domain/alerts/AlertOverrides.ts"
import { names } from "../domain/alerts/AlertTable.ts"
import { Access } from "../engine/Access.ts"
import { Store } from "../ports/Store.ts"

export class Alerts extends Context.Service<Alerts, Operation.HostMethods<typeof alerts>>()(
  "@countersign/core/services/Alerts",
) {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const store = yield* Store
  return Alerts.of({
    list: Effect.fn("Alerts.list")(function* ({ organization }) {
      const { settings } = yield* access.load(organization)
      const known = yield* store.alerts(organization)
      return names.map((alert) => {
        const bound = AlertOverrides.boundOf(settings.alerts, alert)
        const state = known?.states.find((one) => one.alert === alert)
        return {
          alert,
          bound: bound === null ? null : AlertOverrides.textOf(alert, bound),
          isOwn: settings.alerts[alert] !== undefined,
          openSince: state?.isOpen === true ? state.raisedAt : null,
          raisedAt: state?.raisedAt ?? null,
        }
      })
    }),
  })
})

export const layer = Layer.effect(Alerts, make)
