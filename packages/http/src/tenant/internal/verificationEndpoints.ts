/** The endpoints of verifications. */
import type { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Message from "@countersign/core/domain/messages/Message"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Bodies from "../Bodies.ts"
import { iso, success } from "./responses.ts"
import type { Guards } from "./guards.ts"
import * as Input from "./readers.ts"
import type { JsonObject } from "../../mount/internal/jsonBody.ts"
import { verificationDialect } from "./errorResponses.ts"

const isoOrNull = (epochMillis: number | null): string | null =>
  epochMillis === null ? null : iso(epochMillis)

/** The host's JSON object, which the engine keeps as text. */
const metadataOf = (text: string | null): JsonObject | null => {
  const metadata: JsonObject | null = text === null ? null : JSON.parse(text)
  return metadata
}

export const verificationEndpoints = (
  service: Verifications["Service"],
  { secured, withBody }: Guards,
) => ({
  verify: withBody("verify", verificationDialect, (caller, body, request) => {
    const input = { ...Input.sendVerification(body), ...Input.idempotencyKey(request) }
    return Effect.map(service.send({ ...caller, ...input }), (sent) =>
      success<typeof Bodies.SentVerification>({
        request_id: sent.requestId,
        to: sent.phoneNumber,
        channel: sent.channel,
        status: sent.status,
        expires_in: sent.expiresInSeconds,
      }),
    )
  }),

  check: withBody("check", verificationDialect, (caller, body) =>
    Effect.map(service.check({ ...caller, ...Input.checkVerification(body) }), (checked) =>
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
  ),

  status: secured("status", verificationDialect, (caller, { url }) =>
    Effect.map(service.status({ ...caller, requestId: Input.lastSegment(url) }), (status) =>
      success<typeof Bodies.VerificationStatus>({
        request_id: status.requestId,
        to: status.phoneNumber,
        channel: status.channel,
        status: status.status,
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
  ),

  resend: withBody(
    "resend",
    verificationDialect,
    (caller, body, request) => {
      const requestId = Input.lastSegmentButOne(request.url)
      const fields = Input.resendVerification(requestId, body)
      const input = { ...fields, ...Input.idempotencyKey(request) }
      return Effect.map(service.resend({ ...caller, ...input }), (sent) =>
        success<typeof Bodies.ResentVerification>({
          request_id: sent.requestId,
          to: sent.phoneNumber,
          channel: sent.channel,
          status: sent.status,
          expires_in: sent.expiresInSeconds,
          resends_remaining: sent.resendsRemaining,
        }),
      )
    },
    { isBodyOptional: true },
  ),

  /** Reads no body. */
  cancel: secured("cancel", verificationDialect, (caller, { url }) =>
    Effect.map(
      service.cancel({ ...caller, requestId: Input.lastSegmentButOne(url) }),
      ({ requestId, status }) =>
        success<typeof Bodies.CancelledVerification>({ request_id: requestId, status }),
    ),
  ),

  consume: withBody(
    "consume",
    verificationDialect,
    (caller, body, request) => {
      const requestId = Input.lastSegmentButOne(request.url)
      const fields = Input.consumeVerification(requestId, body)
      const input = { ...fields, ...Input.idempotencyKey(request) }
      return Effect.map(service.consume({ ...caller, ...input }), (consumed) =>
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
      )
    },
    { isBodyOptional: true },
  ),
})
