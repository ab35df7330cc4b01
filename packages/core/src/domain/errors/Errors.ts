/** The errors that callers receive. No error contains a secret or a full phone number. */
import { failureReasons } from "../values/FailureReason.ts"
import * as Param from "./ErrorRow.ts"
import { details, error, requestId, retryAfterSeconds } from "./ErrorRow.ts"

export * from "./OutboxErrors.ts"
export * from "./SendingErrors.ts"

export class InvalidRequest extends error<InvalidRequest>()("InvalidRequest", {
  code: "invalid_request",
  status: 400,
  statuses: { messages: 422, admin: 422 },
  params: { details },
  sentence: "Validation failed",
  meaning: "The input has invalid fields, or the body is not a JSON object.",
  advice: "Tell the user the problem of each field, in your words.",
  label: "Invalid request",
}) {
  override get message(): string {
    const problems = Object.entries(this.details).flatMap(([field, list]) =>
      list.map(({ message }) => `${field} ${message}`),
    )
    return problems.length === 0 ? "The request is not valid" : problems.join("; ")
  }
}

export class Unauthorized extends error<Unauthorized>()("Unauthorized", {
  code: "unauthorized",
  status: 401,
  params: {},
  sentence: "Invalid or revoked API key",
  meaning:
    "The API key is missing, malformed, unknown, revoked or expired, or its organization is suspended. The response does not say which.",
  advice: "Use a valid key.",
  isForOperators: true,
  label: "Key not valid",
}) {}

export class InsufficientScope extends error<InsufficientScope>()("InsufficientScope", {
  code: "insufficient_scope",
  status: 403,
  params: {},
  sentence: "The scopes of this API key do not include this endpoint",
  meaning: "The API key is valid, but its scopes do not include the operation.",
  advice: "Use a key with this scope.",
  isForOperators: true,
  label: "Key without this right",
  body: "Forbidden",
}) {}

export class AddressNotAllowed extends error<AddressNotAllowed>()("AddressNotAllowed", {
  code: "address_not_allowed",
  status: 403,
  params: {},
  sentence: "This IP address is not allowed",
  meaning: "The address of the request is not on the allow list of the organization.",
  advice: "Add the address to the allow list.",
  isForOperators: true,
  label: "Address not on the allow list",
  body: "Forbidden",
}) {}

export class IdempotencyMismatch extends error<IdempotencyMismatch>()("IdempotencyMismatch", {
  code: "idempotency_mismatch",
  status: 422,
  params: {},
  sentence: "Another call has used this idempotency key",
  meaning: "Another call of the endpoint has used the idempotency key in the last 24 hours.",
  advice: "Use a new key for each call. It is a bug of the caller.",
  label: "Idempotency key used before",
}) {}

export class IdempotencyInFlight extends error<IdempotencyInFlight>()("IdempotencyInFlight", {
  code: "idempotency_in_flight",
  status: 409,
  params: { retryAfterSeconds },
  sentence: "The first call with this idempotency key has no answer yet",
  meaning: "The first call with the idempotency key has no answer yet.",
  advice: "Repeat the call.",
}) {}

/**
 * The price of a message that was charged without an answer is refunded at the settlement deadline.
 *
 * A top-up or an adjustment may have been booked. Repeat it with the same payment id, which books it once.
 */
export class StoreUnavailable extends error<StoreUnavailable>()("StoreUnavailable", {
  code: "unavailable",
  status: 503,
  params: {
    reason: Param.oneOf(
      ["overloaded", "timeout", "connection", "secret"],
      "`overloaded`: too many commands wait for the database. `timeout`, `connection`: it does not answer. `secret`: the code is under a secret that this process does not have, as while a new one is introduced.",
    ),
    retryAfterSeconds,
  },
  by: "reason",
  sentence: "Temporarily unavailable",
  more: {
    overloaded: ": too many commands wait for the database",
    timeout: ": the database did not answer in time",
    connection: ": the database cannot be reached",
    secret:
      ": the code is under a secret that this process does not have; another process can check it",
  },
  meaning: "The database cannot answer now. Any charge will be refunded.",
  advice:
    "Tell the user to try again in that many seconds. Repeat a booking with the same `paymentId`, which books it once.",
}) {}

export class OrganizationNotFound extends error<OrganizationNotFound>()("OrganizationNotFound", {
  code: "organization_not_found",
  status: 404,
  params: {},
  sentence: "Organization not found",
  meaning: "No organization has this id.",
  advice: "Create the organization first.",
  isForOperators: true,
}) {}

export class OrganizationExists extends error<OrganizationExists>()("OrganizationExists", {
  code: "organization_exists",
  status: 409,
  params: {},
  sentence: "The id is taken",
  meaning: "An organization with this id exists already.",
  advice: "Choose another id.",
}) {}

export class ApiKeyNotFound extends error<ApiKeyNotFound>()("ApiKeyNotFound", {
  code: "api_key_not_found",
  status: 404,
  params: {},
  sentence: "API key not found",
  meaning: "The organization has no API key with this id.",
  advice: "Tell the user that the id is wrong.",
}) {}

