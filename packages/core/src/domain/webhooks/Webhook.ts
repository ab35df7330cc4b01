/** An address of the host that receives the events of an organization, in the format of Standard Webhooks. */
import * as Base64 from "effect/encoding/Base64"
import { type LoggedEvent, plainFields } from "../events/Event.ts"
import { eventTable, type EventType } from "../events/EventTable.ts"
import type { WebhookId } from "../values/Ids.ts"

/** A secret that deliveries are signed with, encrypted under a secret. */
export interface Secret {
  readonly sealed: Uint8Array
  /** Id of the secret. */
  readonly pepper: string
  /** The secret signs until this time, in epoch milliseconds. `null`: no end. */
  readonly until: number | null
}

export interface Webhook {
  readonly id: WebhookId
  readonly url: string
  readonly description: string | null
  /** The events that are sent. `null`: all. */
  readonly types: ReadonlyArray<EventType> | null
  readonly isEnabled: boolean
  /** The current secret, and after a rotation the one before it. */
  readonly secrets: ReadonlyArray<Secret>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The `sequence` of the last event before the first delivery. */
  readonly startsAfter: number
}

/** Maximum number of webhooks of an organization. */
export const maxWebhooks = 20

/** Maximum number of characters of a URL, and of a description. */
export const maxUrlLength = 2_000
export const maxDescriptionLength = 200

/** Number of random bytes of a secret. */
export const secretBytes = 32

const secretPrefix = "whsec_"

export const encodeSecret = (bytes: Uint8Array): string => `${secretPrefix}${Base64.encode(bytes)}`

export const decodeSecret = (text: string) => Base64.decode(text.slice(secretPrefix.length))

/** The secrets that sign at `now`, the current one first. */
export const secretsAt = ({ secrets }: Webhook, now: number): ReadonlyArray<Secret> =>
  secrets.filter(({ until }) => until === null || now < until)

/** Adds a secret. The current one signs until `until`, and older ones no longer. */
export const rotate = (self: Webhook, secret: Secret, until: number): Webhook => ({
  ...self,
  secrets: [secret, ...self.secrets.slice(0, 1).map((old) => ({ ...old, until }))],
})

export const wants = ({ types }: Webhook, event: LoggedEvent): boolean =>
  types === null || types.includes(eventTable[event._tag].type)

/** The same for every attempt to deliver an event. */
export const deliveryId = ({ organization, sequence }: LoggedEvent): string =>
  `evt_${organization}_${sequence}`

const textOf = (type: string, at: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })

/**
 * The body of a delivery. `previous` is the `sequence` of the event that the webhook was sent before this one. It is
 * `null` for the first event, and for the first event after a replay.
 */
export const bodyOf = (event: LoggedEvent, previous: number | null): string => {
  const data = Object.fromEntries([...plainFields(event), ["previous", previous]])
  return textOf(eventTable[event._tag].type, event.at, data)
}

/** The type of a delivery that is no event, for `Webhooks.sendTest`. */
export const testType = "webhook_test"

export const testBody = (organization: string, webhookId: WebhookId, at: number): string =>
  textOf(testType, at, { organization, webhookId })

/** The text that a delivery's signature covers. `seconds`: the time of the attempt, since the epoch. */
export const signedText = (id: string, seconds: number, body: string): string =>
  `${id}.${seconds}.${body}`
