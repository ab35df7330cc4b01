/** The tables of webhooks: their settings, which are parts of an organization, and their progress. */
import * as EventTable from "@countersign/core/domain/events/EventTable"
import * as Ids from "@countersign/core/domain/values/Ids"
import type { Secret, Webhook } from "@countersign/core/domain/webhooks/Webhook"
import type {
  Attempt,
  Retry,
  WebhookProgress,
} from "@countersign/core/domain/webhooks/WebhookProgress"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"
import { inOrganization, rowTable } from "./rowTable.ts"

const { bool, identifier, int8, jsonb, oneOf, orNull, text } = Columns
const { Array, Int, Literals, NullOr, String, Struct, Uint8ArrayFromHex } = Schema

const id = identifier(Ids.WebhookId)

const types = Schema.decodeUnknownSync(Array(Literals(EventTable.types)))

const secretsJson = Array(Struct({ sealed: Uint8ArrayFromHex, pepper: String, until: NullOr(Int) }))
const secrets = jsonb<ReadonlyArray<Secret>>(
  Schema.decodeUnknownSync(secretsJson),
  Schema.encodeSync(secretsJson),
)

export const webhooks = rowTable<Webhook>(
  "webhooks",
  ["id"],
  {
    id,
    url: text,
    description: orNull(text),
    types: orNull(jsonb<ReadonlyArray<EventTable.EventType>>(types)),
    isEnabled: bool,
    secrets,
    createdAt: int8,
    startsAfter: int8,
  },
  { others: inOrganization },
)

const retries = Schema.decodeUnknownSync(
  Array(Struct({ sequence: Int, previous: NullOr(Int), attempts: Int, firstAt: Int, nextAt: Int })),
)

const attempts = Schema.decodeUnknownSync(
  Array(
    Struct({
      sequence: Int,
      at: Int,
      millis: Int,
      status: NullOr(Int),
      error: NullOr(String),
      answer: NullOr(String),
    }),
  ),
)

/** Without the column that a later migration has added. */
export const initialWebhookProgress = rowTable<Omit<WebhookProgress, "attempted">>(
  "webhook_progress",
  ["id"],
  {
    organization: identifier(Ids.OrganizationId),
    id,
    status: oneOf("active", "failing", "gone"),
    position: int8,
    previous: orNull(int8),
    retries: jsonb<ReadonlyArray<Retry>>(retries),
    retryAt: orNull(int8),
    isFull: bool,
    troubledSince: orNull(int8),
    slowUntil: orNull(int8),
    lastError: orNull(text),
    attempts: jsonb<ReadonlyArray<Attempt>>(attempts),
    holder: orNull(text),
    leaseUntil: int8,
  },
  { fillFactor: 50 },
)

/** Changes with every round of deliveries. No index contains a column that changes. */
export const webhookProgress = rowTable<WebhookProgress>(
  "webhook_progress",
  ["id"],
  { ...initialWebhookProgress.fields, attempted: int8 },
  { fillFactor: 50, type: "webhook_progress_row_2" },
)
