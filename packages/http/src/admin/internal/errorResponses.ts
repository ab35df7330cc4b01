/** Maps each failure of an admin request to a response. */
import type { fieldFailure } from "@countersign/core/api/Fields"
import { problemsOf } from "@countersign/core/api/Problems"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { fullSentenceOf, sentenceOf, valueOf } from "@countersign/core/domain/errors/ErrorRow"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import type * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Effect from "effect/Effect"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Record from "effect/Record"
import type { Failure } from "./failures.ts"
import type { BodyProblem } from "../../mount/internal/jsonBody.ts"
import { apiHeaders } from "./headers.ts"

export const statusOf = (code: AnyCode): number => {
  const { status, statuses } = rowOf(code)
  return statuses?.admin ?? status
}

/** Returns an error response. */
export const failure = (
  code: AnyCode,
  error: string = sentenceOf(rowOf(code), {}),
  more: Partial<typeof Failure.Encoded> = {},
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ error, code, ...more } satisfies typeof Failure.Encoded, {
    status: statusOf(code),
    headers:
      more.retryAfterSeconds === undefined
        ? apiHeaders
        : { ...apiHeaders, "retry-after": String(more.retryAfterSeconds) },
  })

export const unauthorized = failure("unauthorized", "Sign in first")
export const forbidden = failure("forbidden")
export const crossSite = failure("forbidden", "The request comes from another site")
export const misdirected = failure("misdirected")
export const notFound = failure("not_found")
export const methodNotAllowed = (allowed: Iterable<string>) =>
  HttpServerResponse.setHeader(failure("method_not_allowed"), "allow", [...allowed].join(", "))
export const internal = failure("internal")
export const organizationNotFound = failure("organization_not_found")
const noStream = (error: string) => failure("unavailable", error, { retryAfterSeconds: 5 })
export const tooManyStreams = noStream("Too many event streams")
export const streamsEnded = noStream("The server stops")

export const ofBody = ({ code, message }: BodyProblem) => failure(code, message)

type Problem = FieldProblem.FieldProblem | typeof fieldFailure.Encoded

const ofFields = (fields: Readonly<Record<string, ReadonlyArray<Problem>>>) => ({
  details: Record.map(fields, (problems) => problems.map(({ message }) => message)),
  problems: Record.map(fields, (problems) =>
    problems.map(({ code, message, params }) => ({ code, params: { ...params }, message })),
  ),
})

const invalid = (fields: Parameters<typeof ofFields>[0]) =>
  failure("invalid_request", undefined, ofFields(fields))

/** The response to parameters, a query or a body that does not fit its schema. A defect if the answer does not. */
export const ofSchema = (error: HttpApiSchemaError) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  return Effect.succeed(invalid(problemsOf(error.cause.issue)))
}

/** The parameters that have members of their own. */
const others = ["details", "problem", "requestId", "retryAfterSeconds"]

const paramsOf = (error: EngineError): Partial<typeof Failure.Encoded> => {
  const params = Object.keys(rowOf(error.code).params)
    .filter((name) => !others.includes(name))
    .map((name) => [name, valueOf(name, Reflect.get(error, name))] as const)
  return params.length === 0 ? {} : { params: Object.fromEntries(params) }
}

export const ofError = (error: EngineError): HttpServerResponse.HttpServerResponse => {
  switch (error._tag) {
    case "InvalidRequest":
      return invalid(error.details)
    case "SenderUnusable":
      return failure(error.code, error.message, ofFields({ sender: [error.problem] }))
    default:
      return failure(error.code, fullSentenceOf(rowOf(error.code), error), {
        ...paramsOf(error),
        ...("retryAfterSeconds" in error && { retryAfterSeconds: error.retryAfterSeconds }),
      })
  }
}
