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
    [call, 401, {}, { code: "unauthorized" }],
    [call, 403, {}, { code: "address_not_allowed" }],
    [call, 403, {}, { code: "insufficient_scope" }],
    [call, 500, { error: "Internal error" }, { code: "internal", ...doubt }],
    [call, 503, wait, { code: "unavailable", retryAfterSeconds: 1, ...doubt }],
  ]
})

const balance = { required: 0.5, available: 0.25 }
const insufficient = { code: "insufficient_balance", ...balance }
const limited = { code: "rate_limited", retryAfterSeconds: 12 }
const invalid = { code: "invalid_request", details }
const about = { request_id: "vrf_1" }
const ofRequest = { requestId: "vrf_1" }
const failure = (data: object) => ({ success: false, data: { ...about, ...data } })

/** An error of a request in a state, which the body names. */
const inState = (call: Call, status: number, state: string, code: string): Row => [
  call,
  status,
  failure({ status: state }),
  { code, ...ofRequest },
]

const ofKeys: ReadonlyArray<Row> = keyed.flatMap((call): ReadonlyArray<Row> => {
  const mismatch: Row = [call, 422, {}, { code: "idempotency_mismatch" }]
  const body = { retry_after: 12 }
  return call === "verifications.consume"
    ? [mismatch]
    : [mismatch, [call, 409, body, { code: "idempotency_in_flight", retryAfterSeconds: 12 }]]
})

export const refusals: ReadonlyArray<Row> = [
  ...everywhere,
  ...ofKeys,
  ["verifications.send", 400, { details }, invalid],
  ["verifications.send", 400, { details: {} }, { ...invalid, details: {} }],
  ["verifications.send", 400, {}, { code: "not_on_whatsapp" }],
  ["verifications.send", 402, balance, insufficient],
  ["verifications.send", 429, { retry_after: 12 }, limited],
  ["verifications.send", 429, {}, { code: "too_many_pending", retryAfterSeconds: 9 }],
  ["verifications.send", 500, {}, { code: "sending_failed", outcome: "failed" }],
  [
    "verifications.check",
    400,
    failure({ status: "pending", attempts_remaining: 2 }),
    { code: "wrong_code", ...ofRequest, attemptsRemaining: 2 },
  ],
  ["verifications.check", 400, { details }, invalid],
  ["verifications.check", 404, {}, { code: "request_not_found" }],
  inState("verifications.check", 410, "expired", "request_expired"),
  inState("verifications.check", 429, "failed", "attempts_exhausted"),
  ["verifications.check", 429, { retry_after: 12 }, limited],
  ["verifications.resend", 400, { details }, invalid],
  ["verifications.resend", 400, {}, { code: "not_on_whatsapp" }],
  ["verifications.resend", 402, balance, insufficient],
  ["verifications.resend", 404, {}, { code: "request_not_found" }],
  inState("verifications.resend", 409, "verified", "already_verified"),
  inState("verifications.resend", 410, "expired", "request_expired"),
  inState("verifications.resend", 429, "failed", "attempts_exhausted"),
  ["verifications.resend", 429, { retry_after: 12 }, limited],
  ["verifications.resend", 429, {}, { code: "resends_exhausted" }],
  ["verifications.resend", 500, {}, { code: "sending_failed", outcome: "failed" }],
  ["verifications.cancel", 404, {}, { code: "request_not_found" }],
  inState("verifications.cancel", 409, "verified", "already_verified"),
  inState("verifications.cancel", 410, "expired", "request_expired"),
  ["verifications.consume", 400, { details }, invalid],
  ["verifications.consume", 404, {}, { code: "request_not_found" }],
  inState("verifications.consume", 409, "pending", "not_verified"),
  inState("verifications.consume", 409, "verified", "already_consumed"),
  inState("verifications.consume", 410, "expired", "request_expired"),
  inState("verifications.consume", 429, "failed", "attempts_exhausted"),
  ["verifications.status", 404, {}, { code: "request_not_found" }],
  ["messages.send", 422, { details }, invalid],
  ["messages.send", 400, {}, { code: "not_on_whatsapp" }],
  ["messages.send", 400, {}, { code: "opted_out" }],
  ["messages.send", 400, {}, { code: "sender_unusable" }],
  ["messages.send", 402, balance, insufficient],
  ["messages.send", 429, { retry_after: 12 }, limited],
  ["messages.send", 500, { status: "failed" }, { code: "sending_failed", outcome: "failed" }],
  ["messages.send", 500, { status: "unknown" }, { code: "sending_failed", outcome: "unknown" }],
  ["messages.list", 422, { details }, invalid],
  ["messages.get", 404, {}, { code: "message_not_found" }],
]
