/**
 * The panels of the Grafana dashboard, in the order of its rows. Each panel takes a third of the width.
 */
export interface PanelRow {
  readonly title: string
  /** What to see in it. */
  readonly description: string
  readonly unit: "reqps" | "s" | "short" | "percentunit"
  /** Expressions of PromQL, with the legends of their series. */
  readonly queries: ReadonlyArray<readonly [expr: string, legend: string]>
  readonly kind?: "stat"
}

const rate = (metric: string, by: string, selector = ""): string =>
  `sum by (${by}) (rate(${metric}${selector}[$__rate_interval]))`

const quantile = (share: number, metric: string, by = ""): string =>
  `histogram_quantile(${share}, sum by (le${by}) (rate(${metric}_bucket[$__rate_interval])))`

export const panelRows: ReadonlyArray<readonly [title: string, panels: ReadonlyArray<PanelRow>]> = [
  [
    "State",
    [
      {
        title: "Ready nodes",
        description: "Nodes that a balancer may use.",
        unit: "short",
        kind: "stat",
        queries: [["sum(countersign_ready)", "ready"]],
      },
      {
        title: "Money held",
        description: "Amount of the open holds of all organizations.",
        unit: "short",
        kind: "stat",
        queries: [["max(countersign_money_held)", "held"]],
      },
      {
        title: "Organizations that cannot send",
        description: "By the first reason that applies.",
        unit: "short",
        kind: "stat",
        queries: [["max by (reason) (countersign_organizations_unable_to_send)", "{{reason}}"]],
      },
    ],
  ],
  [
    "Messages",
    [
      {
        title: "Sends by outcome",
        description: "What gateways have answered.",
        unit: "reqps",
        queries: [[rate("countersign_sends_total", "outcome"), "{{outcome}}"]],
      },
      {
        title: "Delivered share by gateway",
        description: "Of the messages whose outcome is final.",
        unit: "percentunit",
        queries: [
          [
            `${rate("countersign_outcomes_total", "gateway", '{status="delivered"}')} / ${rate("countersign_outcomes_total", "gateway")}`,
            "{{gateway}}",
          ],
        ],
      },
      {
        title: "Outcomes by country",
        description: "Messages that did not arrive.",
        unit: "reqps",
        queries: [
          [
            rate("countersign_outcomes_total", "country, status", '{status!="delivered"}'),
            "{{country}} {{status}}",
          ],
        ],
      },
      {
        title: "Gateway answers",
        description: "The slowest twentieth.",
        unit: "s",
        queries: [
          [quantile(0.95, "countersign_gateway_answer_seconds", ", gateway"), "{{gateway}}"],
        ],
      },
      {
        title: "Gateway states",
        description: "1 in the state that a gateway is in on some node.",
        unit: "short",
        queries: [
          [
            'max by (gateway, state) (countersign_gateway_state{state!="available"})',
            "{{gateway}} {{state}}",
          ],
        ],
      },
      {
        title: "Attempts by gateway",
        description: "With several gateways, a message may take several attempts.",
        unit: "reqps",
        queries: [
          [
            rate("countersign_gateway_attempts_total", "gateway, outcome"),
            "{{gateway}} {{outcome}}",
          ],
          [rate("countersign_gateway_circuit_changes_total", "gateway"), "{{gateway}} changes"],
        ],
      },
    ],
  ],
  [
    "Codes",
    [
      {
        title: "Checks by outcome",
        description: "Right and wrong codes.",
        unit: "reqps",
        queries: [[rate("countersign_checks_total", "outcome"), "{{outcome}}"]],
      },
      {
        title: "Refusals by reason",
        description: "Requests that a limit, the balance or a missing sender has refused.",
        unit: "reqps",
        queries: [[rate("countersign_refusals_total", "reason"), "{{reason}}"]],
      },
      {
        title: "Second messages and refunds",
        description: "Codes by SMS after WhatsApp, and prices given back.",
        unit: "reqps",
        queries: [
          [rate("countersign_fallbacks_total", "reason"), "fallback {{reason}}"],
          ["sum(rate(countersign_refunds_total[$__rate_interval]))", "refunds"],
        ],
      },
    ],
  ],
  [
    "HTTP",
    [
      {
        title: "Requests by route",
        description: "Answers of every status.",
        unit: "reqps",
        queries: [[rate("countersign_http_requests_total", "route"), "{{route}}"]],
      },
      {
        title: "Requests by status",
        description: "With those that were refused because of overload.",
        unit: "reqps",
        queries: [
          [rate("countersign_http_requests_total", "status"), "{{status}}"],
          ["sum(rate(countersign_http_overloads_total[$__rate_interval]))", "overload"],
        ],
      },
      {
        title: "Time to the answer",
        description:
          "The slowest hundredth of each route. A send contains the answer of its gateway.",
        unit: "s",
        queries: [[quantile(0.99, "countersign_http_request_seconds", ", route"), "{{route}}"]],
      },
    ],
  ],
  [
    "Database and background work",
    [
      {
        title: "Commits",
        description: "The median and the slowest hundredth.",
        unit: "s",
        queries: [
          [quantile(0.5, "countersign_commit_seconds"), "median"],
          [quantile(0.99, "countersign_commit_seconds"), "99 %"],
        ],
      },
      {
        title: "Commands in a commit",
        description: "The mean size of a batch.",
        unit: "short",
        queries: [
          [
            "sum(rate(countersign_batch_size_sum[$__rate_interval])) / sum(rate(countersign_batch_size_count[$__rate_interval]))",
            "mean",
          ],
        ],
      },
      {
        title: "Connections",
        description: "Of each node, with the statements that wait.",
        unit: "short",
        queries: [
          ["countersign_connections_in_use", "{{instance}} in use"],
          ["countersign_connections_waiting", "{{instance}} waiting"],
          ["countersign_connections_max", "{{instance}} maximum"],
        ],
      },
      {
        title: "Overdue work",
        description: "The age of the oldest work of each task.",
        unit: "s",
        queries: [["max by (task) (countersign_lag_seconds)", "{{task}}"]],
      },
      {
        title: "Webhooks",
        description: "Attempts by outcome.",
        unit: "reqps",
        queries: [[rate("countersign_webhook_deliveries_total", "outcome"), "{{outcome}}"]],
      },
      {
        title: "Rows",
        description: "Those in memory, and those that retention drops.",
        unit: "short",
        queries: [
          ["countersign_rows_in_memory", "{{instance}} in memory"],
          [rate("countersign_dropped_rows_total", "kind"), "dropped {{kind}}"],
        ],
      },
      {
        title: "Faults",
        description: "Each of them needs a look.",
        unit: "short",
        queries: [
          [
            "sum by (kind) (increase(countersign_unreadable_total[$__rate_interval]))",
            "unreadable {{kind}}",
          ],
          [
            "sum by (kind) (increase(countersign_clock_alarms_total[$__rate_interval]))",
            "clock {{kind}}",
          ],
          ["1 - min(countersign_database_up)", "database down"],
        ],
      },
    ],
  ],
]
