/**
 * Sample rows and commands for tests. Each function returns an ordinary one. Override the fields that the
 * test is about.
 */
import * as Account from "@countersign/core/domain/Account"
import type { Brand } from "@countersign/core/domain/Brand"
import type { Command, PepperedDigest } from "@countersign/core/decide/Command"
import type { IdempotencyKey, IdempotentCall } from "@countersign/core/domain/IdempotencyKey"
import {
  ApiKeyId,
  BrandId,
  MessageId,
  OrganizationId,
  RequestId,
  sortable,
} from "@countersign/core/domain/Ids"
import type { ApiKey } from "@countersign/core/domain/ApiKey"
import * as Limits from "@countersign/core/domain/Limits"
import type { Draft, Message } from "@countersign/core/domain/Message"
import * as Money from "@countersign/core/domain/Money"
import * as Organization from "@countersign/core/domain/Organization"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Recipient from "@countersign/core/domain/Recipient"
import type { ReportSource } from "@countersign/core/domain/Report"
import type { Progress, Verification } from "@countersign/core/domain/Verification"

/** 1 January 2026, midnight UTC, in epoch milliseconds: the time of all samples. */
export const now = 1_767_225_600_000

export const organizationId: OrganizationId = OrganizationId("acme")

/** A second organization. */
export const otherOrganizationId: OrganizationId = OrganizationId("other")

/** Valid Bangladeshi mobile numbers, distinct for `index` from 0 to 99,999. */
export const phoneNumber = (index = 0): PhoneNumber.PhoneNumber =>
  PhoneNumber.fromE164(`+88017123${String(index).padStart(5, "0")}`)

/** `0.5` as 5,000 units. */
export const money = Money.make

/** 16 bytes that end in `index`. */
const bytesOf = (index: number): Uint8Array => {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setUint32(12, index)
  return bytes
}

/** Ids in the engine's format, distinct per `index`. */
export const requestId = (index = 1): RequestId => RequestId(sortable("vrf", now, bytesOf(index)))

export const messageId = (index = 1): MessageId => MessageId(sortable("msg", now, bytesOf(index)))

/** 32 bytes instead of a code's digest, the same for the same text. */
export const digest = (text = "right"): Uint8Array => {
  const bytes = new Uint8Array(32)
  for (let index = 0; index < text.length; index++) {
    const at = index % 32
    bytes[at] = ((bytes[at] ?? 0) * 31 + text.charCodeAt(index)) & 0xff
  }
  return bytes
}

export const peppered = (text = "right", pepper = "k1"): PepperedDigest => ({
  pepper,
  digest: digest(text),
})

export const account = (overrides: Partial<Account.Account> = {}): Account.Account => ({
  ...Account.empty(organizationId, now),
  ...overrides,
})

export const recipient = (overrides: Partial<Recipient.Recipient> = {}): Recipient.Recipient => ({
  ...Recipient.empty(organizationId, phoneNumber()),
  ...overrides,
})

/** A pending request, made at `now`, with three attempts and five minutes. */
export const verification = (
  overrides: Partial<Omit<Verification, keyof Progress>> &
    (
      | { status: "verified"; verifiedAt: number; consumedAt?: number }
      | { status?: "pending" | "failed" }
    ) = {},
): Verification => ({
  organization: organizationId,
  requestId: requestId(),
  phoneNumber: phoneNumber(),
  channel: "sms",
  createdAt: now,
  expiresAt: now + 300_000,
  purpose: null,
  metadata: null,
  attemptsRemaining: 3,
  digest: digest(),
  pepper: "k1",
  sealed: overrides.status === undefined || overrides.status === "pending" ? digest("seal") : null,
  messageSequence: 1,
  earlierMessages: [],
  mayHaveArrived: false,
  resends: 0,
  sentAt: now,
  prefix: null,
  checks: [],
  ...overrides,
  ...(overrides.status === "verified"
    ? {
        status: "verified",
        verifiedAt: overrides.verifiedAt,
        consumedAt: overrides.consumedAt ?? null,
      }
    : { status: overrides.status ?? "pending", verifiedAt: null, consumedAt: null }),
})

/** A message for 0.50, on hold and in progress since `now`. */
export const message = (overrides: Partial<Message> = {}): Message => ({
  organization: organizationId,
  sequence: 1,
  id: messageId(),
  phoneNumber: phoneNumber(),
  text: "Your parcel is here",
  channel: "sms",
  logChannel: "non-mask",
  sender: "8809600000000",
  requestId: null,
  status: "pending",
  charge: money("0.5"),
  hold: "open",
  gateway: "simulated",
  gatewayId: null,
  error: null,
  createdAt: now,
  attempt: 1,
  dueAt: now + 70_000,
  followAt: null,
  settleBy: now + 86_400_000,
  anomalies: 0,
  anomaly: null,
  reports: 0,
  ...overrides,
})

