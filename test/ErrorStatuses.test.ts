/**
 * The errors of `countersign` have the status that the HTTP interface answers with for the same reason.
 */
import { codes } from "@countersign/core/domain/errors/ErrorCode"
import * as Errors from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { httpStatuses } from "countersign"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { assert, describe, it } from "vitest"
import { internalError } from "../packages/http/src/tenant/internal/responses.ts"
import {
  type EndpointError,
  messageDialect,
  ofError,
  verificationDialect,
} from "../packages/http/src/tenant/internal/errorResponses.ts"

const requestId = "vrf"
const problem = FieldProblem.make("required", {})

/** One error of each kind that an endpoint answers. */
const errors: { readonly [E in EndpointError as E["_tag"]]: E } = {
  AddressNotAllowed: new Errors.AddressNotAllowed(),
  AlreadyConsumed: new Errors.AlreadyConsumed({ requestId }),
  AlreadyVerified: new Errors.AlreadyVerified({ requestId }),
  NotVerified: new Errors.NotVerified({ requestId }),
  ResendsExhausted: new Errors.ResendsExhausted({ requestId }),
  AttemptsExhausted: new Errors.AttemptsExhausted({ requestId }),
  BrandUnusable: new Errors.BrandUnusable({ problem }),
  IdempotencyInFlight: new Errors.IdempotencyInFlight({ retryAfterSeconds: 3 }),
  IdempotencyMismatch: new Errors.IdempotencyMismatch(),
  InsufficientBalance: new Errors.InsufficientBalance({ required: 5_000, available: 0 }),
  InsufficientScope: new Errors.InsufficientScope(),
  InvalidRequest: new Errors.InvalidRequest({ details: { to: [problem] } }),
  MessageNotFound: new Errors.MessageNotFound(),
  NotOnWhatsApp: new Errors.NotOnWhatsApp(),
  OrganizationNotFound: new Errors.OrganizationNotFound(),
  RateLimited: new Errors.RateLimited({ retryAfterSeconds: 7, reason: "rate" }),
  RequestExpired: new Errors.RequestExpired({ requestId }),
  RequestNotFound: new Errors.RequestNotFound(),
  SendingFailed: new Errors.SendingFailed({
    status: "failed",
    reason: "not_sent",
    gateway: null,
    vendorCode: null,
    vendorMessage: null,
  }),
  StoreUnavailable: new Errors.StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 }),
  TooManyPending: new Errors.TooManyPending({ limit: 5, retryAfterSeconds: 12 }),
  Unauthorized: new Errors.Unauthorized(),
  WrongCode: new Errors.WrongCode({ requestId, attemptsRemaining: 2 }),
}

/** An organization that does not exist has no good key. */
const all = Object.values<EndpointError>(errors).filter(
  ({ _tag }) => _tag !== "OrganizationNotFound",
)

const shown = ({ headers, status }: HttpServerResponse) => [headers["countersign-error"], status]

describe("httpStatus", () => {
  it.each(all)("of $_tag is that of the HTTP interface", (error) => {
    const code = codes[error._tag]
    assert.deepStrictEqual(shown(ofError(error, verificationDialect)), [code, httpStatuses[code]])
    const status = code === "invalid_request" ? 422 : httpStatuses[code]
    assert.deepStrictEqual(shown(ofError(error, messageDialect)), [code, status])
  })

  it("of a defect is that of the HTTP interface", () => {
    assert.deepStrictEqual(shown(internalError), ["internal", httpStatuses.internal])
  })

  it("of an unknown organization is not that of the HTTP interface, where its keys are unknown", () => {
    const answer = ofError(errors.OrganizationNotFound, messageDialect)
    assert.deepStrictEqual(shown(answer), ["unauthorized", 401])
    assert.strictEqual(httpStatuses.organization_not_found, 404)
  })
})
