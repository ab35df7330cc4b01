/**
 * The tables of the engine's rows. All primary keys begin with the organization, so the data can be partitioned
 * by it. Times are epoch milliseconds and money is whole units, as in the engine.
 */
import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { ApiKey } from "@countersign/core/domain/access/ApiKey"
import type { Sender } from "@countersign/core/domain/messages/Sender"
import type { ClientActivity } from "@countersign/core/domain/verifications/ClientActivity"
import type { ErasedRecipient } from "@countersign/core/domain/verifications/ErasedRecipient"
import type { IdempotencyKey } from "@countersign/core/domain/values/IdempotencyKey"
import * as Ids from "@countersign/core/domain/values/Ids"
import { type GatewayId, type Message, nextAt } from "@countersign/core/domain/messages/Message"
import { failureReasons } from "@countersign/core/domain/values/FailureReason"
import { type MessageClass, messageClasses } from "@countersign/core/domain/values/MessageClass"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import * as Money from "@countersign/core/domain/values/Money"
import type { Finding, PrefixStats } from "@countersign/core/domain/fraud/PrefixStats"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { Report } from "@countersign/core/domain/messages/MessageReport"
import * as ApiKeyScope from "@countersign/core/domain/access/ApiKeyScope"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import type { KeptReport } from "@countersign/core/ports/Store"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"
import { counts, firstCounts, guesses, knownClients, pending } from "./limitColumns.ts"
import { inOrganization, rowTable, rowType } from "./rowTable.ts"
import { phoneNumber, sealedText } from "./secretColumns.ts"

const { bool, bytea, constrained, identifier, int4, int8, int8s, jsonb, notNegative } = Columns
const { named, oneOf, orNull, parsed, text } = Columns

export const organization = identifier(Ids.OrganizationId)
const prefix = identifier(String)
export const money = parsed(int8, Money.fromUnits)

const channel = oneOf("sms", "whatsapp")

/** Numbers that most rows do not have. */
const rareNumbers = Columns.nullForNone(int8s)

/** Without the columns that a later migration has added. */
export const initialBrands = rowTable<Omit<Sender, "class" | "reason">>(
  "brands",
  ["id"],
  {
    id: identifier(Ids.SenderId),
    kind: oneOf("masking", "non-masking", "whatsapp"),
    sender: text,
    status: oneOf("pending", "approved", "rejected", "withdrawn"),
    isDefault: bool,
  },
  { others: inOrganization },
)

/** Without the column that a later migration has added. */
export const brandsWithClass = rowTable<Omit<Sender, "reason">>(
  "brands",
  ["id"],
  { ...initialBrands.fields, class: orNull(oneOf(...messageClasses)) },
  { others: inOrganization, type: "brands_row_2" },
)

export const brands = rowTable<Sender>(
  "brands",
  ["id"],
  { ...brandsWithClass.fields, reason: orNull(text) },
  { others: inOrganization, type: "brands_row_3" },
)

const decodeScopes = Schema.decodeUnknownSync(Schema.Array(Schema.Literals(ApiKeyScope.scopes)))
// Checked when they are written as well.
const scopes = jsonb<ReadonlyArray<ApiKeyScope.ApiKeyScope>>(decodeScopes, decodeScopes)

/** Without the column that a later migration has added. */
export const initialApiKeys = rowTable<Omit<ApiKey, "createdBy">>(
  "api_keys",
  ["id"],
  {
    id: identifier(Ids.ApiKeyId),
    name: text,
    environment: oneOf("live", "test"),
    secretHash: bytea,
    createdAt: int8,
    expiresAt: orNull(int8),
    revokedAt: orNull(int8),
    scopes: orNull(scopes),
    lastUsedAt: orNull(int8),
  },
  { others: inOrganization },
)

export const apiKeys = rowTable<ApiKey>(
  "api_keys",
  ["id"],
  { ...initialApiKeys.fields, createdBy: text },
  { others: inOrganization, type: "api_keys_row_2" },
)

