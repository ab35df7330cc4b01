/** The errors that the endpoints of the tenant interface answer with. */
import type { AnyCode } from "@countersign/core/domain/errors/ErrorRows"
import type { scopeOf } from "./scopes.ts"

/** The errors of every endpoint. The allow list guards all of them, unless `allowListScope` is `messages`. */
export const commonErrors = [
  "unauthorized",
  "insufficient_scope",
  "address_not_allowed",
  "internal",
  "unavailable",
] as const satisfies ReadonlyArray<AnyCode>

const unreadable = ["body_too_large", "unsupported_media_type"] as const

/** The errors of an endpoint that takes the header `Idempotency-Key`. */
const keyed = ["idempotency_in_flight", "idempotency_mismatch"] as const

/**
 * The further errors of each endpoint. Of the errors with one status, those with more members come first, because
 * clients take the first that matches.
 */
export const errorsOf = {
  send: [
    "not_on_whatsapp",
    "sender_unusable",
    "insufficient_balance",
    ...unreadable,
    "invalid_request",
    ...keyed,
    "rate_limited",
    "sending_failed",
  ],
  list: ["invalid_request"],
  get: ["message_not_found"],
  balance: [],
  verify: [
    "invalid_request",
    "not_on_whatsapp",
    "insufficient_balance",
    ...unreadable,
    ...keyed,
    "rate_limited",
    "too_many_pending",
    "sending_failed",
  ],
  check: [
    "wrong_code",
    "invalid_request",
    "request_not_found",
    "already_consumed",
    "request_expired",
    ...unreadable,
    "attempts_exhausted",
    "rate_limited",
  ],
  status: ["request_not_found"],
  resend: [
    "invalid_request",
    "not_on_whatsapp",
    "insufficient_balance",
    "request_not_found",
    "already_verified",
    "request_expired",
    ...unreadable,
    ...keyed,
    "attempts_exhausted",
    "rate_limited",
    "resends_exhausted",
    "sending_failed",
  ],
  cancel: ["request_not_found", "already_verified", "request_expired"],
  consume: [
    "invalid_request",
    "request_not_found",
    "not_verified",
    "already_consumed",
    "request_expired",
    ...unreadable,
    // Never in flight: the commit that writes the key has the answer as well.
    "idempotency_mismatch",
    "attempts_exhausted",
  ],
} as const satisfies Readonly<Record<keyof typeof scopeOf, ReadonlyArray<AnyCode>>>
