/**
 * Converts the engine's rows into rows of the database, and back.
 */
import type { Account, Entry } from "@countersign/core/domain/Account"
import type { Channel, LogChannel } from "@countersign/core/domain/Channel"
import type { ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import { ApiKeyId, MessageId, OrganizationId, RequestId } from "@countersign/core/domain/Ids"
import type { Hold, Message, Status } from "@countersign/core/domain/Message"
import * as Money from "@countersign/core/domain/Money"
import type { Brand } from "@countersign/core/domain/Brand"
import type { ApiKey, Environment } from "@countersign/core/domain/ApiKey"
import type {
  Organization,
  Settings as OrganizationSettings,
} from "@countersign/core/domain/Organization"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import type { Pending, Recipient } from "@countersign/core/domain/Recipient"
import type { Report } from "@countersign/core/domain/Report"
import type { KeptReport, OrganizationSummary, OwnedApiKey } from "@countersign/core/ports/Store"
import type { Action, Finding, PrefixStats } from "@countersign/core/domain/PrefixStats"
import type { Progress, Verification } from "@countersign/core/domain/Verification"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"

export type Row = Readonly<Record<string, unknown>>

export const channels: ReadonlyArray<Channel> = ["sms", "whatsapp"]
export const logChannels: ReadonlyArray<LogChannel> = ["mask", "non-mask", "whatsapp"]
const environments: ReadonlyArray<Environment> = ["live", "test"]
const holds: ReadonlyArray<Hold> = ["none", "open", "captured", "released"]
const messageStatuses: ReadonlyArray<Status> = [
  "pending",
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "unknown",
  "rejected",
]
export const reportStatuses: ReadonlyArray<ReportStatus> = [
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "rejected",
]

export const actions: ReadonlyArray<Action> = ["record", "deny"]

export const account = (row: Row): Account => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  version: Columns.numberOf(row, "version"),
  balance: Money.fromUnits(Columns.numberOf(row, "balance")),
  held: Money.fromUnits(Columns.numberOf(row, "held")),
  entries: Columns.numberOf(row, "entries"),
  lastMessage: Columns.numberOf(row, "last_message"),
  firstMessage: Columns.numberOf(row, "first_message"),
  lastAt: Columns.numberOf(row, "last_at"),
  checks: Columns.numbersOf(row, "checks"),
  sends: Columns.numbersOf(row, "sends"),
  spentOn: Columns.numberOf(row, "spent_on"),
  spent: Money.fromUnits(Columns.numberOf(row, "spent")),
})

export const traffic = (row: Row): PrefixStats => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  prefix: Columns.textOf(row, "prefix"),
  since: Columns.numberOf(row, "since"),
  running: {
    sent: Columns.numberOf(row, "sent"),
    verified: Columns.numberOf(row, "verified"),
  },
  before: {
    sent: Columns.numberOf(row, "sent_before"),
    verified: Columns.numberOf(row, "verified_before"),
  },
  velocityAt: Columns.numberOrNull(row, "velocity_at"),
  conversionAt: Columns.numberOrNull(row, "conversion_at"),
})

export const finding = (row: Row): Finding => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  prefix: Columns.textOf(row, "prefix"),
  reason: Columns.oneOf(row, "reason", ["velocity", "conversion"]),
  action: Columns.oneOf(row, "action", actions),
  at: Columns.numberOf(row, "at"),
  sent: Columns.numberOf(row, "sent"),
  verified: Columns.numberOf(row, "verified"),
})

/** Returns `undefined` for the row without a key that is read for an unknown id. */
export const apiKey = (row: Row): OwnedApiKey | undefined => {
  if (row["id"] === null) return undefined
  return {
    organization: OrganizationId(Columns.textOf(row, "organization")),
    isSuspended: row["is_suspended"] === true,
    key: {
      id: ApiKeyId(Columns.textOf(row, "id")),
      name: Columns.textOf(row, "name"),
      environment: Columns.oneOf(row, "environment", environments),
      secretHash: Columns.bytesOf(row, "secret_hash"),
      createdAt: Columns.numberOf(row, "created_at"),
      revokedAt: Columns.numberOrNull(row, "revoked_at"),
    },
  }
}

