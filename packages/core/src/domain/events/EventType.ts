/**
 * The names of events outside of the engine: in webhooks and their filters, and in the promise API.
 */
import type { OrganizationEvent } from "./Event.ts"

export const eventTypes = {
  VerificationSent: "verification_sent",
  Verified: "verified",
  Failed: "verification_failed",
  Cancelled: "verification_cancelled",
  Consumed: "verification_consumed",
  MessageSettled: "message_settled",
  Refunded: "refunded",
  ToppedUp: "topped_up",
  Adjusted: "adjusted",
  BalanceLow: "balance_low",
  FraudSuspected: "fraud_suspected",
  KeyCreated: "api_key_created",
  KeyRevoked: "api_key_revoked",
  BrandChanged: "brand_changed",
  NumberErased: "number_erased",
  CallsRefused: "calls_refused",
  SettingsChanged: "settings_changed",
  WebhookCreated: "webhook_created",
  WebhookChanged: "webhook_changed",
  WebhookRemoved: "webhook_removed",
  WebhookFailing: "webhook_failing",
} as const satisfies Readonly<Record<OrganizationEvent["_tag"], string>>

export type EventType = (typeof eventTypes)[keyof typeof eventTypes]

export const all: ReadonlyArray<EventType> = Object.values(eventTypes)
