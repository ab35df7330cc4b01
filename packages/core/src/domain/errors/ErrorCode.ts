/**
 * The code and the HTTP status of each error: `code` and `httpStatus` of the errors that promises reject
 * with, `Countersign-Error` and the status of HTTP responses.
 */

/** The code of each error, by its tag. This module has no type of Effect, because the types of promises name it. */
export const codes = {
  AddressNotAllowed: "address_not_allowed",
  AlreadyConsumed: "already_consumed",
  AlreadyVerified: "already_verified",
  ApiKeyNotFound: "api_key_not_found",
  AttemptsExhausted: "attempts_exhausted",
  BrandNotFound: "sender_not_found",
  BrandUnusable: "sender_unusable",
  IdempotencyInFlight: "idempotency_in_flight",
  IdempotencyMismatch: "idempotency_mismatch",
  InsufficientBalance: "insufficient_balance",
  InsufficientScope: "insufficient_scope",
  InvalidRequest: "invalid_request",
  MessageNotFound: "message_not_found",
  NotOnWhatsApp: "not_on_whatsapp",
  NotVerified: "not_verified",
  OrganizationExists: "organization_exists",
  OrganizationNotFound: "organization_not_found",
  RateLimited: "rate_limited",
  RequestExpired: "request_expired",
  RequestNotFound: "request_not_found",
  ResendsExhausted: "resends_exhausted",
  SendingFailed: "sending_failed",
  StoreUnavailable: "unavailable",
  TooManyPending: "too_many_pending",
  Unauthorized: "unauthorized",
  WebhookNotFound: "webhook_not_found",
  WrongCode: "wrong_code",
} as const

/** A code of the engine, or `internal` for a defect. */
export type ErrorCode = (typeof codes)[keyof typeof codes] | "internal"

/**
 * The HTTP status of each code. The message endpoints answer `invalid_request` with 422. No endpoint fails
 * with `api_key_not_found`, `organization_exists`, `organization_not_found`, `sender_not_found` or
 * `webhook_not_found`: their status is for hosts.
 */
export const httpStatuses = {
  address_not_allowed: 403,
  already_consumed: 409,
  already_verified: 409,
  api_key_not_found: 404,
  attempts_exhausted: 429,
  idempotency_in_flight: 409,
  idempotency_mismatch: 422,
  insufficient_balance: 402,
  insufficient_scope: 403,
  internal: 500,
  invalid_request: 400,
  message_not_found: 404,
  not_on_whatsapp: 400,
  not_verified: 409,
  organization_exists: 409,
  organization_not_found: 404,
  rate_limited: 429,
  request_expired: 410,
  request_not_found: 404,
  resends_exhausted: 429,
  sender_not_found: 404,
  sender_unusable: 400,
  sending_failed: 500,
  too_many_pending: 429,
  unauthorized: 401,
  unavailable: 503,
  webhook_not_found: 404,
  wrong_code: 400,
} as const satisfies Readonly<Record<ErrorCode, number>>
