/**
 * The error of each answer that refuses a call.
 */
import { all, type Call, keyed, writing } from "./calls.ts"

const details = { field: ["is wrong"] }

/** Call, status, body, and the error without its `message` and `status`. */
type Row = readonly [Call, number, object, Readonly<Record<string, unknown>>]

const doubtful = (call: Call) => ({ mayHaveTakenEffect: writing.includes(call) })

const everywhere: ReadonlyArray<Row> = all.flatMap((call): ReadonlyArray<Row> => {
  const doubt = doubtful(call)
  const wait = { retry_after: 1 }
  return [
    [call, 401, {}, { type: "unauthorized" }],
    [call, 403, {}, { type: "address_not_allowed" }],
    [call, 403, {}, { type: "insufficient_scope" }],
    [call, 500, { error: "Internal error" }, { type: "internal_error", ...doubt }],
    [call, 503, wait, { type: "unavailable", retryAfterSeconds: 1, ...doubt }],
  ]
})

const balance = { required: 0.5, available: 0.25 }
const insufficient = { type: "insufficient_balance", ...balance }
const limited = { type: "rate_limited", retryAfterSeconds: 12 }
const invalid = { type: "invalid_request", details }
const about = { request_id: "vrf_1" }
const ofRequest = { requestId: "vrf_1" }
const failure = (data: object) => ({ success: false, data: { ...about, ...data } })

const ofKeys: ReadonlyArray<Row> = keyed.flatMap((call): ReadonlyArray<Row> => {
  const mismatch: Row = [call, 422, {}, { type: "idempotency_mismatch" }]
  const body = { retry_after: 12 }
  return call === "verifications.consume"
    ? [mismatch]
    : [mismatch, [call, 409, body, { type: "idempotency_in_flight", retryAfterSeconds: 12 }]]
})

export const refusals: ReadonlyArray<Row> = [
  ...everywhere,
  ...ofKeys,
  ["verifications.send", 400, { details }, invalid],
  ["verifications.send", 400, { details: {} }, { ...invalid, details: {} }],
  ["verifications.send", 400, {}, { type: "not_sendable" }],
  ["verifications.send", 402, balance, insufficient],
  ["verifications.send", 429, { retry_after: 12 }, limited],
  ["verifications.send", 429, {}, { type: "too_many_pending", retryAfterSeconds: 9 }],
  ["verifications.send", 500, {}, { type: "sending_failed", outcome: "failed" }],
  [
    "verifications.check",
    400,
    failure({ status: "pending", attempts_remaining: 2 }),
    { type: "wrong_code", ...ofRequest, attemptsRemaining: 2 },
  ],
  ["verifications.check", 400, { details }, invalid],
  ["verifications.check", 404, {}, { type: "request_not_found" }],
  [
    "verifications.check",
    410,
    failure({ status: "expired" }),
    { type: "request_expired", ...ofRequest },
  ],
  [
    "verifications.check",
    429,
    failure({ status: "failed" }),
    { type: "attempts_exhausted", ...ofRequest },
  ],
  ["verifications.check", 429, { retry_after: 12 }, limited],
  ["verifications.resend", 400, { details }, invalid],
  ["verifications.resend", 400, {}, { type: "not_sendable" }],
  ["verifications.resend", 402, balance, insufficient],
  ["verifications.resend", 404, {}, { type: "request_not_found" }],
  [
    "verifications.resend",
    409,
    failure({ status: "verified" }),
    { type: "already_verified", ...ofRequest },
  ],
  [
    "verifications.resend",
    410,
    failure({ status: "expired" }),
    { type: "request_expired", ...ofRequest },
  ],
  [
    "verifications.resend",
    429,
    failure({ status: "failed" }),
    { type: "attempts_exhausted", ...ofRequest },
  ],
  ["verifications.resend", 429, { retry_after: 12 }, limited],
  ["verifications.resend", 429, {}, { type: "resends_exhausted" }],
  ["verifications.resend", 500, {}, { type: "sending_failed", outcome: "failed" }],
  ["verifications.cancel", 404, {}, { type: "request_not_found" }],
  [
    "verifications.cancel",
    409,
    failure({ status: "verified" }),
    { type: "already_verified", ...ofRequest },
  ],
  [
    "verifications.cancel",
    410,
    failure({ status: "expired" }),
    { type: "request_expired", ...ofRequest },
  ],
  ["verifications.consume", 400, { details }, invalid],
  ["verifications.consume", 404, {}, { type: "request_not_found" }],
  [
    "verifications.consume",
    409,
    failure({ status: "pending" }),
    { type: "not_verified", ...ofRequest },
  ],
  [
    "verifications.consume",
    409,
    failure({ status: "verified" }),
    { type: "already_consumed", ...ofRequest },
  ],
  [
    "verifications.consume",
    410,
    failure({ status: "expired" }),
    { type: "request_expired", ...ofRequest },
  ],
  [
    "verifications.consume",
    429,
    failure({ status: "failed" }),
    { type: "attempts_exhausted", ...ofRequest },
  ],
  ["verifications.status", 404, {}, { type: "request_not_found" }],
  ["messages.send", 422, { details }, invalid],
  ["messages.send", 400, {}, { type: "not_sendable" }],
  ["messages.send", 402, balance, insufficient],
  ["messages.send", 429, { retry_after: 12 }, limited],
  ["messages.send", 500, { status: "failed" }, { type: "sending_failed", outcome: "failed" }],
  ["messages.send", 500, { status: "unknown" }, { type: "sending_failed", outcome: "unknown" }],
  ["messages.list", 422, { details }, invalid],
  ["messages.get", 404, {}, { type: "message_not_found" }],
]
