/**
 * The codes that let programs tell errors apart: `code` of the errors that promises reject with, and
 * `Countersign-Error` of HTTP responses.
 */
import type * as Errors from "./Errors.ts"

/** Every error that the services of the engine fail with. */
export type EngineError = InstanceType<(typeof Errors)[keyof typeof Errors]>

/** The code of each error, by its tag. */
export const codes = {
  AddressNotAllowed: "address_not_allowed",
  ApiKeyNotFound: "api_key_not_found",
  AttemptsExhausted: "attempts_exhausted",
  BrandUnusable: "sender_unusable",
  InsufficientBalance: "insufficient_balance",
  InvalidRequest: "invalid_request",
  MessageNotFound: "message_not_found",
  NotOnWhatsApp: "not_on_whatsapp",
  OrganizationExists: "organization_exists",
  OrganizationNotFound: "organization_not_found",
  RateLimited: "rate_limited",
  RequestExpired: "request_expired",
  RequestNotFound: "request_not_found",
  SendingFailed: "sending_failed",
  StoreUnavailable: "unavailable",
  TooManyPending: "too_many_pending",
  Unauthorized: "unauthorized",
  WrongCode: "wrong_code",
} as const satisfies Readonly<Record<EngineError["_tag"], string>>

/** A code of the engine, or `internal` for a defect. */
export type ErrorCode = (typeof codes)[keyof typeof codes] | "internal"