/** A message for 0.50 that is not in the log yet. */
export const draft = (overrides: Partial<Draft> = {}): Draft => ({
  id: messageId(),
  text: "Your parcel is here",
  channel: "sms",
  logChannel: "non-mask",
  sender: "8809600000000",
  charge: money("0.5"),
  gateway: "simulated",
  leaseMillis: 70_000,
  settleMillis: 86_400_000,
  ...overrides,
})

/** An organization as input for a store, with a default sender for both channels. */
export const organization = (
  overrides: Partial<Omit<Organization.Organization, "version">> = {},
): Omit<Organization.Organization, "version"> => ({
  id: organizationId,
  name: "Acme",
  settings: Organization.defaultSettings,
  brands: [brand(), brand({ id: BrandId("profile"), kind: "whatsapp", sender: "acme-profile" })],
  keys: [],
  ...overrides,
})

/** The approved non-masking default sender. */
export const brand = (overrides: Partial<Brand> = {}): Brand => ({
  id: BrandId("line"),
  kind: "non-masking",
  sender: "8809600000000",
  status: "approved",
  isDefault: true,
  ...overrides,
})

export const apiKey = (overrides: Partial<ApiKey> = {}): ApiKey => ({
  id: ApiKeyId("0123456789ABCDEF"),
  name: "backend",
  environment: "live",
  secretHash: digest("secret"),
  createdAt: now,
  revokedAt: null,
  ...overrides,
})

/** The fields of a command that a test sets, and the limits. */
export type Overrides<C> = Partial<Omit<C, "_tag" | "limits">> & {
  readonly limits?: Partial<Limits.Limits>
}

/** A call with a key. Calls with different fingerprints are different calls. */
export const idempotentCall = (id = "key", fingerprint = "call"): IdempotentCall => ({
  id,
  fingerprint: digest(fingerprint),
})

/** The row of a call that has charged message 1 and has no answer yet. */
export const idempotencyKey = (overrides: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  organization: organizationId,
  ...idempotentCall(),
  messageSequence: 1,
  requestId: null,
  answer: null,
  expiresAt: now + 86_400_000,
  ...overrides,
})

/** A command with the default limits, except those that are given. */
const limited = ({ limits = {} }: { readonly limits?: Partial<Limits.Limits> }) => ({
  limits: { ...Limits.defaults, ...limits },
})

/** Commands of `acme` at version 1, under the standard limits. */
export const admitVerification = (
  overrides: Overrides<Command<"AdmitVerification">> = {},
): Command<"AdmitVerification"> => ({
  _tag: "AdmitVerification",
  organization: organizationId,
  version: 1,
  phoneNumber: phoneNumber(),
  ...overrides,
  ...limited(overrides),
})

export const requestVerification = (
  overrides: Overrides<Command<"RequestVerification">> = {},
): Command<"RequestVerification"> => ({
  _tag: "RequestVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  phoneNumber: phoneNumber(),
  code: peppered(),
  sealed: digest("seal"),
  purpose: null,
  metadata: null,
  expirySeconds: 300,
  rules: undefined,
  isCounted: false,
  draft: draft({ text: "•••••• is your verification code." }),
  ...overrides,
  ...limited(overrides),
})

/** A second message for the pending request, by SMS, after the gateway rejected the first. */
export const followVerification = (
  overrides: Overrides<Command<"FollowVerification">> = {},
): Command<"FollowVerification"> => ({
  _tag: "FollowVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  messageSequence: 1,
  rules: undefined,
  draft: draft({ id: messageId(2), text: "•••••• is your verification code." }),
  ...overrides,
  ...limited(overrides),
})

/** Gives up the message that was to follow message 1. */
export const endFollow = (
  overrides: Overrides<Command<"EndFollow">> = {},
): Command<"EndFollow"> => ({
  _tag: "EndFollow",
  organization: organizationId,
  requestId: requestId(),
  messageSequence: 1,
  rules: undefined,
  ...overrides,
})

export const admitResend = (
  overrides: Overrides<Command<"AdmitResend">> = {},
): Command<"AdmitResend"> => ({
  _tag: "AdmitResend",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  ...overrides,
  ...limited(overrides),
})

export const resendVerification = (
  overrides: Overrides<Command<"ResendVerification">> = {},
): Command<"ResendVerification"> => ({
  _tag: "ResendVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  rules: undefined,
  isCounted: false,
  draft: draft({ id: messageId(2), text: "•••••• is your verification code." }),
  ...overrides,
  ...limited(overrides),
})

