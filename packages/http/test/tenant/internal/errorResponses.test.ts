import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Errors from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { assert, describe, it } from "@effect/vitest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import {
  type ErrorFormat,
  messageDialect,
  ofError,
  verificationDialect,
} from "../../../src/tenant/internal/errorResponses.ts"

const details = {
  text: [FieldProblem.make("required", {})],
  phoneNumber: [FieldProblem.make("too_long", { max: 5 }), FieldProblem.make("not_string", {})],
}

/** The fields have the names of the endpoint on the wire. */
const invalid = (text: string, phoneNumber: string) => ({
  error: "Validation failed",
  details: {
    [text]: ["is required"],
    [phoneNumber]: ["must be at most 5 characters", "must be a string"],
  },
})

const limited = (reason: Errors.RateLimited["reason"]) =>
  new Errors.RateLimited({ reason, retryAfterSeconds: 7 })

/** Tenants are not told what a vendor says about the account of the host. */
const vendor = {
  reason: "account",
  gateway: "twilio",
  vendorCode: "20003",
  vendorMessage: "20003: Authenticate",
} as const

const unsent = new Errors.SendingFailed({ status: "failed", ...vendor })

const unsure = new Errors.SendingFailed({ status: "unknown", ...vendor })

/** Errors whose responses have more than the HTTP contract shows: sentences, numbers, and what is omitted. */
const responses: ReadonlyArray<
  readonly [EngineError, ErrorFormat, status: number, body: object, retryAfter?: string]
> = [
  [new Errors.InvalidRequest({ details }), messageDialect, 422, invalid("message", "to")],
  [
    new Errors.InvalidRequest({ details }),
    verificationDialect,
    400,
    invalid("text", "phone_number"),
  ],
  [
    new Errors.InsufficientBalance({ required: 5_000, available: 2_501 }),
    messageDialect,
    402,
    { error: "Insufficient balance", required: 0.5, available: 0.2501 },
  ],
  [
    limited("spending"),
    messageDialect,
    429,
    { error: "Daily spending cap reached", retry_after: 7 },
    "7",
  ],
  [
    limited("suspicion"),
    verificationDialect,
    429,
    { error: "No codes are sent to numbers like this one for now", retry_after: 7 },
    "7",
  ],
  [
    new Errors.TooManyPending({ limit: 5, retryAfterSeconds: 12 }),
    verificationDialect,
    429,
    { error: "Too many pending verifications for this number" },
    "12",
  ],
  [unsent, messageDialect, 500, { error: "The message could not be sent", status: "failed" }],
  [
    unsure,
    messageDialect,
    500,
    { error: "It is not known whether the message was sent", status: "unknown" },
  ],
  [unsent, verificationDialect, 500, { error: "The code could not be sent" }],
  [new Errors.OrganizationNotFound(), messageDialect, 401, { error: "Invalid or revoked API key" }],
]

describe("the response to an error", () => {
  it.each(responses.map((row) => ({ row })))("has its message: $row.0._tag", async ({ row }) => {
    const [error, dialect, status, body, retryAfter] = row
    const response = HttpServerResponse.toWeb(ofError(error, dialect))
    assert.strictEqual(response.status, status)
    assert.deepStrictEqual(await response.json(), body)
    assert.strictEqual(response.headers.get("retry-after"), retryAfter ?? null)
    assert.strictEqual(response.headers.get("content-type"), "application/json")
    assert.strictEqual(response.headers.get("cache-control"), "no-store")
  })
})
