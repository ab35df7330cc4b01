/** The alerts of an organization, and their bounds as plain data. They follow from the table of alerts. */
import * as Schema from "effect/Schema"
import * as AlertOverrides from "../domain/alerts/AlertOverrides.ts"
import { alertTable, names } from "../domain/alerts/AlertTable.ts"
import * as Fields from "./Fields.ts"
import { get, operation } from "./Operation.ts"

const { Boolean, Finite, NullOr, String } = Schema
const { field, optional, record, timeOrNull } = Fields

const percent = NullOr(Finite)

const boundsSchema = record(
  "AlertBounds",
  "Bounds of alerts. `undefined`: the default. `null`: off.",
  {
    delivered: optional(percent, alertTable.delivered.meaning),
    verified: optional(percent, alertTable.verified.meaning),
    spend: optional(NullOr(String), alertTable.spend.meaning),
    webhooks: optional(NullOr(Finite), alertTable.webhooks.meaning),
  },
)

/** An organization's own bounds. */
export const alertBounds = Fields.written(
  boundsSchema,
  (_value: unknown): _value is AlertOverrides.AlertOverrides => true,
  AlertOverrides.overridesOf,
  AlertOverrides.plainAlerts,
)

/** The name of an alert. */
export const alertName = Schema.Literals(names).annotate({ named: "AlertName" })

const alert = record("Alert", "An alert of an organization.", {
  alert: alertName,
  bound: field(
    NullOr(String),
    "The bound in force, in percent, a decimal amount, or minutes. `null`: the alert is off.",
  ),
  isOwn: field(Boolean, "Whether the organization has set the bound. Otherwise it is the default."),
  openSince: field(timeOrNull, "Since when the alert is open; `null` if it is not."),
  raisedAt: field(timeOrNull, "When it was last raised; `null` if it never was."),
})

export const alerts = {
  list: operation({
    summary: "List alerts",
    meaning: "The alert of a low balance is not among them: it is `balanceLowAt` of the settings.",
    input: Fields.ofOrganization,
    output: Schema.Array(alert).annotate({ description: "The alerts, in a fixed order." }),
    listing: {},
    admin: get("records.alerts", "read", "/organizations/:organization/alerts", {
      list: "alerts",
      pageName: "AlertList",
    }),
  }),
}