export const organizationSummary = (row: Row): OrganizationSummary => ({
  id: OrganizationId(Columns.textOf(row, "id")),
  name: Columns.textOf(row, "name"),
  isSuspended: row["is_suspended"] === true,
  balance: Money.fromUnits(Columns.numberOf(row, "balance")),
  held: Money.fromUnits(Columns.numberOf(row, "held")),
  activeApiKeys: Columns.numberOf(row, "active_api_keys"),
})

const pendingList = Schema.decodeUnknownSync(
  Schema.Array(Schema.Tuple([Schema.String, Schema.Int])),
)

/** Returns the list of pending codes as JSON: pairs of an id and its expiry. */
export const pendingJson = (pending: ReadonlyArray<Pending>): string =>
  JSON.stringify(pending.map(({ requestId, until }) => [requestId, until]))

export const recipient = (row: Row): Recipient => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  phoneNumber: PhoneNumber.fromE164(Columns.textOf(row, "number")),
  sends: Columns.numbersOf(row, "sends"),
  pending: pendingList(row["pending"]).map(([id, until]) => ({ requestId: RequestId(id), until })),
})

export const verification = (row: Row): Verification => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  requestId: RequestId(Columns.textOf(row, "id")),
  phoneNumber: PhoneNumber.fromE164(Columns.textOf(row, "number")),
  channel: Columns.oneOf(row, "channel", channels),
  createdAt: Columns.numberOf(row, "created_at"),
  expiresAt: Columns.numberOf(row, "expires_at"),
  ...progress(row),
  attemptsRemaining: Columns.numberOf(row, "attempts_remaining"),
  digest: Columns.bytesOf(row, "digest"),
  pepper: Columns.textOf(row, "pepper"),
  messageSequence: Columns.numberOf(row, "message"),
  prefix: Columns.textOrNull(row, "prefix"),
})

const progress = (row: Row): Progress => {
  const status = Columns.oneOf(row, "status", ["pending", "verified", "failed"])
  return status === "verified"
    ? { status, verifiedAt: Columns.numberOf(row, "verified_at") }
    : { status, verifiedAt: null }
}

export const message = (row: Row): Message => {
  const requestId = Columns.textOrNull(row, "verification")
  return {
    organization: OrganizationId(Columns.textOf(row, "organization")),
    sequence: Columns.numberOf(row, "number"),
    id: MessageId(Columns.textOf(row, "id")),
    phoneNumber: PhoneNumber.fromE164(Columns.textOf(row, "recipient")),
    text: Columns.textOf(row, "body"),
    channel: Columns.oneOf(row, "channel", channels),
    logChannel: Columns.oneOf(row, "log_channel", logChannels),
    sender: Columns.textOf(row, "sender"),
    requestId: requestId === null ? null : RequestId(requestId),
    status: Columns.oneOf(row, "status", messageStatuses),
    charge: Money.fromUnits(Columns.numberOf(row, "charge")),
    hold: Columns.oneOf(row, "hold", holds),
    gateway: Columns.textOf(row, "gateway"),
    gatewayId: Columns.textOrNull(row, "gateway_id"),
    error: Columns.textOrNull(row, "error"),
    createdAt: Columns.numberOf(row, "created_at"),
    attempt: Columns.numberOf(row, "attempt"),
    dueAt: Columns.numberOrNull(row, "due_at"),
    settleBy: Columns.numberOf(row, "settle_by"),
    anomalies: Columns.numberOf(row, "anomalies"),
    anomaly: Columns.textOrNull(row, "anomaly"),
    reports: Columns.numberOf(row, "reports"),
  }
}

export const entry = (row: Row): Entry => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  sequence: Columns.numberOf(row, "number"),
  kind: Columns.oneOf(row, "kind", ["top-up", "adjustment", "hold", "capture", "release"]),
  amount: Money.fromUnits(Columns.numberOf(row, "amount")),
  balance: Money.fromUnits(Columns.numberOf(row, "balance")),
  held: Money.fromUnits(Columns.numberOf(row, "held")),
  messageSequence: Columns.numberOrNull(row, "message"),
  note: Columns.textOrNull(row, "note"),
  paymentId: Columns.textOrNull(row, "payment_id"),
  at: Columns.numberOf(row, "at"),
})

