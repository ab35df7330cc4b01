import type { Access } from "@countersign/core/engine/Access"
import { Accounts } from "@countersign/core/services/Accounts"
import * as Message from "@countersign/core/domain/messages/Message"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import {
  type SentVerification,
  Verifications,
} from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Bodies from "../Bodies.ts"
import { iso, json, success } from "./responses.ts"
import type { JsonObject } from "../../mount/internal/jsonBody.ts"
import { makeGuards, type Options } from "./guards.ts"
import * as Input from "./readers.ts"

/** The services that the interface requires. */
export type Requirements = Access | Accounts | Messages | Verifications

const logEntry = (message: Message.Message): typeof Bodies.LogEntry.Encoded => ({
  id: Message.logId(message),
  recipient: PhoneNumber.digits(message.phoneNumber),
  message: message.text,
  channel: message.logChannel,
  status: message.status,
  price: Money.format(Message.price(message)),
  gatewayId: message.gatewayId,
  errorMessage: message.error,
  createdAt: iso(message.createdAt),
})

const isoOrNull = (epochMillis: number | null): string | null =>
  epochMillis === null ? null : iso(epochMillis)

/** The host's JSON object, which the engine keeps as text. */
const metadataOf = (text: string | null): JsonObject | null => {
  const metadata: JsonObject | null = text === null ? null : JSON.parse(text)
  return metadata
}

const sentCode = (sent: SentVerification) => ({
  request_id: sent.requestId,
  to: sent.phoneNumber,
  channel: sent.channel,
  status: sent.status,
  expires_in: sent.expiresInSeconds,
})

/** Makes the endpoints over the engine in the context. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const accounts = yield* Accounts
  const messages = yield* Messages
  const verifications = yield* Verifications
  const { secured, withBody } = yield* makeGuards(options)

  return {
    send: withBody(
      "send",
      (caller, body, request) =>
        messages.send({ ...caller, ...Input.sendMessage(body), ...Input.idempotencyKey(request) }),
      (sent) =>
        success<typeof Bodies.SentMessage>({
          gateway_id: sent.gatewayId,
          to: PhoneNumber.digits(sent.phoneNumber),
          channel: sent.channel,
          status: sent.status,
          credits_remaining: Money.toNumber(sent.balance),
        }),
    ),

    list: secured(
      "list",
      (caller, { url }) => messages.list({ ...caller, ...Input.listMessages(url) }),
      (found) =>
        json<typeof Bodies.MessageLog.Encoded>(200, {
          success: true,
          data: found.messages.map(logEntry),
          pagination: {
            page: found.page,
            limit: found.limit,
            total: found.total,
            total_pages: found.totalPages,
          },
        }),
    ),

    get: secured(
      "get",
      (caller, { url }) => messages.get({ ...caller, id: Input.lastSegment(url) }),
      (message) => success<typeof Bodies.LoggedMessage>(logEntry(message)),
    ),

    balance: secured("balance", accounts.balance, ({ balance, currency }) =>
      success<typeof Bodies.Balance>({ balance: Money.toNumber(balance), currency }),
    ),

    verify: withBody(
      "verify",
      (caller, body, request) =>
        verifications.send({
          ...caller,
          ...Input.sendVerification(body),
          ...Input.idempotencyKey(request),
        }),
      (sent) => success<typeof Bodies.SentVerification>(sentCode(sent)),
    ),

    check: withBody(
      "check",
      (caller, body) => verifications.check({ ...caller, ...Input.checkVerification(body) }),
      (checked) =>
        success<typeof Bodies.CheckedVerification>(
          {
            request_id: checked.requestId,
            to: checked.phoneNumber,
            status: checked.status,
            verified_at: iso(checked.verifiedAt),
          },
          checked.isFirst ? { "countersign-first": "true" } : undefined,
        ),
    ),

    status: secured(
      "status",
      (caller, { url }) => verifications.status({ ...caller, requestId: Input.lastSegment(url) }),
      (status) =>
        success<typeof Bodies.VerificationStatus>({
          request_id: status.requestId,
          to: status.phoneNumber,
          channel: status.channel,
          // This interface has no outbox.
          status: status.status === "queued" ? "pending" : status.status,
          created_at: iso(status.createdAt),
          expires_at: iso(status.expiresAt),
          verified_at: isoOrNull(status.verifiedAt),
          consumed_at: isoOrNull(status.consumedAt),
          attempts_remaining: status.attemptsRemaining,
          resends_remaining: status.resendsRemaining,
          resend_at: isoOrNull(status.resendAt),
          purpose: status.purpose,
          metadata: metadataOf(status.metadata),
          messages: status.messages.map((message) => ({
            id: Message.logId(message),
            channel: message.channel,
            status: message.status,
            created_at: iso(message.createdAt),
          })),
        }),
    ),

    resend: withBody(
      "resend",
      (caller, body, request) => {
        const fields = Input.resendVerification(Input.lastSegmentButOne(request.url), body)
        return verifications.resend({ ...caller, ...fields, ...Input.idempotencyKey(request) })
      },
      (sent) =>
        success<typeof Bodies.ResentVerification>({
          ...sentCode(sent),
          resends_remaining: sent.resendsRemaining,
        }),
    ),

    /** Reads no body. */
    cancel: secured(
      "cancel",
      (caller, { url }) =>
        verifications.cancel({ ...caller, requestId: Input.lastSegmentButOne(url) }),
      ({ requestId, status }) =>
        success<typeof Bodies.CancelledVerification>({ request_id: requestId, status }),
    ),

    consume: withBody(
      "consume",
      (caller, body, request) => {
        const fields = Input.consumeVerification(Input.lastSegmentButOne(request.url), body)
        return verifications.consume({ ...caller, ...fields, ...Input.idempotencyKey(request) })
      },
      (consumed) =>
        success<typeof Bodies.ConsumedVerification>({
          request_id: consumed.requestId,
          to: consumed.phoneNumber,
          status: consumed.status,
          verified_at: iso(consumed.verifiedAt),
          consumed_at: iso(consumed.consumedAt),
          purpose: consumed.purpose,
          metadata: metadataOf(consumed.metadata),
          proof: consumed.proof === undefined ? null : Redacted.value(consumed.proof),
        }),
    ),
  }
})
