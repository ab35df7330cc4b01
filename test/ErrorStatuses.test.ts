/**
 * The errors of `countersign` have the status that the HTTP interface answers with for the same reason.
 */
import { codes, type EngineError } from "@countersign/core/domain/ErrorCode"
import * as Errors from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import { httpStatuses } from "countersign"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { assert, describe, it } from "vitest"
import { internalError } from "../packages/http/src/internal/answers.ts"
import * as Refusals from "../packages/http/src/internal/refusals.ts"

const { ofAccess, ofCheck, ofGetMessage, ofListMessages, ofSendMessage, ofSendVerification } =
  Refusals

const invalidRequest = new Errors.InvalidRequest({
  details: { to: [FieldProblem.make("required", {})] },
})
const notOnWhatsApp = new Errors.NotOnWhatsApp()
const insufficient = new Errors.InsufficientBalance({ required: 5_000, available: 0 })
const rateLimited = new Errors.RateLimited({ retryAfterSeconds: 7, reason: "rate" })
const sendingFailed = new Errors.SendingFailed({ status: "failed" })

/** Each endpoint's answer to an error; none where no endpoint has the error. */
const answers: Readonly<Record<EngineError["_tag"], ReadonlyArray<HttpServerResponse>>> = {
  AddressNotAllowed: [ofAccess(new Errors.AddressNotAllowed())],
  ApiKeyNotFound: [],
  AttemptsExhausted: [ofCheck(new Errors.AttemptsExhausted({ requestId: "vrf" }))],
  BrandUnusable: [
    ofSendMessage(new Errors.BrandUnusable({ problem: FieldProblem.make("brand_not_found", {}) })),
  ],
  InsufficientBalance: [ofSendMessage(insufficient), ofSendVerification(insufficient)],
  InvalidRequest: [ofSendVerification(invalidRequest), ofCheck(invalidRequest)],
  MessageNotFound: [ofGetMessage(new Errors.MessageNotFound())],
  NotOnWhatsApp: [ofSendMessage(notOnWhatsApp), ofSendVerification(notOnWhatsApp)],
  OrganizationExists: [],
  // Its keys are unknown.
  OrganizationNotFound: [],
  RateLimited: [ofSendMessage(rateLimited), ofSendVerification(rateLimited), ofCheck(rateLimited)],
  RequestExpired: [ofCheck(new Errors.RequestExpired({ requestId: "vrf" }))],
  RequestNotFound: [ofCheck(new Errors.RequestNotFound())],
  SendingFailed: [ofSendMessage(sendingFailed), ofSendVerification(sendingFailed)],
  StoreUnavailable: [
    ofAccess(new Errors.StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })),
  ],
  TooManyPending: [
    ofSendVerification(new Errors.TooManyPending({ limit: 5, retryAfterSeconds: 12 })),
  ],
  Unauthorized: [ofAccess(new Errors.Unauthorized())],
  WrongCode: [ofCheck(new Errors.WrongCode({ requestId: "vrf", attemptsRemaining: 2 }))],
}

const shown = ({ headers, status }: HttpServerResponse) => [headers["countersign-error"], status]

const tags = Object.keys(answers).filter((tag): tag is EngineError["_tag"] => tag in codes)

describe("httpStatus", () => {
  it.each(tags)("of %s is that of the HTTP interface", (tag) => {
    const code = codes[tag]
    for (const answer of answers[tag]) {
      assert.deepStrictEqual(shown(answer), [code, httpStatuses[code]])
    }
  })

  it("of a defect is that of the HTTP interface", () => {
    assert.deepStrictEqual(shown(internalError), ["internal", httpStatuses.internal])
  })

  it("of an invalid request is not that of the message endpoints", () => {
    for (const answer of [ofSendMessage(invalidRequest), ofListMessages(invalidRequest)]) {
      assert.deepStrictEqual(shown(answer), ["invalid_request", 422])
    }
  })

  it("is of the host's choice for three errors alone", () => {
    assert.deepStrictEqual(
      tags.filter((tag) => answers[tag].length === 0),
      ["ApiKeyNotFound", "OrganizationExists", "OrganizationNotFound"],
    )
  })
})
