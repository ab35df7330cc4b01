/**
 * The table of alerts: one row for each. The rules of Prometheus, the page of alerts and the checks of both follow from it.
 */
export interface AlertRow {
  /** After `Countersign`. */
  readonly name: string
  readonly severity: "critical" | "warning"
  /** The expression of PromQL. */
  readonly expr: string
  /** How long it has to hold. */
  readonly for: string
  /** What Prometheus sends. It may contain labels of the series. */
  readonly summary: string
  /** What has happened, and what users notice. */
  readonly meaning: string
  /** What to do, one step each. */
  readonly steps: ReadonlyArray<string>
}

/** The requests of organizations, without the pages of operators. */
const requests = 'countersign_http_requests_total{route!~"admin|login|callbacks|other"'

/** The share of dispatches with these outcomes, by gateway, once there are more than 20 in half an hour. */
const shareOfSends = (outcomes: string, above: number): string =>
  `sum by (gateway) (rate(countersign_sends_total{outcome=~"${outcomes}"}[30m])) / sum by (gateway) (rate(countersign_sends_total[30m])) > ${above} and sum by (gateway) (increase(countersign_sends_total[30m])) > 20`

const late = (task: string, seconds: number): string =>
  `max by (task) (countersign_lag_seconds{task="${task}"}) > ${seconds}`

