/**
 * The table of an organization's events: one row for each. The type of events, stored rows, the admin API, webhooks,
 * the types of the client, the dashboard's texts and the documents follow from it.
 *
 * Stored rows have these names. An event is seen in its organization's log, by its webhooks and listeners, and
 * by the organization's tenants.
 */
import type { ApiKey } from "../access/ApiKey.ts"
import type { Sender } from "../messages/Sender.ts"
import type { MessageStatus } from "../messages/MessageStatus.ts"
import type { Channel } from "../values/Channel.ts"
import type { RequestId, WebhookId } from "../values/Ids.ts"
import type { Money } from "../values/Money.ts"
import type { CausedCount } from "../verifications/Refusal.ts"

/** The parts of an organization whose changes are `SettingsChanged`. */
export const settings = [
  "name",
  "allowList",
  "limits",
  "isSuspended",
  "balanceLowAt",
  "alerts",
  "quietHours",
  "zone",
  "blockedPrefixes",
  "allowedPrefixes",
] as const

export type Setting = (typeof settings)[number]

interface Values<Phone> {
  readonly text: string
  readonly textOrNull: string | null
  readonly integer: number
  readonly money: Money
  readonly phoneNumber: Phone
  /** The JSON object of the host, as text. */
  readonly metadata: string | null
  readonly requestId: RequestId
  readonly webhookId: WebhookId
  readonly channel: Channel
  readonly status: MessageStatus
  readonly newApiKey: Pick<ApiKey, "id" | "name" | "environment">
  readonly apiKey: Pick<ApiKey, "id" | "name">
  /** As in events of builds that had no classes. */
  readonly brand: Omit<Sender, "class" | "reason">
  readonly refusals: ReadonlyArray<CausedCount>
  readonly settings: ReadonlyArray<Setting>
}

export type Kind = keyof Values<never>

/** The kind of a field, or the texts that it may be. */
export type Field = Kind | ReadonlyArray<string>

export interface Row {
  /** The name outside of the engine: in webhooks and their filters, and in the promise API. */
  readonly type: string
  readonly payload: { readonly [name: string]: Field }
  /** The meanings of fields whose names do not explain them. */
  readonly fields?: { readonly [name: string]: string }
  /** The name in the dashboard. */
  readonly label: string
  /** A description of the event. */
  readonly meaning: string
}

const event = <const R extends Row>(row: R): R => row

/** `purpose` and `metadata` are the host's, from the send. */
const ofRequest = {
  requestId: "requestId",
  phoneNumber: "phoneNumber",
  purpose: "textOrNull",
  metadata: "metadata",
} as const

/** A change of the balance by the host. */
const ofBooking = {
  payload: { amount: "money", balance: "money", note: "textOrNull" },
  fields: {
    amount: "Negative if an adjustment has lowered the balance.",
    balance: "The balance after the change.",
  },
} as const

const ofMessage = { messageSequence: "The `sequence` of the message in the log." } as const

const alerts = ["delivered", "verified", "spend", "webhooks"] as const

const ofAlert = {
  alert: "The alert that an organization sets the bound of.",
  value: "In percent, a decimal amount, or minutes.",
} as const

const ofWebhook = { webhookId: "webhookId" } as const

