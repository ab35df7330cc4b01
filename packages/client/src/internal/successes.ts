/**
 * Parses the bodies of successful responses. Returns `undefined` if a body does not have the documented shape.
 * Ignores unknown members, which later versions of the service may add.
 */
import type { Answered } from "./exchange.ts"
import {
  instantOf,
  instantOrNull,
  isCount,
  isNumber,
  isObject,
  isOneOf,
  isText,
  isTextOrNull,
  type JsonObject,
  objectOf,
} from "./json.ts"
import type * as Types from "./types.ts"

const isChannel = isOneOf(["sms", "whatsapp"])

const isLogChannel = isOneOf(["mask", "non-mask", "whatsapp"])

const isLogStatus = isOneOf([
  "pending",
  "accepted",
  "delivered",
  "undelivered",
  "rejected",
  "failed",
  "unknown",
])

export const sentVerification = (body: JsonObject): Types.SentVerification | undefined => {
  const { channel, expires_in, request_id, status, to } = objectOf(body["data"])
  return isText(request_id) &&
    isText(to) &&
    isChannel(channel) &&
    status === "pending" &&
    isCount(expires_in)
    ? { requestId: request_id, phoneNumber: to, channel, status, expiresInSeconds: expires_in }
    : undefined
}

export const checkedVerification = (
  body: JsonObject,
  { first }: Pick<Answered, "first">,
): Types.CheckedVerification | undefined => {
  const { request_id, status, to, verified_at } = objectOf(body["data"])
  const verifiedAt = instantOf(verified_at)
  return isText(request_id) && isText(to) && status === "verified" && verifiedAt !== undefined
    ? { requestId: request_id, phoneNumber: to, status, verifiedAt, isFirst: first === "true" }
    : undefined
}

export const resentVerification = (body: JsonObject): Types.ResentVerification | undefined => {
  const sent = sentVerification(body)
  const { resends_remaining: resendsRemaining } = objectOf(body["data"])
  return sent && isCount(resendsRemaining) ? { ...sent, resendsRemaining } : undefined
}

export const cancelledVerification = ({
  data,
}: JsonObject): Types.CancelledVerification | undefined => {
  const { request_id: requestId, status } = objectOf(data)
  return isText(requestId) && status === "failed" ? { requestId, status } : undefined
}

export const consumedVerification = ({
  data,
}: JsonObject): Types.ConsumedVerification | undefined => {
  const { consumed_at, metadata, proof, purpose, request_id, status, to, verified_at } =
    objectOf(data)
  const verifiedAt = instantOf(verified_at)
  const consumedAt = instantOf(consumed_at)
  return isText(request_id) &&
    isText(to) &&
    status === "verified" &&
    verifiedAt !== undefined &&
    consumedAt !== undefined &&
    isTextOrNull(purpose) &&
    (metadata === null || isObject(metadata)) &&
    isTextOrNull(proof)
    ? {
        requestId: request_id,
        phoneNumber: to,
        status,
        verifiedAt,
        consumedAt,
        purpose,
        metadata,
        proof,
      }
    : undefined
}

const codeMessage = (value: unknown): Types.VerificationStatus["messages"][number] | undefined => {
  const { channel, created_at, id, status } = objectOf(value)
  const createdAt = instantOf(created_at)
  return isText(id) && isChannel(channel) && isLogStatus(status) && createdAt !== undefined
    ? { id, channel, status, createdAt }
    : undefined
}

const isState = isOneOf(["pending", "verified", "expired", "failed"])

export const verificationStatus = ({ data }: JsonObject): Types.VerificationStatus | undefined => {
  const {
    attempts_remaining: attemptsRemaining,
    channel,
    metadata,
    purpose,
    request_id: requestId,
    resends_remaining: resendsRemaining,
    status,
    to: phoneNumber,
    ...more
  } = objectOf(data)
  const createdAt = instantOf(more["created_at"])
  const expiresAt = instantOf(more["expires_at"])
  const verifiedAt = instantOrNull(more["verified_at"])
  const consumedAt = instantOrNull(more["consumed_at"])
  const resendAt = instantOrNull(more["resend_at"])
  const messages = Array.isArray(more["messages"]) ? more["messages"].map(codeMessage) : [undefined]
  return isText(requestId) &&
    isText(phoneNumber) &&
    isChannel(channel) &&
    isState(status) &&
    createdAt !== undefined &&
    expiresAt !== undefined &&
    verifiedAt !== undefined &&
    consumedAt !== undefined &&
    isCount(attemptsRemaining) &&
    isCount(resendsRemaining) &&
    resendAt !== undefined &&
    isTextOrNull(purpose) &&
    (metadata === null || isObject(metadata)) &&
    messages.every((message) => message !== undefined)
    ? {
        requestId,
        phoneNumber,
        channel,
        status,
        createdAt,
        expiresAt,
        verifiedAt,
        consumedAt,
        attemptsRemaining,
        resendsRemaining,
        resendAt,
        purpose,
        metadata,
        messages,
      }
    : undefined
}

export const sentMessage = (body: JsonObject): Types.SentMessage | undefined => {
  const { channel, credits_remaining, gateway_id, status, to } = objectOf(body["data"])
  return isText(gateway_id) &&
    isText(to) &&
    isChannel(channel) &&
    status === "delivered" &&
    isNumber(credits_remaining)
    ? {
        gatewayId: gateway_id,
        phoneNumber: to,
        channel,
        status,
        creditsRemaining: credits_remaining,
      }
    : undefined
}

const logEntry = (value: unknown): Types.LogEntry | undefined => {
  const entry = objectOf(value)
  const { channel, errorMessage, gatewayId, id, message, price, recipient, status } = entry
  const createdAt = instantOf(entry["createdAt"])
  return isText(id) &&
    isText(recipient) &&
    isText(message) &&
    isLogChannel(channel) &&
    isLogStatus(status) &&
    isText(price) &&
    isTextOrNull(gatewayId) &&
    isTextOrNull(errorMessage) &&
    createdAt !== undefined
    ? {
        id,
        phoneNumber: recipient,
        text: message,
        channel,
        status,
        price,
        gatewayId,
        errorMessage,
        createdAt,
      }
    : undefined
}

export const loggedMessage = ({ data }: JsonObject): Types.LogEntry | undefined => logEntry(data)

export const messagePage = ({ data, pagination }: JsonObject): Types.MessagePage | undefined => {
  const { limit, page, total, total_pages } = objectOf(pagination)
  if (!Array.isArray(data)) return undefined
  const messages = data.map(logEntry)
  return messages.every((entry) => entry !== undefined) &&
    isCount(page) &&
    isCount(limit) &&
    isCount(total) &&
    isCount(total_pages)
    ? { messages, page, limit, total, totalPages: total_pages }
    : undefined
}

export const balance = (body: JsonObject): Types.Balance | undefined => {
  const { balance, currency } = objectOf(body["data"])
  return isNumber(balance) && isText(currency) ? { balance, currency } : undefined
}