export const keptReport = (row: Row): KeptReport => ({
  gateway: Columns.textOf(row, "gateway"),
  gatewayId: Columns.textOf(row, "gateway_id"),
  status: Columns.oneOf(row, "status", reportStatuses),
  detail: Columns.textOrNull(row, "detail"),
  evidence: Columns.textOrNull(row, "evidence"),
  receivedAt: Columns.numberOf(row, "received_at"),
})

export const report = (row: Row): Report => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  messageSequence: Columns.numberOf(row, "message"),
  position: Columns.numberOf(row, "position"),
  receivedAt: Columns.numberOf(row, "received_at"),
  gateway: Columns.textOf(row, "gateway"),
  gatewayId: Columns.textOrNull(row, "gateway_id"),
  status: Columns.oneOf(row, "status", reportStatuses),
  detail: Columns.textOrNull(row, "detail"),
  evidence: Columns.textOrNull(row, "evidence"),
})

const Limit = Schema.Struct({ max: Schema.Int, windowMillis: Schema.Int })
const Range = Schema.Struct({ min: Schema.Int, max: Schema.Int, default: Schema.Int })

const Settings = Schema.Struct({
  allowList: Schema.Array(Schema.String),
  // Missing in rows of earlier versions.
  isSuspended: Schema.optionalKey(Schema.Boolean),
  limits: Schema.Struct({
    sendsPerNumber: Schema.optionalKey(Schema.NullOr(Limit)),
    pendingPerNumber: Schema.optionalKey(Schema.Int),
    checksPerOrganization: Schema.optionalKey(Schema.NullOr(Limit)),
    messagesPerOrganization: Schema.optionalKey(Schema.NullOr(Limit)),
    spendPerDay: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    attempts: Schema.optionalKey(Schema.Int),
    codeLength: Schema.optionalKey(Range),
    expirySeconds: Schema.optionalKey(Range),
    messageLength: Schema.optionalKey(Schema.Int),
    pageSize: Schema.optionalKey(Schema.Struct({ max: Schema.Int, default: Schema.Int })),
  }),
})

const BrandRow = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["masking", "non-masking", "whatsapp"]),
  sender: Schema.String,
  status: Schema.Literals(["pending", "approved", "rejected"]),
  isDefault: Schema.Boolean,
})

const KeyRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  environment: Schema.Literals(["live", "test"]),
  secretHash: Schema.Uint8ArrayFromHex,
  createdAt: Schema.Int,
  revokedAt: Schema.NullOr(Schema.Int),
})

const decodeSettings = Schema.decodeUnknownSync(Settings)
const decodeBrands = Schema.decodeUnknownSync(Schema.Array(BrandRow))
const decodeKeys = Schema.decodeUnknownSync(Schema.Array(KeyRow))

const settings = (json: unknown): OrganizationSettings => {
  const { allowList, isSuspended = false, limits } = decodeSettings(json)
  const { spendPerDay, ...others } = limits
  if (spendPerDay === undefined) return { allowList, limits: others, isSuspended }
  const cap = spendPerDay === null ? null : Money.fromUnits(spendPerDay)
  return { allowList, limits: { ...others, spendPerDay: cap }, isSuspended }
}

/** Brands and keys are read as JSON, so that one statement reads one state of the organization. */
export const organization = (
  row: Row,
  ids: { readonly brand: (id: string) => Brand["id"]; readonly key: (id: string) => ApiKey["id"] },
): Organization => ({
  id: OrganizationId(Columns.textOf(row, "id")),
  name: Columns.textOf(row, "name"),
  version: Columns.numberOf(row, "version"),
  settings: settings(row["settings"]),
  brands: decodeBrands(row["brands"]).map((brand) => ({ ...brand, id: ids.brand(brand.id) })),
  keys: decodeKeys(row["keys"]).map((key) => ({ ...key, id: ids.key(key.id) })),
})