export const cancelVerification = (
  overrides: Overrides<Command<"CancelVerification">> = {},
): Command<"CancelVerification"> => ({
  _tag: "CancelVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  ...overrides,
})

export const consumeVerification = (
  overrides: Overrides<Command<"ConsumeVerification">> = {},
): Command<"ConsumeVerification"> => ({
  _tag: "ConsumeVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  purpose: undefined,
  ...overrides,
})

const noTestNumbers: ReadonlySet<string> = new Set()

export const checkCode = (
  overrides: Overrides<Command<"CheckCode">> = {},
): Command<"CheckCode"> => ({
  _tag: "CheckCode",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  candidates: [peppered()],
  purpose: undefined,
  rules: undefined,
  testNumbers: noTestNumbers,
  ...overrides,
  ...limited(overrides),
})

export const admitMessage = (
  overrides: Overrides<Command<"AdmitMessage">> = {},
): Command<"AdmitMessage"> => ({
  _tag: "AdmitMessage",
  organization: organizationId,
  version: 1,
  ...overrides,
  ...limited(overrides),
})

export const holdMessage = (
  overrides: Overrides<Command<"HoldMessage">> = {},
): Command<"HoldMessage"> => ({
  _tag: "HoldMessage",
  organization: organizationId,
  version: 1,
  phoneNumber: phoneNumber(),
  isCounted: false,
  draft: draft(),
  ...overrides,
  ...limited(overrides),
})

/** The gateway accepted message 1 and will report on it. */
export const recordDispatch = (
  overrides: Overrides<Command<"RecordDispatch">> = {},
): Command<"RecordDispatch"> => ({
  _tag: "RecordDispatch",
  organization: organizationId,
  messageSequence: 1,
  attempt: 1,
  outcome: { _tag: "Accepted", gatewayId: "gw-1" },
  hasReports: true,
  requestId: null,
  rules: undefined,
  ...overrides,
})

/** The source of a report on a known message. */
export const reportSource = (overrides: Partial<ReportSource> = {}): ReportSource => ({
  gateway: undefined,
  gatewayId: null,
  evidence: null,
  receivedAt: undefined,
  ...overrides,
})

export const applyReport = (
  overrides: Overrides<Command<"ApplyReport">> = {},
): Command<"ApplyReport"> => ({
  _tag: "ApplyReport",
  organization: organizationId,
  messageSequence: 1,
  status: "delivered",
  detail: null,
  source: undefined,
  ...overrides,
})

export const reclaimMessage = (
  overrides: Overrides<Command<"ReclaimMessage">> = {},
): Command<"ReclaimMessage"> => ({
  _tag: "ReclaimMessage",
  organization: organizationId,
  messageSequence: 1,
  leaseMillis: 70_000,
  ...overrides,
})

export const beginLookup = (
  overrides: Overrides<Command<"BeginLookup">> = {},
): Command<"BeginLookup"> => ({
  _tag: "BeginLookup",
  organization: organizationId,
  messageSequence: 1,
  gateways: ["simulated"],
  lookupMillis: 600_000,
  ...overrides,
})

export const closeMessage = (
  overrides: Overrides<Command<"CloseMessage">> = {},
): Command<"CloseMessage"> => ({
  _tag: "CloseMessage",
  organization: organizationId,
  messageSequence: 1,
  isLookedUp: false,
  ...overrides,
})

export const recordAnswer = (
  overrides: Overrides<Command<"RecordAnswer">> = {},
): Command<"RecordAnswer"> => ({
  _tag: "RecordAnswer",
  organization: organizationId,
  idempotencyId: "key",
  answer: "first",
  ...overrides,
})

/** A top-up as the first entry of its account. */
export const entry = (overrides: Partial<Account.Entry> = {}): Account.Entry => ({
  organization: organizationId,
  sequence: 1,
  kind: "top-up",
  amount: money("10"),
  balance: money("10"),
  held: Money.zero,
  messageSequence: null,
  note: "paid",
  paymentId: null,
  at: now,
  ...overrides,
})

export const topUp = (overrides: Overrides<Command<"Book">> = {}): Command<"Book"> => ({
  _tag: "Book",
  organization: organizationId,
  kind: "top-up",
  amount: money("10"),
  note: "paid",
  paymentId: null,
  ...overrides,
})

export const adjust = (overrides: Overrides<Command<"Book">> = {}): Command<"Book"> =>
  topUp({ kind: "adjustment", amount: money("-1"), note: "correction", ...overrides })
