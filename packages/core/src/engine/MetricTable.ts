/**
 * The table of metrics: one row for each. The registry, the zeros from which every series starts, the page of metrics and
 * the checks of alerts and dashboards follow from it.
 *
 * Labels come from small sets, never from organizations, phone numbers or ids.
 */
import { kinds } from "../decide/maintenance/Pruning.ts"
import { channels } from "../domain/values/Channel.ts"
import { messageStatuses } from "../domain/messages/MessageStatus.ts"

/** The values of a label: these, or names that become known while the engine runs. */
export type Label = ReadonlyArray<string> | "gateway" | "country"

export interface Row {
  readonly kind: "counter" | "gauge" | "histogram"
  /** The unit of a value. `""`: a number of things. */
  readonly unit: "" | "seconds" | "money"
  /** The description that Prometheus shows. */
  readonly help: string
  readonly labels?: Readonly<Record<string, Label>>
  /** The upper bounds of the buckets of a histogram. */
  readonly boundaries?: ReadonlyArray<number>
  /** When an operator has to look. */
  readonly look: string
}

/** The endpoints of the HTTP interface, and the mounts beside it. `other`: no endpoint. */
export const routes = [
  "POST /messages",
  "GET /messages",
  "GET /messages/{id}",
  "GET /balance",
  "POST /verify",
  "POST /verify/check",
  "GET /verify/{id}",
  "POST /verify/{id}/resend",
  "POST /verify/{id}/cancel",
  "POST /verify/{id}/consume",
  "admin",
  "login",
  "callbacks",
  "other",
] as const

export type Route = (typeof routes)[number]

export const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const

const dispatchOutcomes = [
  "Accepted",
  "Delivered",
  "Rejected",
  "Throttled",
  "NotSent",
  "Unknown",
] as const

/** The work in the background that may be late. */
export const lateTasks = ["settlement", "outbox", "webhooks", "events"] as const

export const gatewayStates = ["available", "trying", "failing", "barred"] as const

const row = <const R extends Row>(one: R): R => one

/** From a quarter of a millisecond to two seconds, by twos. */
const commitSeconds = Array.from({ length: 14 }, (_, power) => 2 ** power / 4_000)

