/** Maps each failure of an admin request to a response. */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { fullSentenceOf, sentenceOf, valueOf } from "@countersign/core/domain/errors/ErrorRow"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Effect from "effect/Effect"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Record from "effect/Record"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Failure, FieldFailure } from "../AdminBodies.ts"
import type { BodyProblem } from "../../mount/internal/jsonBody.ts"
import { apiHeaders } from "./headers.ts"

const statusOf = (code: AnyCode): number => {
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

export const ofBody = (problem: BodyProblem): HttpServerResponse.HttpServerResponse => {
  switch (problem._tag) {
    case "Unsupported":
      return failure("unsupported_media_type", problem.message)
    case "TooLarge":
      return failure("body_too_large")
    case "Malformed":
      return failure("invalid_request", problem.message)
  }
}

type Problem = FieldProblem.FieldProblem | typeof FieldFailure.Encoded

const ofFields = (fields: Readonly<Record<string, ReadonlyArray<Problem>>>) => ({
  details: Record.map(fields, (problems) => problems.map(({ message }) => message)),
  problems: Record.map(fields, (problems) =>
    problems.map(({ code, message, params }) => ({ code, params: { ...params }, message })),
  ),
})

const invalid = (fields: Parameters<typeof ofFields>[0]) =>
  failure("invalid_request", undefined, ofFields(fields))

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

const words: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  string: "a string",
}

const simple = (["not_boolean", "not_integer", "not_iso_date", "not_string"] as const).map((code) =>
  FieldProblem.make(code, {}),
)

const problemOfSentence = (message: string): Problem => {
  const [, write] = / write "([^"]*)"$/.exec(message) ?? []
  if (write !== undefined) return FieldProblem.make("not_duration", { write })
  return (
    simple.find((problem) => problem.message === message) ?? {
      code: "invalid",
      params: {},
      message,
    }
  )
}

/** The problem of an issue. Does not quote the input. */
const problemOfIssue = (message: string): Problem => {
  if (message === "Missing key") return FieldProblem.make("required", {})
  const [, expected] = /^Expected ([^]*?)(?:, got [^]*)?$/.exec(message) ?? []
  if (expected === undefined) return problemOfSentence(message)
  const options = [...expected.matchAll(/"([^"]*)"/g)].map(([, option = ""]) => option)
  if (options.length > 0) return FieldProblem.make("unknown_option", { options })
  const choices = expected.split(" | ").map((word) => words[word] ?? word)
  return problemOfSentence(`must be ${choices.join(" or ")}`)
}

const pathOf = (path: ReadonlyArray<unknown> = []): string =>
  path
    .map((part) =>
      String(typeof part === "object" && part !== null && "key" in part ? part.key : part),
    )
    .join(".")

/** The response to parameters, a query or a body that does not fit its schema. A defect if the answer does not. */
export const ofSchema = (error: HttpApiSchemaError) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  const details: { [field: string]: Array<Problem> } = {}
  for (const { message, path } of issues(error.cause.issue).issues) {
    ;(details[pathOf(path)] ??= []).push(problemOfIssue(message))
  }
  return Effect.succeed(invalid(details))
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
    case "BrandUnusable":
      return failure(error.code, error.message, ofFields({ brand: [error.problem] }))
    default:
      return failure(error.code, fullSentenceOf(rowOf(error.code), error), {
        ...paramsOf(error),
        ...("retryAfterSeconds" in error && { retryAfterSeconds: error.retryAfterSeconds }),
      })
  }
}

/** Turns the errors of the engine into responses. */
export const answering = <A, R>(
  effect: Effect.Effect<A, EngineError, R>,
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(effect, (error) => Effect.succeed(ofError(error)))