export const alertRows: ReadonlyArray<AlertRow> = [
  {
    name: "Down",
    severity: "critical",
    expr: 'up{job="countersign"} == 0 or absent(countersign_ready)',
    for: "1m",
    summary: "Prometheus gets no metrics from {{ $labels.instance }}",
    meaning: "A node does not answer, or its token is wrong.",
    steps: [
      "Check that the process runs. Read the end of its log.",
      "Ask the node: `curl http://NODE:3000/health`. If it answers, the scrape's network or token is wrong.",
      "Start the node. Other nodes settle its open messages.",
    ],
  },
  {
    name: "NotReady",
    severity: "warning",
    expr: "countersign_ready == 0",
    for: "2m",
    summary: "{{ $labels.instance }} answers /ready with 503",
    meaning: "The balancer sends this node no requests.",
    steps: [
      "Ask the node: `curl http://NODE:3000/ready`. `reason` is `draining`, `database` or `migrations`.",
      "`draining` for minutes: end the process.",
      "`database`: see [CountersignDatabaseDown](#countersigndatabasedown).",
      "`migrations`: run `countersign migrate`, or start the build of the tables.",
    ],
  },
  {
    name: "DatabaseDown",
    severity: "critical",
    expr: "countersign_database_up == 0",
    for: "1m",
    summary: "The database does not answer {{ $labels.instance }}",
    meaning: "Requests get 503. No commit is lost.",
    steps: [
      "Run `countersign doctor` on a node.",
      "Look at the disk and at the number of connections of the server.",
      "After a failover, check that the address leads to the primary server.",
    ],
  },
  {
    name: "Errors",
    severity: "critical",
    expr: `sum(rate(${requests},status="5xx"}[5m])) / sum(rate(${requests}}[5m])) > 0.01`,
    for: "5m",
    summary: "{{ $value | humanizePercentage }} of the requests fail",
    meaning: "More than one request of a hundred gets 500 or 503.",
    steps: [
      "503: look for [CountersignDatabaseDown](#countersigndatabasedown) and [CountersignOverloaded](#countersignoverloaded).",
      "500: a bug. The log has `A request ended in a defect` with its place. Report it.",
    ],
  },
  {
    name: "Slow",
    severity: "warning",
    expr: 'histogram_quantile(0.99, sum by (le) (rate(countersign_http_request_seconds_bucket{route="POST /verify/check"}[5m]))) > 1',
    for: "10m",
    summary: "The slowest hundredth of the checks takes {{ $value | humanizeDuration }}",
    meaning: "A check calls no gateway, so the node or its database is slow.",
    steps: [
      "If commits are slow too, see [CountersignCommitsSlow](#countersigncommitsslow). Otherwise the process lacks CPU.",
      "Add a node, or give the process a core of its own.",
    ],
  },
  {
    name: "Overloaded",
    severity: "warning",
    expr: "sum by (instance) (rate(countersign_http_overloads_total[5m])) > 0",
    for: "5m",
    summary: "{{ $labels.instance }} refuses requests because too many are under way",
    meaning: "Callers get 503 with `Retry-After`.",
    steps: [
      "Many answers of 401: an attacker tries keys. Block the address at the balancer.",
      "Otherwise add a node. Higher limits do not raise the throughput.",
    ],
  },
  {
    name: "GatewayBarred",
    severity: "critical",
    expr: 'max by (gateway) (countersign_gateway_state{state="barred"}) == 1',
    for: "1m",
    summary: "{{ $labels.gateway }} rejects the account",
    meaning:
      "The vendor refuses the credentials, or the account has no money. Without another gateway, messages fail.",
    steps: [
      "[Send yourself a message](../guides/command-line.md#try-a-gateway) with the same credentials: `countersign gateways check GATEWAY --send-to NUMBER`",
      "Pay the vendor, or renew the credentials and restart the nodes.",
    ],
  },
  {
    name: "GatewayFailing",
    severity: "warning",
    expr: 'max by (gateway) (countersign_gateway_state{state="failing"}) == 1',
    for: "5m",
    summary: "{{ $labels.gateway }} does not answer",
    meaning: "The node has paused the gateway and tries it again.",
    steps: [
      "Look at the status page of the vendor.",
      "[Send yourself a message](../guides/command-line.md#try-a-gateway) from a node, because a firewall may be the cause: `countersign gateways check GATEWAY --send-to NUMBER`",
    ],
  },
  {
    name: "OutcomesUnknown",
    severity: "warning",
    expr: shareOfSends("Unknown", 0.05),
    for: "10m",
    summary:
      "{{ $value | humanizePercentage }} of the messages to {{ $labels.gateway }} have no answer",
    meaning:
      "The vendor may have sent them. Their price stays held until a report or the deadline decides.",
    steps: [
      "Compare `countersign_gateway_answer_seconds` with the gateway's time-out: it may be too short.",
      "Look for them: `countersign messages list --status unknown`",
    ],
  },
  {
    name: "SendsRefused",
    severity: "warning",
    expr: shareOfSends("Rejected|NotSent|Throttled", 0.2),
    for: "10m",
    summary: "{{ $labels.gateway }} refuses {{ $value | humanizePercentage }} of the messages",
    meaning: "Users get no code. The price is refunded.",
    steps: [
      "Look for the reasons: `countersign messages list --status failed --status rejected`",
      "`sender`: the name is not registered. `content`: the text is not approved. `throttled`: ask the vendor for a higher rate, or set `perSecond`.",
    ],
  },
  {
    name: "DeliveryLow",
    severity: "critical",
    expr: 'sum by (gateway, country) (rate(countersign_outcomes_total{status="delivered"}[30m])) / sum by (gateway, country) (rate(countersign_outcomes_total[30m])) < 0.8 and sum by (gateway, country) (increase(countersign_outcomes_total[30m])) > 20',
    for: "10m",
    summary:
      "{{ $value | humanizePercentage }} of the messages through {{ $labels.gateway }} to {{ $labels.country }} arrive",
    meaning: "More than a fifth of the messages do not arrive.",
    steps: [
      "One country: probably its operator. Move its numbers to another gateway with `routing`.",
      "Every country: reports may not come in. `countersign doctor` shows unmatched ones.",
      "[Send yourself a message](../guides/command-line.md#try-a-gateway): `countersign gateways check GATEWAY --send-to NUMBER`",
    ],
  },
  {
    name: "WrongCodes",
    severity: "warning",
    expr: 'sum(rate(countersign_checks_total{outcome="WrongCode"}[15m])) > sum(rate(countersign_checks_total{outcome="Verified"}[15m])) and sum(increase(countersign_checks_total{outcome="WrongCode"}[15m])) > 50',
    for: "5m",
    summary: "More wrong codes than right ones",
    meaning: "An attacker guesses, or codes come so late that users type older ones.",
    steps: [
      "Look at the calls: `countersign refusals`",
      "Set the limit `checksPerClient`. The other limits hold.",
    ],
  },
  {
    name: "FraudSuspected",
    severity: "warning",
    expr: 'sum(increase(countersign_refusals_total{reason="Suspected"}[15m])) > 0',
    for: "1m",
    summary: "Codes to suspected prefixes were refused",
    meaning: "Few codes for some prefix were verified, so the fraud rules refuse more of them.",
    steps: [
      "Read the prefixes on the dashboard's page Fraud, or with `fraud.findings`.",
      "Block or allow the prefix: `countersign org configure ID`",
    ],
  },
  {
    name: "SettlementLate",
    severity: "critical",
    expr: late("settlement", 300),
    for: "5m",
    summary: "Messages wait for their settlement for {{ $value | humanizeDuration }}",
    meaning: "Prices stay held, and codes by SMS that follow WhatsApp are not sent.",
    steps: [
      "No node does the background work, or all fail: look for `A message could not be settled` in the log.",
      "Do it by hand: `countersign settle --gateway GATEWAY`",
    ],
  },
  {
    name: "OutboxLate",
    severity: "critical",
    expr: late("outbox", 60),
    for: "5m",
    summary: "Queued sends wait for {{ $value | humanizeDuration }}",
    meaning: "Queued sends wait, or a batch is larger than its gateway carries in a minute.",
    steps: [
      "A batch: `countersign batches list` shows what is left of it.",
      "Otherwise check that nodes run, and their log for errors of the database.",
    ],
  },
  {
    name: "WebhooksLate",
    severity: "warning",
    expr: late("webhooks", 300),
    for: "5m",
    summary: "Retries of webhooks wait for {{ $value | humanizeDuration }}",
    meaning: "No node delivers: each has `webhooks.deliver: false`, or they fail.",
    steps: [
      "Start a node that delivers. Nothing is lost: events wait until a node delivers, or retention drops them.",
    ],
  },
  {
    name: "EventsUndelivered",
    severity: "warning",
    expr: late("events", 3_600),
    for: "10m",
    summary: "A webhook has not got events for {{ $value | humanizeDuration }}",
    meaning: "The receiver of an organization fails. After three days its deliveries end.",
    steps: [
      "`countersign doctor` names each failing webhook with its last error.",
      "Write to its owner. After the repair, deliver again: `countersign webhook replay ID -o ORGANIZATION`",
    ],
  },
  {
    name: "NoSender",
    severity: "warning",
    expr: 'max(countersign_organizations_unable_to_send{reason="no_sender"}) > 0',
    for: "15m",
    summary: "{{ $value }} organizations have no approved default sender",
    meaning: "Their requests that name no sender are refused.",
    steps: [
      "`countersign doctor` names them.",
      "Approve a sender, or add one: `countersign sender save SENDER --kind non-masking --default -o ORGANIZATION`",
    ],
  },
  {
    name: "NoBalance",
    severity: "warning",
    expr: 'sum(increase(countersign_refusals_total{reason="Insufficient"}[15m])) > 0',
    for: "15m",
    summary: "Messages are refused because a balance is used up",
    meaning: "An organization has spent what it had.",
    steps: [
      "Find it: `countersign org list` shows the balances.",
      "Book its payment: `countersign top-up AMOUNT --note TEXT --payment-id ID -o ORGANIZATION`",
      "Set `balanceLowAt`, so that the event `balance_low` comes earlier.",
    ],
  },
  {
    name: "CommitsSlow",
    severity: "warning",
    expr: "histogram_quantile(0.99, sum by (le) (rate(countersign_commit_seconds_bucket[5m]))) > 0.25",
    for: "10m",
    summary: "The slowest hundredth of the commits takes {{ $value | humanizeDuration }}",
    meaning: "Every send and every check waits for a commit.",
    steps: [
      "Look at the disk's latency and at locks: `pg_stat_activity`.",
      "Run `countersign doctor`: it finds bloated indexes and retention that is behind.",
      "[Capacity](capacity.md#find-the-limit) has the order of remedies.",
    ],
  },
  {
    name: "ConnectionsStarved",
    severity: "warning",
    expr: "min_over_time(countersign_connections_waiting[5m]) > 0",
    for: "5m",
    summary: "Statements of {{ $labels.instance }} wait for a connection",
    meaning: "The pool is too small, or statements are slow.",
    steps: [
      "If commits are slow too, see [CountersignCommitsSlow](#countersigncommitsslow) first.",
      "Raise `database.maxConnections`, and the server's `max_connections` or the pooler's pool with it.",
    ],
  },
  {
    name: "ClockAlarm",
    severity: "critical",
    expr: "sum(increase(countersign_clock_alarms_total[10m])) > 0",
    for: "0m",
    summary: "The clock of the database is or was wrong",
    meaning: "Limits and deadlines of the organizations that were served meanwhile may be wrong.",
    steps: [
      "Synchronize the clock of the database server (NTP).",
      "The log names each organization that is affected. Repair it: `countersign org repair-time ID`",
    ],
  },
  {
    name: "Unreadable",
    severity: "warning",
    expr: "sum by (kind) (increase(countersign_unreadable_total[15m])) > 0",
    for: "0m",
    summary: "An adapter or a template has a bug: {{ $labels.kind }}",
    meaning:
      "An answer, a report or a text could not be read. Outcomes stay open, or requests fail.",
    steps: ["The log has the gateway and the name of the field, once for each kind and gateway."],
  },
]

export const alertName = ({ name }: AlertRow): string => `Countersign${name}`