/** The row that is locked while the engine decides an organization's commands. It changes with every batch. */
export const accounts = rowTable<Account>(
  "accounts",
  [],
  {
    organization,
    version: int8,
    balance: notNegative(money),
    held: notNegative(money),
    entries: int8,
    lastMessage: int8,
    firstMessage: int8,
    lastEvent: int8,
    firstEvent: int8,
    lastAudit: int8,
    firstAudit: int8,
    lastRefusal: int8,
    balanceLowAt: orNull(money),
    lastAt: int8,
    checks: int8s,
    sends: int8s,
    spentOn: int8,
    spent: money,
  },
  {
    // Names the commit that has changed the organization's data last. It shows whether rows that were read without
    // a lock are still current.
    others: [
      "stamp int8 NOT NULL",
      // The messages up to this sequence lead to no sealed code. Sequences follow the order of commits, so no
      // request is ever added below it. The ids of requests come from the clocks of the nodes.
      "codes_erased_to int8 NOT NULL DEFAULT 0",
    ],
    fillFactor: 25,
  },
)

export const recipients = rowTable<Recipient>(
  "recipients",
  ["phone_number"],
  {
    organization,
    phoneNumber,
    sends: int8s,
    pending,
    guesses,
    clients: knownClients,
  },
  { fillFactor: 70 },
)

/** Only clients that a host names, and only if they are limited. */
export const clients = rowTable<ClientActivity>(
  "clients",
  ["client"],
  { organization, client: identifier(String), sends: int8s, checks: int8s },
  { fillFactor: 70 },
)

/** The limits of numbers that were erased. */
export const erasedRecipients = rowTable<ErasedRecipient>("erased_recipients", ["digest"], {
  organization,
  digest: identifier(String),
  sends: int8s,
  guesses,
  expiresAt: int8,
})

/** A verification whose `status` and times are independent, as the columns are. */
type VerificationRow = { readonly [K in keyof Verification]: Verification[K] }

export const verifications = rowTable<VerificationRow>(
  "verifications",
  ["request_id"],
  {
    organization,
    requestId: identifier(Ids.RequestId),
    phoneNumber,
    channel,
    purpose: orNull(text),
    metadata: orNull(text),
    status: oneOf("pending", "verified", "failed"),
    createdAt: int8,
    expiresAt: int8,
    verifiedAt: orNull(int8),
    consumedAt: orNull(int8),
    attemptsRemaining: notNegative(int4),
    digest: bytea,
    pepper: text,
    sealed: orNull(bytea),
    messageSequence: int8,
    earlierMessages: rareNumbers,
    mayHaveArrived: bool,
    resends: int4,
    sentAt: int8,
    prefix: orNull(prefix),
    checks: rareNumbers,
  },
  // Room for one new version of each row, because most requests are checked. Otherwise half of the checks would
  // write to another page and to the index.
  { fillFactor: 55 },
)

const isVerification = (row: VerificationRow): row is Verification =>
  row.status === "verified"
    ? row.verifiedAt !== null
    : row.verifiedAt === null && row.consumedAt === null

export const decodeVerification = (row: Columns.Row): Verification => {
  const verification = verifications.decode(row)
  if (isVerification(verification)) return verification
  throw new Error("Only a verified request has a time of verification, and may be consumed")
}

// Room for one new version of each row: a settlement changes all messages of a page in one statement. With less room,
// most of them went to other pages and to every index, and vacuum left gaps that spread new rows over old pages.
const ofMessages = { fillFactor: 47 }

/** The messages of the first migration. Builds before the second one write them. */
export const firstMessages = rowTable<Omit<Message, "class" | "batch" | "traceparent">>(
  "messages",
  ["sequence"],
  {
    organization,
    sequence: int8,
    id: parsed(text, Ids.MessageId),
    phoneNumber,
    text,
    channel,
    logChannel: oneOf("mask", "non-mask", "whatsapp"),
    sender: text,
    requestId: orNull(parsed(text, Ids.RequestId)),
    status: oneOf(...messageStatuses),
    charge: notNegative(money),
    hold: oneOf("none", "open", "captured", "released"),
    gateway: text,
    gatewayId: orNull(sealedText),
    error: orNull(text),
    failureReason: orNull(oneOf(...failureReasons)),
    vendorCode: orNull(text),
    createdAt: int8,
    dispatchNumber: named("attempt", int4),
    dueAt: orNull(int8),
    followAt: orNull(int8),
    settleBy: int8,
    anomalies: int4,
    anomaly: orNull(text),
    reports: int4,
  },
  ofMessages,
)

