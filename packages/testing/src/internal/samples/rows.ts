import * as Account from "@countersign/core/domain/money/Account"
import type { Sender } from "@countersign/core/domain/messages/Sender"
import type { CodeDigest } from "@countersign/core/decide/shared/Results"
import {
  ApiKeyId,
  SenderId,
  MessageId,
  OrganizationId,
  RequestId,
  sortable,
  WebhookId,
} from "@countersign/core/domain/values/Ids"
import type { ApiKey } from "@countersign/core/domain/access/ApiKey"
import type { NewMessage, Message } from "@countersign/core/domain/messages/Message"
import type { NewQueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import type { Report } from "@countersign/core/domain/messages/MessageReport"
import * as Money from "@countersign/core/domain/values/Money"
import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Recipient from "@countersign/core/domain/verifications/Recipient"
import type { Progress, Verification } from "@countersign/core/domain/verifications/Verification"
import type { Webhook } from "@countersign/core/domain/webhooks/Webhook"

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

export const codeOf = (text = "right", pepper = "k1"): CodeDigest => ({
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
  class: "transactional",
  batch: null,
  requestId: null,
  status: "pending",
  charge: money("0.5"),
  hold: "open",
  gateway: "simulated",
  gatewayId: null,
  error: null,
  failureReason: null,
  vendorCode: null,
  createdAt: now,
  dispatchNumber: 1,
  dueAt: now + 70_000,
  followAt: null,
  settleBy: now + 86_400_000,
  anomalies: 0,
  anomaly: null,
  reports: 0,
  traceparent: null,
  ...overrides,
})

/** The first report on the first message. */
export const report = (overrides: Partial<Report> = {}): Report => ({
  organization: organizationId,
  messageSequence: 1,
  position: 1,
  receivedAt: now,
  gateway: "simulated",
  gatewayId: null,
  status: "delivered",
  detail: null,
  evidence: null,
  ...overrides,
})

/** A message for 0.50 that is not in the log yet. */
export const newMessage = (overrides: Partial<NewMessage> = {}): NewMessage => ({
  id: messageId(),
  text: "Your parcel is here",
  channel: "sms",
  logChannel: "non-mask",
  sender: "8809600000000",
  class: "transactional",
  batch: null,
  charge: money("0.5"),
  gateway: "simulated",
  traceparent: null,
  leaseMillis: 70_000,
  settleMillis: 86_400_000,
  ...overrides,
})

/** A message in the outbox that is due at once. */
export const queuedSend = (overrides: Partial<NewQueuedSend> = {}): NewQueuedSend => ({
  organization: organizationId,
  id: messageId(),
  phoneNumber: phoneNumber(),
  call: '{"text":"Your parcel is here"}',
  orderKey: null,
  queue: "",
  dueAt: 0,
  expiresAt: null,
  createdAt: now,
  ...overrides,
})

/** An organization as input for a store, with a default sender for both channels. */
export const organization = (
  overrides: Partial<Omit<Organization.Organization, "version">> = {},
): Omit<Organization.Organization, "version"> => ({
  id: organizationId,
  name: "Acme",
  settings: Organization.defaultSettings,
  senders: [
    sender(),
    sender({ id: SenderId("profile"), kind: "whatsapp", sender: "acme-profile" }),
  ],
  keys: [],
  webhooks: [],
  ...overrides,
})

/** The approved non-masking default sender. */
export const sender = (overrides: Partial<Sender> = {}): Sender => ({
  id: SenderId("line"),
  kind: "non-masking",
  sender: "8809600000000",
  status: "approved",
  isDefault: true,
  class: null,
  reason: null,
  ...overrides,
})

export const apiKey = (overrides: Partial<ApiKey> = {}): ApiKey => ({
  id: ApiKeyId("0123456789ABCDEF"),
  name: "backend",
  environment: "live",
  secretHash: digest("secret"),
  createdAt: now,
  createdBy: "host",
  expiresAt: null,
  revokedAt: null,
  scopes: null,
  lastUsedAt: null,
  ...overrides,
})

export const webhook = (overrides: Partial<Webhook> = {}): Webhook => ({
  id: WebhookId("whk_1"),
  url: "https://example.com/hook",
  description: "orders",
  types: null,
  isEnabled: true,
  secrets: [{ sealed: digest("seal"), pepper: "k1", until: null }],
  createdAt: now,
  startsAfter: 0,
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
  actor: "host",
  at: now,
  ...overrides,
})

/** Rules that deny codes to a prefix of five digits after two in a minute. */
export const fraudRules = (overrides: Partial<Rules> = {}): Rules => ({
  prefixDigits: 5,
  windowMillis: 60_000,
  maxSent: 2,
  minSent: 1_000,
  minConversion: 0,
  action: "deny",
  ...overrides,
})