export class SenderNotFound extends error<SenderNotFound>()("SenderNotFound", {
  code: "sender_not_found",
  status: 404,
  params: {},
  sentence: "Sender not found",
  meaning: "The organization has no sender with this id.",
  advice: "Tell the user that the id is wrong.",
}) {}

export class WebhookNotFound extends error<WebhookNotFound>()("WebhookNotFound", {
  code: "webhook_not_found",
  status: 404,
  params: {},
  sentence: "Webhook not found",
  meaning: "The organization has no webhook with this id.",
  advice: "Tell the user that the webhook was removed.",
}) {}

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
  params: {
    requestId,
    attemptsRemaining: Param.count("Number of wrong codes that are still allowed."),
  },
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
    limit: Param.count("Maximum number of pending requests of a phone number."),
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

export class MessageNotFound extends error<MessageNotFound>()("MessageNotFound", {
  code: "message_not_found",
  status: 404,
  params: {},
  sentence: "Message not found",
  meaning: "The message is not in the log of the organization, or retention has deleted it.",
  isFinal: true,
  advice: "Look the message up in the list.",
}) {}

export class InsufficientBalance extends error<InsufficientBalance>()("InsufficientBalance", {
  code: "insufficient_balance",
  status: 402,
  params: {
    required: Param.money("The price, a decimal such as `0.50`."),
    available: Param.money("The amount that can be spent."),
  },
  sentence: "Insufficient balance",
  more: ": {required} is needed, and {available} is available",
  meaning: "The balance does not cover the price.",
  advice: "Top up with `account.topUp`.",
  isForOperators: true,
  label: "Balance too low",
}) {}

export class SendingFailed extends error<SendingFailed>()("SendingFailed", {
  code: "sending_failed",
  status: 500,
  // 500 is for defects there.
  statuses: { admin: 502 },
  params: {
    status: Param.oneOf(
      ["failed", "unknown"],
      "`failed`: nothing was sent or charged. `unknown`: the message may still arrive, and its price is held until the outcome is known.",
    ),
    reason: Param.oneOf(
      failureReasons,
      `Why it was not sent: ${failureReasons.map((reason) => `\`${reason}\``).join(", ")}.`,
      "FailureReason",
    ),
    gateway: Param.textOrNull(
      "The gateway that answered last. `null`: none was asked, or its answer is not known here.",
    ),
    vendorCode: Param.textOrNull("The vendor's code of the error, if it has one."),
    vendorMessage: Param.textOrNull(
      "The vendor's text, without the content of the message and without secrets.",
    ),
  },
  by: "status",
  sentence: {
    failed: "The message could not be sent",
    unknown: "It is not known whether the message was sent",
  },
  meaning: "The gateway did not accept the message, or no text could be rendered.",
  advice: "Tell the user to try again; with the status `unknown`, to wait a little first.",
}) {
  override get message(): string {
    const { gateway, reason, vendorMessage } = this
    const sentence = Param.fullSentenceOf(SendingFailed.row, this)
    const cause = gateway === null ? reason : `${gateway}, ${reason}`
    return `${sentence} (${cause})${vendorMessage === null ? "" : `: ${vendorMessage}`}`
  }
}

export class RateLimited extends error<RateLimited>()("RateLimited", {
  code: "rate_limited",
  status: 429,
  params: {
    reason: Param.oneOf(
      ["rate", "cooldown", "client", "guesses", "spending", "suspicion", "quiet_hours"],
      "The exceeded limit. `rate`: too many requests in a window. `client`: too many requests or checks of one client. `cooldown`: the code of the request was sent a moment ago. `guesses`: too many wrong codes for the phone number. `spending`: the daily spending cap of the organization. `suspicion`: codes to numbers with this prefix are denied for now. `quiet_hours`: the organization sends no messages of this class at this time of day.",
    ),
    retryAfterSeconds,
  },
  by: "reason",
  sentence: {
    rate: "Rate limit exceeded",
    client: "Rate limit exceeded",
    cooldown: "The code was sent a moment ago",
    guesses: "Too many wrong codes for this phone number",
    spending: "Daily spending cap reached",
    suspicion: "No codes are sent to numbers like this one for now",
    quiet_hours: "No such messages are sent at this time of day",
  },
  meaning:
    "A limit on the number or the cost of requests was reached. Other requests may have used it up again by then.",
  advice:
    "Tell the user to try again in that many seconds; with the reason `spending`, tell your operator.",
  label: "Limit reached",
  labels: {
    rate: "Too many requests",
    client: "Too many requests of a client",
    cooldown: "Sent again too early",
    guesses: "Too many wrong codes",
    spending: "Daily spending cap",
    suspicion: "Fraud rule",
    quiet_hours: "Quiet hours",
  },
}) {}

export * from "./OutboxErrors.ts"