export const eventTable = {
  VerificationSent: event({
    type: "verification_sent",
    payload: { ...ofRequest, channel: "channel" },
    label: "Code sent",
    meaning: "A code was sent to the gateway, which did not reject it.",
  }),
  Verified: event({
    type: "verified",
    payload: ofRequest,
    label: "Number verified",
    meaning:
      "The right code was given. Raised once for a request, even if the code is checked again.",
  }),
  Failed: event({
    type: "verification_failed",
    payload: { ...ofRequest, reason: ["attempts", "sending", "refused"] },
    label: "Verification failed",
    meaning:
      "A request has failed: its attempts are used up, its code could not be sent, or it was refused after it was queued.",
  }),
  Cancelled: event({
    type: "verification_cancelled",
    payload: ofRequest,
    label: "Verification cancelled",
    meaning: "A pending request was cancelled.",
  }),
  Consumed: event({
    type: "verification_consumed",
    payload: ofRequest,
    label: "Verification used",
    meaning: "A verification was consumed: exactly one caller may act on it.",
  }),
  MessageSettled: event({
    type: "message_settled",
    payload: { messageSequence: "integer", channel: "channel", status: "status" },
    fields: ofMessage,
    label: "Message outcome",
    meaning: "A message has its final outcome.",
  }),
  MessageDropped: event({
    type: "message_dropped",
    payload: { id: "text", reason: ["refused", "cancelled", "expired"], code: "textOrNull" },
    fields: {
      id: "The id of the queued message.",
      code: "The code of the error, if it was refused.",
    },
    label: "Queued message dropped",
    meaning: "A queued message was not sent: it was refused, cancelled, or too late.",
  }),
  BatchPaused: event({
    type: "batch_paused",
    payload: { batchId: "text", reason: ["caller", "balance"] },
    fields: { reason: "`balance`: the balance did not cover the next message." },
    label: "Batch paused",
    meaning: "A batch sends nothing until it is resumed.",
  }),
  BatchDone: event({
    type: "batch_done",
    payload: { batchId: "text", recipients: "integer" },
    fields: { recipients: "The number of its messages." },
    label: "Batch done",
    meaning: "No message of a batch waits any more.",
  }),
  Refunded: event({
    type: "refunded",
    payload: { messageSequence: "integer", amount: "money" },
    fields: ofMessage,
    label: "Refund",
    meaning: "The price of a message was given back.",
  }),
  ToppedUp: event({
    type: "topped_up",
    ...ofBooking,
    label: "Top-up",
    meaning: "The host has topped up the balance.",
  }),
  Adjusted: event({
    type: "adjusted",
    ...ofBooking,
    label: "Adjustment",
    meaning: "The host has corrected the balance.",
  }),
  BalanceLow: event({
    type: "balance_low",
    payload: { balance: "money", threshold: "money" },
    fields: { threshold: "The organization's `balanceLowAt`." },
    label: "Low balance",
    meaning: "The balance has fallen below the organization's `balanceLowAt`.",
  }),
  BalanceRestored: event({
    type: "balance_restored",
    payload: { balance: "money", threshold: "money" },
    fields: { threshold: "The organization's `balanceLowAt`." },
    label: "Balance restored",
    meaning: "The balance has reached `balanceLowAt` again.",
  }),
  AlertRaised: event({
    type: "alert_raised",
    payload: { alert: alerts, value: "text", bound: "text" },
    fields: { ...ofAlert, bound: "The bound in force." },
    label: "Alert",
    meaning: "A value has passed the bound of an alert. Raised once an hour at most.",
  }),
  AlertOver: event({
    type: "alert_over",
    payload: { alert: alerts, value: "textOrNull" },
    fields: {
      ...ofAlert,
      value: `${ofAlert.value} \`null\`: there is too little to compare.`,
    },
    label: "Alert over",
    meaning: "The value of an alert is within its bound again, or the alert was switched off.",
  }),
  FraudSuspected: event({
    type: "fraud_suspected",
    payload: {
      prefix: "text",
      reason: ["velocity", "conversion"],
      action: ["record", "deny"],
      sent: "integer",
      verified: "integer",
    },
    label: "Fraud suspected",
    meaning: "Codes for one prefix have become suspicious. Raised once for each reason and window.",
  }),
  KeyCreated: event({
    type: "api_key_created",
    payload: { key: "newApiKey" },
    label: "API key created",
    meaning: "An API key was created. The event never has its text.",
  }),
  KeyRevoked: event({
    type: "api_key_revoked",
    payload: { key: "apiKey" },
    label: "API key revoked",
    meaning: "An API key was revoked.",
  }),
  BrandChanged: event({
    type: "brand_changed",
    payload: { brand: "brand" },
    fields: { brand: "The sender as it is now." },
    label: "Sender changed",
    meaning: "A sender was added or changed.",
  }),
  NumberErased: event({
    type: "number_erased",
    payload: {
      messages: "integer",
      verifications: "integer",
      reports: "integer",
      events: "integer",
      answers: "integer",
      refusals: "integer",
    },
    fields: { answers: "Stored answers of calls with idempotency keys." },
    label: "Number erased",
    meaning: "A phone number was erased, from so many rows of each kind.",
  }),
  CallsRefused: event({
    type: "calls_refused",
    payload: { refusals: "refusals" },
    fields: { refusals: "The most frequent causes." },
    label: "Calls refused",
    meaning:
      "Calls were refused. With `records.refusalEvents`, each node raises one a minute at most.",
  }),
  SettingsChanged: event({
    type: "settings_changed",
    payload: { settings: "settings" },
    fields: { settings: "Their names, not their values." },
    label: "Settings changed",
    meaning: "Settings of the organization have changed.",
  }),
  WebhookCreated: event({
    type: "webhook_created",
    payload: ofWebhook,
    label: "Webhook added",
    meaning: "A webhook was added.",
  }),
  WebhookChanged: event({
    type: "webhook_changed",
    payload: ofWebhook,
    label: "Webhook changed",
    meaning: "A webhook has another address, filter or secret, or was enabled or disabled.",
  }),
  WebhookRemoved: event({
    type: "webhook_removed",
    payload: ofWebhook,
    label: "Webhook removed",
    meaning: "A webhook was removed.",
  }),
  WebhookFailing: event({
    type: "webhook_failing",
    payload: { ...ofWebhook, reason: ["failed", "gone"] },
    fields: {
      reason:
        "`failed`: an event was not delivered in three days. `gone`: the receiver has answered 410.",
    },
    label: "Webhook failing",
    meaning: "The deliveries of a webhook have ended until a replay.",
  }),
}

type Table = typeof eventTable

/** The name of an event in the engine and in stored rows. */
export type EventTag = keyof Table

/** The name of an event outside of the engine. */
export type EventType = Table[EventTag]["type"]

type ValueOf<F, Phone> =
  F extends ReadonlyArray<infer Text> ? Text : F extends Kind ? Values<Phone>[F] : never

/** The fields of an event. `Phone`: how it shows a phone number. */
export type Payload<Tag extends EventTag, Phone = never> = {
  readonly [Name in keyof Table[Tag]["payload"]]: ValueOf<Table[Tag]["payload"][Name], Phone>
}

export const types: ReadonlyArray<EventType> = Object.values(eventTable).map(({ type }) => type)
