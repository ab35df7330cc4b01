/** The tables of counters, of the states of gateways on the nodes, and of the attempts of webhooks. */
import { types as eventTypes } from "@countersign/core/domain/events/EventTable"
import type { GatewayPeriod } from "@countersign/core/domain/messages/GatewayPeriod"
import { gatewayStates } from "@countersign/core/domain/messages/GatewayHealth"
import { type Counter, inSlots, kinds } from "@countersign/core/domain/money/Counter"
import { dayMillis } from "@countersign/core/domain/money/Total"
import * as Ids from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import type { WebhookAttempt } from "@countersign/core/domain/webhooks/WebhookAttempt"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const { constrained, identifier, int4, int8, jsonb, oneOf, orNull, parsed, text } = Columns

const money = parsed(int8, Money.fromUnits)

const named = <const A extends string>(...values: ReadonlyArray<A>): Columns.Column<A> =>
  constrained(oneOf(...values), () => 'COLLATE "C"')

/** The sum of an hour or of a UTC day. `writer` is the lane that adds to the row, so that lanes do not wait for each other. */
export interface CounterRow extends Counter {
  readonly slot: "hour" | "day"
  readonly writer: string
}

export const counters = {
  ...rowTable<CounterRow>(
    "counters",
    [],
    {
      kind: named(...kinds),
      slot: named("hour", "day"),
      subject: identifier(String),
      hour: int8,
      name: identifier(String),
      writer: identifier(String),
      count: int8,
      amount: money,
      refunded: money,
      lastAt: int8,
      lastOrganization: text,
      lastSequence: int8,
    },
    // No index has the counts, so a change stays on its page.
    { fillFactor: 50 },
  ),
  key: ["kind", "slot", "subject", "hour", "name", "writer"],
}

export const counterRows = (
  hours: ReadonlyArray<Counter>,
  writer: string,
): ReadonlyArray<CounterRow> => [
  ...hours.map((row) => ({ ...row, slot: "hour" as const, writer })),
  ...inSlots(hours, dayMillis).map((row) => ({ ...row, slot: "day" as const, writer })),
]

const moved = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Int))

export const gatewayPeriods = {
  ...rowTable<GatewayPeriod>("gateway_periods", [], {
    gateway: identifier(String),
    node: identifier(String),
    since: int8,
    until: orNull(int8),
    state: oneOf(...gatewayStates),
    seenAt: int8,
    reason: orNull(text),
    retryAt: orNull(int8),
    moved: jsonb<GatewayPeriod["moved"]>(moved),
  }),
  key: ["gateway", "since", "node"],
}

/** Rows are only inserted, and deleted when they are old. */
export const webhookAttempts = rowTable<WebhookAttempt>(
  "webhook_attempts",
  ["webhook_id", "position"],
  {
    organization: identifier(Ids.OrganizationId),
    webhookId: identifier(Ids.WebhookId),
    position: int8,
    sequence: int8,
    type: oneOf(...eventTypes),
    previous: orNull(int8),
    number: int4,
    at: int8,
    millis: int8,
    status: orNull(int4),
    error: orNull(text),
    answer: orNull(text),
  },
)
