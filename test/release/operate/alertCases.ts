/** Series that let each alert fire, and series that do not, for `promtool test rules`. */
import { alertName, alertRows } from "../../tools/operate/alertRows.ts"

/** A case of one alert. Values are in the notation of Prometheus, a minute each: `0+5x60` rises by 5 for an hour. */
export interface Case {
  readonly alert: string
  /** Series for which it fires. */
  readonly bad: Readonly<Record<string, string>>
  /** Series for which it does not fire at the same time. */
  readonly good: Readonly<Record<string, string>>
  /** When it fires. */
  readonly firesAt: string
  readonly labels?: Readonly<Record<string, string>>
}

const node = 'job="countersign",instance="a"'
const requests = (status: string) =>
  `countersign_http_requests_total{${node},route="POST /verify",status="${status}"}`
const sends = (outcome: string) =>
  `countersign_sends_total{${node},channel="sms",gateway="robi",country="BD",outcome="${outcome}"}`
const outcomes = (status: string) =>
  `countersign_outcomes_total{${node},channel="sms",gateway="robi",country="BD",status="${status}"}`
const checks = (outcome: string) => `countersign_checks_total{${node},outcome="${outcome}"}`
const state = (name: string) => `countersign_gateway_state{${node},gateway="robi",state="${name}"}`
const lag = (task: string) => `countersign_lag_seconds{${node},task="${task}"}`

/** Buckets of a histogram in which all are faster than the bound, or all are slower. */
const buckets = (name: string, labels: string, bound: string) => ({
  fast: {
    [`${name}_bucket{${node}${labels},le="${bound}"}`]: "0+60x60",
    [`${name}_bucket{${node}${labels},le="+Inf"}`]: "0+60x60",
  },
  slow: {
    [`${name}_bucket{${node}${labels},le="${bound}"}`]: "0x60",
    [`${name}_bucket{${node}${labels},le="10"}`]: "0+60x60",
    [`${name}_bucket{${node}${labels},le="+Inf"}`]: "0+60x60",
  },
})

const commits = buckets("countersign_commit_seconds", "", "0.25")
const route = ',route="POST /verify/check"'
const requestTimes = buckets("countersign_http_request_seconds", route, "1")

const one = { job: "countersign", instance: "a" }
const gateway = { gateway: "robi" }

const lateCase = (alert: string, task: string, seconds: number): Case => ({
  alert,
  bad: { [lag(task)]: `${seconds + 1}x60` },
  good: { [lag(task)]: `${seconds}x60` },
  firesAt: "20m",
  labels: { task },
})

const counted = (alert: string, series: string, labels = {}): Case => ({
  alert,
  bad: { [series]: "0+1x60" },
  good: { [series]: "5x60" },
  firesAt: "40m",
  labels,
})