/** The messages of the second migration. Builds before the sixth migration write them. */
export const secondMessages = rowTable<Omit<Message, "traceparent">>(
  "messages",
  ["sequence"],
  {
    ...firstMessages.fields,
    // Most are transactional, so this one costs nothing.
    class: Columns.nullFor<MessageClass>(
      "transactional",
      (one) => one === "transactional",
      oneOf(...messageClasses),
    ),
    batch: orNull(text),
  },
  { ...ofMessages, type: "messages_row_2" },
)

/**
 * No index contains a column that changes after the insert, so settling a message changes no index. Open messages
 * and gateway ids are in tables of their own. Times never decrease along the sequence: binary search finds dates.
 */
export const messages = rowTable<Message>(
  "messages",
  ["sequence"],
  { ...secondMessages.fields, traceparent: orNull(text) },
  { ...ofMessages, type: "messages_row_3" },
)

/** The messages with work left. `dueAt` is their `Message.nextAt`. */
export const openMessages = rowTable("open_messages", ["sequence"], {
  organization,
  sequence: int8,
  dueAt: int8,
})

/** The row of a message; `undefined` if no work is left. */
export const openMessageOf = (message: Message) => {
  const dueAt = nextAt(message)
  return dueAt === null
    ? undefined
    : { organization: message.organization, sequence: message.sequence, dueAt }
}

export const gatewayIds = rowTable<GatewayId>("gateway_ids", ["sequence"], {
  organization,
  sequence: int8,
  gateway: text,
  gatewayId: sealedText,
  expiresAt: orNull(int8),
})

export const entries = rowTable<Entry>("entries", ["sequence"], {
  organization,
  sequence: int8,
  kind: oneOf("top-up", "adjustment", "hold", "capture", "release"),
  amount: money,
  balance: notNegative(money),
  held: notNegative(money),
  messageSequence: orNull(int8),
  note: orNull(text),
  at: int8,
  paymentId: orNull(identifier(String)),
  actor: orNull(text),
})

export const keptReports = rowType<KeptReport>({
  receivedAt: int8,
  gateway: text,
  gatewayId: sealedText,
  status: oneOf("accepted", "delivered", "undelivered", "failed", "rejected"),
  detail: orNull(text),
  evidence: orNull(sealedText),
})

/** Rows are only inserted, and deleted with the messages. */
export const reports = rowTable<Report>("reports", ["message_sequence", "position"], {
  organization,
  messageSequence: int8,
  position: int4,
  ...keptReports.fields,
  gatewayId: orNull(sealedText),
})

type FirstCounts = Omit<PrefixStats["running"], "unverifiedAmount">
type FirstPrefixStats = Omit<PrefixStats, "running" | "before"> &
  Readonly<Record<"running" | "before", FirstCounts>>

/** Without the columns that a later migration has added. */
export const initialPrefixStats = rowTable<FirstPrefixStats>(
  "prefix_stats",
  ["prefix"],
  {
    organization,
    prefix,
    since: int8,
    running: firstCounts,
    before: firstCounts,
    velocityAt: orNull(int8),
    conversionAt: orNull(int8),
  },
  { fillFactor: 50 },
)

/** One row for each prefix. It changes with every code. */
export const prefixStats = rowTable<PrefixStats>(
  "prefix_stats",
  ["prefix"],
  { ...initialPrefixStats.fields, running: counts, before: counts },
  { fillFactor: 50, type: "prefix_stats_row_2" },
)

/** Without the column that a later migration has added. */
export const initialFindings = rowTable<Omit<Finding, "unverifiedAmount">>(
  "findings",
  ["at", "prefix", "reason"],
  {
    organization,
    at: int8,
    prefix,
    reason: constrained(oneOf("velocity", "conversion"), () => 'COLLATE "C"'),
    action: oneOf("record", "deny"),
    sent: int8,
    verified: int8,
  },
)

export const findings = rowTable<Finding>(
  "findings",
  ["at", "prefix", "reason"],
  { ...initialFindings.fields, unverifiedAmount: money },
  { type: "findings_row_2" },
)

/** One row for each call with an idempotency key, until the key expires. */
export const idempotencyKeys = rowTable<IdempotencyKey>("idempotency_keys", ["id"], {
  organization,
  id: identifier(String),
  fingerprint: bytea,
  messageSequence: orNull(int8),
  requestId: orNull(parsed(text, Ids.RequestId)),
  answer: orNull(sealedText),
  expiresAt: int8,
})
