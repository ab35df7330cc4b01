/**
 * Plain data of webhooks.
 */
import type { Duration } from "../domain/values/DurationText.ts"
import type { OfOrganization } from "./Data.ts"
import type { OrganizationEvent } from "./EventData.ts"

/** The type of an event that a webhook may be sent. */
export type WebhookEventType = OrganizationEvent["type"]

/** An event that waits for a retry. */
export interface WebhookRetry {
  readonly sequence: number
  /** Number of attempts so far, from 1. */
  readonly attempts: number
  readonly nextAt: Date
}

/** A request to the receiver, and its answer. */
export interface WebhookAttempt {
  /** Of the event. */
  readonly sequence: number
  readonly at: Date
  /** Milliseconds until the answer, or until the request was given up. */
  readonly millis: number
  /** The status code; `null` if there was no answer. */
  readonly status: number | null
  /** What was wrong; `null` if the receiver has taken the event. */
  readonly error: string | null
  /** The beginning of the answer's body, at most 200 characters. Digits that may be a number or a code are removed. */
  readonly answer: string | null
}

/** A webhook without its secrets, and how far its deliveries have come. */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly description: string | null
  /** The events that are sent. `null`: all. */
  readonly types: ReadonlyArray<WebhookEventType> | null
  readonly isEnabled: boolean
  readonly createdAt: Date
  /**
   * `failing`: an event has failed for three days. `gone`: the receiver has answered 410. Both end the deliveries
   * until a `replay`.
   */
  readonly status: "active" | "failing" | "gone"
  /** The events up to this `sequence` were delivered, except those that wait for a retry. */
  readonly position: number
  /** Number of events that wait for a retry. */
  readonly retrying: number
  /** These events, by `sequence`. At most 100. */
  readonly retries: ReadonlyArray<WebhookRetry>
  /** The time of the next retry; `null` if none waits. */
  readonly retryAt: Date | null
  /** Since when no delivery has succeeded; `null` after a success. */
  readonly troubledSince: Date | null
  /** What was wrong with the last failed delivery, such as `HTTP 500`; `null` if the last ones succeeded. */
  readonly lastError: string | null
  /** Until when it waits for its turn with other slow receivers, after a slow answer; `null` if it does not. */
  readonly slowUntil: Date | null
  /** The newest attempts, newest first. At most 20. */
  readonly attempts: ReadonlyArray<WebhookAttempt>
  /** Until when the secret before the current one signs as well; `null` if it does not. */
  readonly oldSecretUntil: Date | null
}

/** A new webhook with its secret, which is not shown again. */
export interface CreatedWebhook extends Webhook {
  /** `whsec_` and base64. */
  readonly secret: string
}

interface WebhookSettings {
  /** For people, at most 200 characters. */
  readonly description?: string | null | undefined
  /** The types of the events that are sent. @defaultValue `null`: all events */
  readonly types?: ReadonlyArray<WebhookEventType> | null | undefined
  /** @defaultValue `true` */
  readonly isEnabled?: boolean | undefined
}

export interface CreateWebhook extends OfOrganization, WebhookSettings {
  /** An absolute URL with `https`. The options `webhooks` allow more. */
  readonly url: string
  /** The `sequence` of the last event that is not sent. @defaultValue the newest event */
  readonly after?: number | undefined
}

export interface OfWebhook extends OfOrganization {
  readonly id: string
}

/** The settings that are `undefined` stay. */
export interface UpdateWebhook extends OfWebhook, WebhookSettings {
  readonly url?: string | undefined
}

export interface RotateWebhookSecret extends OfWebhook {
  /** How long both secrets sign, at most 30 days. @defaultValue `"1 day"` */
  readonly grace?: Duration | undefined
}

export interface ReplayWebhook extends OfWebhook {
  /** The `sequence` of the last event that is not sent again. @defaultValue the one before the first that failed */
  readonly after?: number | undefined
}
