/** The errors that any call can fail with: its input, its key, its repetition, and the store. */
import { details, error, oneOf, retryAfterSeconds } from "./ErrorRow.ts"

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
    reason: oneOf(
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
    "Tell the user to try again in that many seconds. A top-up or an adjustment may have been booked: repeat it with the same `paymentId`, which books it once.",
}) {}