export const cases: ReadonlyArray<Case> = [
  {
    alert: "CountersignDown",
    bad: { [`up{${node}}`]: "1 1 0x60", [`countersign_ready{${node}}`]: "1x60" },
    good: { [`up{${node}}`]: "1x60", [`countersign_ready{${node}}`]: "1x60" },
    firesAt: "4m",
    labels: one,
  },
  {
    alert: "CountersignNotReady",
    bad: { [`countersign_ready{${node}}`]: "1 0x60" },
    good: { [`countersign_ready{${node}}`]: "1 0 0 1x60" },
    firesAt: "4m",
    labels: one,
  },
  {
    alert: "CountersignDatabaseDown",
    bad: { [`countersign_database_up{${node}}`]: "1 0x60" },
    good: { [`countersign_database_up{${node}}`]: "1x60" },
    firesAt: "3m",
    labels: one,
  },
  {
    alert: "CountersignErrors",
    bad: { [requests("2xx")]: "0+98x60", [requests("5xx")]: "0+2x60" },
    good: { [requests("2xx")]: "0+1000x60", [requests("5xx")]: "0+2x60" },
    firesAt: "15m",
  },
  { alert: "CountersignSlow", bad: requestTimes.slow, good: requestTimes.fast, firesAt: "20m" },
  {
    alert: "CountersignOverloaded",
    bad: { [`countersign_http_overloads_total{${node}}`]: "0+3x60" },
    good: { [`countersign_http_overloads_total{${node}}`]: "7x60" },
    firesAt: "10m",
    labels: { instance: "a" },
  },
  {
    alert: "CountersignGatewayBarred",
    bad: { [state("barred")]: "0 1x60", [state("failing")]: "0x60" },
    good: { [state("barred")]: "0x60", [state("failing")]: "1x60" },
    firesAt: "4m",
    labels: gateway,
  },
  {
    alert: "CountersignGatewayFailing",
    bad: { [state("failing")]: "1x60" },
    good: { [state("failing")]: "1 1 0 1 1 0 1 1 0 1x60" },
    firesAt: "8m",
    labels: gateway,
  },
  {
    alert: "CountersignOutcomesUnknown",
    bad: { [sends("Accepted")]: "0+9x60", [sends("Unknown")]: "0+1x60" },
    good: { [sends("Accepted")]: "0+99x60", [sends("Unknown")]: "0+1x60" },
    firesAt: "45m",
    labels: gateway,
  },
  {
    alert: "CountersignSendsRefused",
    bad: {
      [sends("Accepted")]: "0+7x60",
      [sends("Rejected")]: "0+2x60",
      [sends("NotSent")]: "0+1x60",
    },
    good: {
      [sends("Accepted")]: "0x60",
      [sends("Rejected")]: "0 1 2 3 4 5x55",
      [sends("NotSent")]: "0x60",
    },
    firesAt: "45m",
    labels: gateway,
  },
  {
    alert: "CountersignDeliveryLow",
    bad: { [outcomes("delivered")]: "0+7x60", [outcomes("undelivered")]: "0+3x60" },
    good: { [outcomes("delivered")]: "0+9x60", [outcomes("undelivered")]: "0+1x60" },
    firesAt: "45m",
    labels: { ...gateway, country: "BD" },
  },
  {
    alert: "CountersignWrongCodes",
    bad: { [checks("WrongCode")]: "0+10x60", [checks("Verified")]: "0+1x60" },
    good: { [checks("WrongCode")]: "0+10x60", [checks("Verified")]: "0+30x60" },
    firesAt: "30m",
  },
  counted("CountersignFraudSuspected", `countersign_refusals_total{${node},reason="Suspected"}`),
  lateCase("CountersignSettlementLate", "settlement", 300),
  lateCase("CountersignOutboxLate", "outbox", 60),
  lateCase("CountersignWebhooksLate", "webhooks", 300),
  lateCase("CountersignEventsUndelivered", "events", 3_600),
  {
    alert: "CountersignNoSender",
    bad: { [`countersign_organizations_unable_to_send{${node},reason="no_sender"}`]: "2x60" },
    good: {
      [`countersign_organizations_unable_to_send{${node},reason="no_sender"}`]: "0x60",
      [`countersign_organizations_unable_to_send{${node},reason="suspended"}`]: "2x60",
    },
    firesAt: "20m",
  },
  counted("CountersignNoBalance", `countersign_refusals_total{${node},reason="Insufficient"}`),
  { alert: "CountersignCommitsSlow", bad: commits.slow, good: commits.fast, firesAt: "20m" },
  {
    alert: "CountersignConnectionsStarved",
    bad: { [`countersign_connections_waiting{${node}}`]: "3x60" },
    good: { [`countersign_connections_waiting{${node}}`]: "3 0 3 0 3 0 3 0 3 0 3 0 3 0 3 0 3 0 3" },
    firesAt: "15m",
    labels: one,
  },
  counted("CountersignClockAlarm", `countersign_clock_alarms_total{${node},kind="jump"}`),
  counted("CountersignUnreadable", `countersign_unreadable_total{${node},kind="report"}`, {
    kind: "report",
  }),
]

const severityOf = (alert: string): string =>
  alertRows.find((row) => alertName(row) === alert)?.severity ?? "none"

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The annotations of a fired alert depend on its value, so only the number of alerts is compared, by their labels. */
const testOf = (one: Case, kind: "bad" | "good"): string => {
  const labels = {
    alertname: one.alert,
    alertstate: "firing",
    severity: severityOf(one.alert),
    ...one.labels,
  }
  const text = Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")
  const samples = kind === "bad" ? `[{ labels: ${quoted(`{${text}}`)}, value: 1 }]` : "[]"
  return `  - name: ${quoted(`${one.alert}, ${kind}`)}
    interval: 1m
    input_series:
${Object.entries(one[kind])
  .map(([series, values]) => `      - { series: ${quoted(series)}, values: ${quoted(values)} }`)
  .join("\n")}
    promql_expr_test:
      - expr: ${quoted(
        `count by (alertname, alertstate, severity${Object.keys(one.labels ?? {})
          .map((label) => `, ${label}`)
          .join("")}) (ALERTS{alertname="${one.alert}",alertstate="firing"})`,
      )}
        eval_time: ${one.firesAt}
        exp_samples: ${samples}`
}

/** The file for `promtool test rules`. */
export const testsOfRules = (rules: string, change: (one: Case) => Case = (one) => one): string =>
  `rule_files: [${quoted(rules)}]
evaluation_interval: 1m
tests:
${cases
  .map(change)
  .flatMap((one) => [testOf(one, "bad"), testOf(one, "good")])
  .join("\n")}
`
