/** The errors about a verification request. */
import { count, error, requestId, retryAfterSeconds } from "./ErrorRow.ts"

export class RequestNotFound extends error<RequestNotFound>()("RequestNotFound", {
  code: "request_not_found",
  status: 404,
  params: {},
  sentence: "Verification request not found",
  meaning: "The organization has no such verification request, or it has another purpose.",
  isFinal: true,
  advice: "Tell the user to start again.",
  label: "No such request",
}) {}

export class WrongCode extends error<WrongCode>()("WrongCode", {
  code: "wrong_code",
  status: 400,
  params: { requestId, attemptsRemaining: count("Number of wrong codes that are still allowed.") },
  sentence: "Wrong code",
  more: "; attempts left: {attemptsRemaining}",
  meaning: "The code is wrong, and attempts remain.",
  advice: "Tell the user that the code is wrong, and how many tries are left.",
  state: "pending",
}) {}

export class AttemptsExhausted extends error<AttemptsExhausted>()("AttemptsExhausted", {
  code: "attempts_exhausted",
  status: 429,
  params: { requestId },
  sentence: "The verification request has failed",
  meaning:
    "The request has failed: its attempts are used up, its code could not be sent, or it was cancelled.",
  isFinal: true,
  advice: "Tell the user to ask for a new code.",
  label: "Request has failed",
  state: "failed",
}) {}

export class AlreadyVerified extends error<AlreadyVerified>()("AlreadyVerified", {
  code: "already_verified",
  status: 409,
  params: { requestId },
  sentence: "The request is verified already",
  meaning: "The request is verified already, so its code is neither sent again nor cancelled.",
  isFinal: true,
  advice: "Tell the user that the number is verified.",
  label: "Number verified already",
  state: "verified",
}) {}

export class NotVerified extends error<NotVerified>()("NotVerified", {
  code: "not_verified",
  status: 409,
  params: { requestId },
  sentence: "The request is not verified yet",
  meaning: "The request is pending, so there is no verification to consume.",
  advice: "Tell the user to enter the code first.",
  state: "pending",
}) {}

export class AlreadyConsumed extends error<AlreadyConsumed>()("AlreadyConsumed", {
  code: "already_consumed",
  status: 409,
  params: { requestId },
  sentence: "The verification was consumed before",
  meaning:
    "Another call has consumed the verification. A check fails with it only under the profile `nist`.",
  isFinal: true,
  advice: "Tell the user to start again.",
  state: "verified",
}) {}

export class ResendsExhausted extends error<ResendsExhausted>()("ResendsExhausted", {
  code: "resends_exhausted",
  status: 429,
  params: { requestId },
  sentence: "The code cannot be sent again for this request",
  meaning: "The code of the request was sent again as often as the limit `resends` allows.",
  isFinal: true,
  advice: "Tell the user to use the last code, or to start again.",
  label: "Sent too often",
}) {}

export class RequestExpired extends error<RequestExpired>()("RequestExpired", {
  code: "request_expired",
  status: 410,
  params: { requestId },
  sentence: "The verification request has expired",
  meaning: "The request was not verified in time.",
  isFinal: true,
  advice: "Tell the user to ask for a new code.",
  label: "Request has expired",
  state: "expired",
}) {}

/** After `retryAfterSeconds`, a place is free unless another request has taken it. */
export class TooManyPending extends error<TooManyPending>()("TooManyPending", {
  code: "too_many_pending",
  status: 429,
  params: {
    limit: count("Maximum number of pending requests of a phone number."),
    retryAfterSeconds,
  },
  sentence: "Too many pending verifications for this number",
  more: ": at most {limit}",
  meaning:
    "The phone number has the maximum number of pending requests. Another request may take the next free place first.",
  advice: "Tell the user to use the newest code, or to wait until one has expired.",
  label: "Too many pending requests",
  isWaitInHeader: true,
}) {}
