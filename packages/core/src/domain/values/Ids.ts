/**
 * Identifiers. The engine makes all but the organization's. Its ids have a sortable time prefix, so that indexes grow
 * at one end, and 128 random bits, so that they cannot be guessed.
 */
import * as Brand from "effect/Brand"

/** Identifies the owner of a balance, a log, limits and requests. 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
export type OrganizationId = Brand.Branded<string, "@countersign/core/OrganizationId">
export type RequestId = Brand.Branded<string, "@countersign/core/RequestId">
/** Identifies one message. It is also the token by which a gateway may recognize a repeated dispatch. */
export type MessageId = Brand.Branded<string, "@countersign/core/MessageId">
export type SenderId = Brand.Branded<string, "@countersign/core/SenderId">
/** The public part of an API key. */
export type ApiKeyId = Brand.Branded<string, "@countersign/core/ApiKeyId">
export type WebhookId = Brand.Branded<string, "@countersign/core/WebhookId">

const organizationPattern = /^[A-Za-z0-9_-]{1,64}$/

/** Whether a value is text in the documented format. */
export const isOrganizationId = (value: unknown): value is OrganizationId =>
  typeof value === "string" && organizationPattern.test(value)

/** An organization's id. Throws a `TypeError` if the text does not have the documented format. */
export const OrganizationId = (text: string): OrganizationId => {
  if (isOrganizationId(text)) return text
  throw new TypeError("An organization id has 1 to 64 characters of A-Z, a-z, 0-9, _ and -")
}

export const RequestId = Brand.nominal<RequestId>()
export const MessageId = Brand.nominal<MessageId>()
export const SenderId = Brand.nominal<SenderId>()
export const ApiKeyId = Brand.nominal<ApiKeyId>()
export const WebhookId = Brand.nominal<WebhookId>()

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Number of random bytes that `sortable` needs. */
export const randomBytes = 16

/** `prefix_`, 12 hexadecimal digits of epoch milliseconds, and 32 random hexadecimal digits. */
export const sortable = (prefix: string, atMillis: number, random: Uint8Array): string => {
  const parts = [prefix, "_", Math.max(0, atMillis).toString(16).padStart(12, "0")]
  for (const byte of random) parts.push(hexOf[byte] ?? "")
  // Joined: a concatenated string is kept as the tree of its parts, at ten times the size.
  return parts.join("")
}

/** The time in an id of `sortable`, in epoch milliseconds, by the clock of the node that has made the id. */
export const sortableTime = (id: string): number => Number.parseInt(id.slice(4, 16), 16)

export const requestIdPrefix = "vrf"

export const messageIdPrefix = "msg"

/** The format of the ids of messages. */
const messageIdPattern = /^msg_[0-9a-f]{44}$/

export const isMessageId = (text: string): text is MessageId => messageIdPattern.test(text)

/** The format of every id that `sortable` makes. */
export const sortablePattern = /^[a-z]{3}_[0-9a-f]{44,}$/

/** Identifies one message: the organization, and the message's sequence in its log. */
export interface MessageRef {
  readonly organization: OrganizationId
  /** 1 for the organization's first message; has no gaps. */
  readonly sequence: number
}
