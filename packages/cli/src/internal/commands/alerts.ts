/** The alerts of an organization, with their bounds as people type them: `delivered=90`. */
import { alerts as rows } from "@countersign/core/api/alerts"
import { showing } from "@countersign/core/api/Operation"
import * as Input from "@countersign/core/api/Input"
import type { Alert } from "@countersign/core/api/types/alerts"
import { overridesOf } from "@countersign/core/domain/alerts/AlertOverrides"
import { type AlertName, alertTable, names } from "@countersign/core/domain/alerts/AlertTable"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Alerts } from "@countersign/core/services/Alerts"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { group, organizationCommand } from "../command.ts"
import { UsageError } from "../failures.ts"
import { printTable } from "../output.ts"

function* printAlerts(organization: OrganizationId) {
  const found = yield* Alerts.use((_) => _.list({ organization }))
  yield* printTable<Alert>(
    showing(rows.list)(found),
    [
      "alert",
      ["bound", ({ bound }) => bound ?? "off"],
      ["of", ({ isOwn }) => (isOwn ? "the organization" : "the defaults")],
      ["open since", ({ openSince }) => openSince?.toISOString() ?? "not open"],
    ],
    "There are no alerts.",
  )
}

const show = organizationCommand(
  "show",
  "Show the alerts of an organization: their bounds, and which are open",
  {},
  printAlerts,
)

/** The bounds that changes of the form `name=value` set, and those that `name=default` resets. */
const changesOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  let bounds: Readonly<Record<string, number | string | null>> = {}
  const resetAlerts: Array<AlertName> = []
  const wrong = (message: string) => new UsageError({ message })
  for (const change of texts) {
    const [, given = "", text = ""] = /^(\w+)=(.*)$/.exec(change) ?? []
    const name = names.find((one) => one === given)
    if (name === undefined) {
      return yield* wrong(`Write NAME=VALUE, with a name of ${names.join(", ")}.`)
    }
    if (text === "default") resetAlerts.push(name)
    else if (text === "off") bounds = { ...bounds, [name]: null }
    else if (alertTable[name].kind === "money") bounds = { ...bounds, [name]: text }
    else if (/^\d+$/.test(text)) bounds = { ...bounds, [name]: Number(text) }
    else return yield* wrong(`${name} must be a whole number, off or default.`)
  }
  return { bounds, resetAlerts }
})

const described = names.map((name) => `${name} (${alertTable[name].label})`).join(", ")

const set = organizationCommand(
  "set",
  "Set bounds of alerts: delivered=90 spend=500 verified=off webhooks=default",
  {
    changes: Argument.String("change").pipe(
      Argument.withMetavar("NAME=VALUE"),
      Argument.withDescription(
        `${described}. A value of off switches the alert off, default resets its bound`,
      ),
      Argument.atLeast(1),
    ),
  },
  function* (id, { changes }) {
    const { bounds, resetAlerts } = yield* changesOf(changes)
    const alerts = yield* Input.field("alerts", Result.merge(overridesOf(bounds)))
    yield* Organizations.use((_) => _.update({ id, alerts, resetAlerts }))
    yield* printAlerts(id)
  },
)

export const alerts = group("alerts", [show, set], "Alerts of an organization")