const table = {
  countersign_http_requests_total: row({
    kind: "counter",
    unit: "",
    help: "Requests that were answered, by route and class of the status",
    labels: { route: routes, status: statusClasses },
    look: "`5xx` grows: [errors](../operate/alerts.md#countersignerrors)",
  }),
  countersign_http_request_seconds: row({
    kind: "histogram",
    unit: "seconds",
    help: "Time from a request to its answer, by route",
    labels: { route: routes },
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    look: "p99 grows; a send contains the gateway's answer",
  }),
  countersign_http_overloads_total: row({
    kind: "counter",
    unit: "",
    help: "Requests that were refused because too many were under way",
    look: "it grows: the node is overloaded, or an attacker tries keys",
  }),
  countersign_ready: row({
    kind: "gauge",
    unit: "",
    help: "1 if the node answers /ready with 200, else 0",
    look: "it is 0 and no operator has stopped the node",
  }),
  countersign_database_up: row({
    kind: "gauge",
    unit: "",
    help: "1 if the database has answered the last question about its state, else 0",
    look: "it is 0: the gauges below have their last values",
  }),
  countersign_sends_total: row({
    kind: "counter",
    unit: "",
    help: "Messages handed to a gateway, by channel, gateway, country and outcome",
    labels: {
      channel: channels,
      gateway: "gateway",
      country: "country",
      outcome: dispatchOutcomes,
    },
    look: "`Unknown`, `NotSent` or `Rejected` grow: the gateway or its vendor",
  }),
  countersign_outcomes_total: row({
    kind: "counter",
    unit: "",
    help: "Messages whose outcome became final, by channel, gateway, country and status",
    labels: {
      channel: channels,
      gateway: "gateway",
      country: "country",
      status: messageStatuses.filter((status) => status !== "pending" && status !== "accepted"),
    },
    look: "`undelivered` or `unknown` grow against `delivered`",
  }),
  countersign_gateway_answer_seconds: row({
    kind: "histogram",
    unit: "seconds",
    help: "Time from a dispatch to the outcome, by gateway",
    labels: { gateway: "gateway" },
    boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    look: "it nears the time-out of the gateway",
  }),
  countersign_gateway_attempts_total: row({
    kind: "counter",
    unit: "",
    help: "Attempts to hand a message to one of several gateways, by gateway and outcome",
    labels: { gateway: "gateway", outcome: dispatchOutcomes },
    look: "one gateway refuses what the next one takes",
  }),
  countersign_gateway_state: row({
    kind: "gauge",
    unit: "",
    help: "1 for the state that a gateway is in on this node, by gateway and state",
    labels: { gateway: "gateway", state: gatewayStates },
    look: "`barred`: the vendor has rejected the account; `failing`: it does not answer",
  }),
  countersign_gateway_circuit_changes_total: row({
    kind: "counter",
    unit: "",
    help: "Changes of the state of a gateway, by gateway and new state",
    labels: { gateway: "gateway", state: gatewayStates },
    look: "it grows fast: a gateway comes and goes",
  }),
  countersign_fallbacks_total: row({
    kind: "counter",
    unit: "",
    help: "Codes sent by SMS because WhatsApp had not delivered them, by reason",
    labels: { reason: ["refused", "undelivered", "silence"] },
    look: "`silence` grows: reports of WhatsApp do not come in",
  }),
  countersign_refunds_total: row({
    kind: "counter",
    unit: "",
    help: "Messages whose price was given back",
    look: "it grows without failed sends or `undelivered`: reports do not come in",
  }),
  countersign_checks_total: row({
    kind: "counter",
    unit: "",
    help: "Checks of codes, by outcome",
    labels: {
      outcome: [
        "Verified",
        "WrongCode",
        "Failed",
        "Expired",
        "NotFound",
        "AlreadyConsumed",
        "GuessesLimited",
        "ClientLimited",
        "Limited",
        "UnknownCodeSecret",
      ],
    },
    look: "`WrongCode` grows against `Verified`: an attacker guesses, or codes arrive late",
  }),
  countersign_refusals_total: row({
    kind: "counter",
    unit: "",
    help: "Requests refused by a limit, or for lack of balance or of a sender, by reason",
    labels: {
      reason: [
        "Limited",
        "Cooldown",
        "TooManyPending",
        "GuessesLimited",
        "ClientLimited",
        "Suspected",
        "Capped",
        "Insufficient",
        "Quiet",
        "OptedOut",
        "NoDefaultSender",
      ],
    },
    look: "`Limited`, `GuessesLimited` or `Insufficient` grow; `NoDefaultSender` is above 0",
  }),
  countersign_unreadable_total: row({
    kind: "counter",
    unit: "",
    help: "Answers, reports and texts of adapters and templates that could not be read, by kind",
    labels: { kind: ["outcome", "lookup", "report", "template"] },
    look: "it is above 0: an adapter or a template has a bug",
  }),
  countersign_webhook_deliveries_total: row({
    kind: "counter",
    unit: "",
    help: "Attempts to deliver an event to a webhook, by outcome",
    labels: { outcome: ["Delivered", "Failed", "Gone", "Cut", "Dropped"] },
    look: "`Failed` or `Gone` grow against `Delivered`: a receiver is in trouble",
  }),
  countersign_dropped_rows_total: row({
    kind: "counter",
    unit: "",
    help: "Rows dropped by retention, by kind",
    labels: { kind: kinds },
    look: "it does not grow although retention is on",
  }),
  countersign_clock_alarms_total: row({
    kind: "counter",
    unit: "",
    help: "Alarms about the clock of the database, by kind",
    labels: { kind: ["jump", "organization"] },
    look: "it is above 0: a clock is wrong",
  }),
  countersign_batch_size: row({
    kind: "histogram",
    unit: "",
    help: "Commands in one commit",
    boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024],
    look: "near 256 or 512 for long: [Capacity](../operate/capacity.md)",
  }),
  countersign_commit_seconds: row({
    kind: "histogram",
    unit: "seconds",
    help: "Time from the first statement of a commit until it is durable",
    boundaries: commitSeconds,
    look: "p99 exceeds 100 ms",
  }),
  countersign_connections_in_use: row({
    kind: "gauge",
    unit: "",
    help: "Connections to the database that run a statement of the engine",
    look: "it stays at `countersign_connections_max`",
  }),
  countersign_connections_waiting: row({
    kind: "gauge",
    unit: "",
    help: "Statements that wait for a connection",
    look: "it stays above 0: the pool is too small, or the database too slow",
  }),
  countersign_connections_max: row({
    kind: "gauge",
    unit: "",
    help: "Maximum number of connections of the engine; 0 if it has none of its own",
    look: "to compare with",
  }),
  countersign_rows_in_memory: row({
    kind: "gauge",
    unit: "",
    help: "Rows that this node keeps in memory to save reads",
    look: "to explain the memory of the process",
  }),
  countersign_lag_seconds: row({
    kind: "gauge",
    unit: "seconds",
    help: "How long the oldest work of a task in the background is overdue, by task",
    labels: { task: lateTasks },
    look: "it grows: no node does the work, or it fails",
  }),
  countersign_organizations_unable_to_send: row({
    kind: "gauge",
    unit: "",
    help: "Organizations whose messages are refused, by the first reason that applies",
    labels: { reason: ["suspended", "no_sender", "no_balance"] },
    look: "`no_sender` is above 0, or `no_balance` jumps",
  }),
  countersign_money_held: row({
    kind: "gauge",
    unit: "money",
    help: "Amount of the open holds of all organizations, in the currency of the prices",
    look: "it grows while sends do not: outcomes stay open",
  }),
} as const

export type Name = keyof typeof table

/** The rows as such, for what treats all alike. */
export const metricRows: Readonly<Record<Name, Row>> = table
