/**
 * Maps each error of the engine to a response. No other module knows this mapping.
 */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { type Row, sentenceOf } from "@countersign/core/domain/errors/ErrorRow"
import { rowOf } from "@countersign/core/domain/errors/ErrorRows"
import type * as Errors from "@countersign/core/domain/errors/Errors"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Money from "@countersign/core/domain/values/Money"
import * as Result from "effect/Result"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Failures from "../Failures.ts"
import { failure, plain, unauthorized } from "./responses.ts"
import { messageNames, verificationNames, type WireNames } from "./readers.ts"
import type { BodyProblem } from "../../mount/internal/jsonBody.ts"

type Encoded<Name extends keyof typeof Failures> = (typeof Failures)[Name]["Encoded"]

/** The failures that differ between the endpoints of messages and of verifications. */
export interface ErrorFormat {
  readonly names: WireNames
  readonly invalidStatus: 400 | 422
  readonly unsent: (error: Errors.SendingFailed) => Encoded<"InternalError" | "SendingFailed">
}

export const messageDialect: ErrorFormat = {
  names: messageNames,
  invalidStatus: 422,
  unsent: (error) => ({
    error: sentenceOf(rowOf(error.code), error),
    status: error.status,
  }),
}

export const verificationDialect: ErrorFormat = {
  names: verificationNames,
  invalidStatus: 400,
  unsent: () => ({ error: "The code could not be sent" }),
}

type Details = Encoded<"InvalidRequest">["details"]

const invalid = ({ invalidStatus: status }: ErrorFormat, error: string, details: Details) =>
  failure<Encoded<"InvalidRequest">>("invalid_request", { error, details }, { status })

const detailsOf = ({ names }: ErrorFormat, { details }: Errors.InvalidRequest): Details =>
  Object.fromEntries(
    Object.entries(details).map(([field, problems]) => [
      names[field] ?? field,
      problems.map((problem) => inSeconds(problem).message),
    ]),
  )

const secondsOf = (text: string): number =>
  Result.getOrElse(Duration.toMillis(text), () => 0) / 1_000

/** Durations of this interface are numbers of seconds. */
const inSeconds = (problem: FieldProblem.FieldProblem): FieldProblem.FieldProblem => {
  if (problem.code !== "duration_out_of_range") return problem
  const { max, min } = problem.params
  return FieldProblem.make("out_of_range", { min: secondsOf(min), max: secondsOf(max) })
}

/** The response about a request in the state of the row. */
const ofRequest = (error: EngineError & { readonly requestId: string }, row: Row) =>
  failure(error.code, {
    success: false,
    error: sentenceOf(row, error),
    data: {
      request_id: error.requestId,
      status: row.state,
      ...(error._tag === "WrongCode" && { attempts_remaining: error.attemptsRemaining }),
    },
  })

const retryAfter = (error: EngineError & { readonly retryAfterSeconds: number }, row: Row) => {
  const { code, retryAfterSeconds: seconds } = error
  const sentence = sentenceOf(row, error)
  return failure(
    code,
    row.isWaitInHeader === true ? { error: sentence } : { error: sentence, retry_after: seconds },
    { headers: { "retry-after": String(seconds) } },
  )
}

export const ofError = (error: EngineError, dialect: ErrorFormat): HttpServerResponse => {
  switch (error._tag) {
    case "SenderUnusable":
      return failure(error.code, { error: error.message })
    case "InsufficientBalance":
      return failure<Encoded<"InsufficientBalance">>(error.code, {
        error: sentenceOf(rowOf(error.code), error),
        required: Money.toNumber(Money.fromUnits(error.required)),
        available: Money.toNumber(Money.fromUnits(error.available)),
      })
    case "InvalidRequest":
      return invalid(dialect, sentenceOf(rowOf(error.code), error), detailsOf(dialect, error))
    case "SendingFailed":
      return failure(error.code, dialect.unsent(error))
    case "Unauthorized":
    // The organization was deleted together with its keys.
    case "OrganizationNotFound":
      return unauthorized
    default: {
      const row = rowOf(error.code)
      if ("requestId" in error && row.state !== undefined) return ofRequest(error, row)
      return "retryAfterSeconds" in error ? retryAfter(error, row) : plain(error.code)
    }
  }
}

export const ofBody = (problem: BodyProblem, dialect: ErrorFormat): HttpServerResponse => {
  if (problem.message === undefined) return plain(problem.code)
  return problem.code === "invalid_request"
    ? invalid(dialect, problem.message, {})
    : failure(problem.code, { error: problem.message })
}
