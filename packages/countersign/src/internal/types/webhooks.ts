import type { OfOrganization } from "./data.ts"
import type { OrganizationEvent } from "./event.ts"

/** The type of an event that a webhook may be sent. */
export type WebhookEventType = OrganizationEvent["type"]

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
  /** The time of the next retry; `null` if none waits. */
  readonly retryAt: Date | null
  /** Since when no delivery has succeeded; `null` after a success. */
  readonly troubledSince: Date | null
  /** What was wrong with the last failed delivery, such as `HTTP 500`; `null` if the last ones succeeded. */
  readonly lastError: string | null
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
  /** Seconds for which both secrets sign, at most 30 days. @defaultValue a day */
  readonly graceSeconds?: number | undefined
}

export interface ReplayWebhook extends OfWebhook {
  /** The `sequence` of the last event that is not sent again. @defaultValue the one before the first that failed */
  readonly after?: number | undefined
}

/** Manages the addresses that receive the events of an organization. */
export interface Webhooks {
  /** Adds a webhook. Its secret is returned here only. The first delivery is the event of its creation. */
  readonly create: (input: CreateWebhook) => Promise<CreatedWebhook>
  /** Returns the webhooks of an organization, at most 20, the oldest first. */
  readonly list: (input?: OfOrganization) => Promise<ReadonlyArray<Webhook>>
  /** Changes settings. Rejects with `WebhookNotFoundError` for an unknown id. */
  readonly update: (input: UpdateWebhook) => Promise<Webhook>
  /** Makes a new secret. The one before it signs as well for a day. */
  readonly rotateSecret: (input: RotateWebhookSecret) => Promise<{ readonly secret: string }>
  /** Removes a webhook. Events that it has not received yet are not sent to it any more. */
  readonly remove: (input: OfWebhook) => Promise<void>
  /**
   * Sends the events after `after` again, and starts deliveries that have ended. Resolves with the place where it
   * starts, which is not before the oldest stored event.
   */
  readonly replay: (input: ReplayWebhook) => Promise<{ readonly after: number }>
  /** Sends one request of the type `webhook_test`, which is no event, and resolves with what came of it. */
  readonly sendTest: (
    input: OfWebhook,
  ) => Promise<{ readonly isDelivered: boolean; readonly error: string | null }>
}
