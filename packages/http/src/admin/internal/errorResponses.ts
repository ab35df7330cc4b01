/** Maps each failure of an admin request to a response. */
import { codes } from "@countersign/core/domain/errors/ErrorCode"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import type { SendingFailed } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Money from "@countersign/core/domain/values/Money"
import * as Effect from "effect/Effect"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Record from "effect/Record"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Failure, FieldFailure } from "../AdminBodies.ts"
import type { BodyProblem } from "../../mount/internal/jsonBody.ts"
import { apiHeaders } from "./headers.ts"
import { type FailureCode, statuses } from "../../mount/internal/statuses.ts"

type Code = FailureCode | "forbidden" | "misdirected"

const statusOf = (code: Code): number => {
  switch (code) {
    case "forbidden":
      return 403
    case "misdirected":
      return 421
    case "invalid_request":
      return 422
    // The public interface answers 500, which is for defects here.
    case "sending_failed":
      return 502
    default:
      return statuses[code]
  }
}

/** Returns an error response. */
export const failure = (
  code: Code,
  error: string,
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
export const forbidden = failure("forbidden", "Your roles do not allow this")
export const crossSite = failure("forbidden", "The request comes from another site")
export const misdirected = failure("misdirected", "This host is not served")
export const notFound = failure("not_found", "Not found")
export const methodNotAllowed = (allowed: Iterable<string>) =>
  HttpServerResponse.setHeader(
    failure("method_not_allowed", "Method not allowed"),
    "allow",
    [...allowed].join(", "),
  )
export const internal = failure("internal", "Internal error")
export const organizationNotFound = failure(codes.OrganizationNotFound, "Organization not found")
const noStream = (error: string) => failure("unavailable", error, { retryAfterSeconds: 5 })
export const tooManyStreams = noStream("Too many event streams")
export const streamsEnded = noStream("The server stops")

export const ofBody = (problem: BodyProblem): HttpServerResponse.HttpServerResponse => {
  switch (problem._tag) {
    case "Unsupported":
      return failure("unsupported_media_type", problem.message)
    case "TooLarge":
      return failure("body_too_large", "The body is too large")
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
  failure("invalid_request", "Validation failed", ofFields(fields))

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

const sentences: { readonly [Tag in EngineError["_tag"]]?: string } = {
  AlreadyConsumed: "The verification was consumed before",
  AlreadyVerified: "The request is verified already",
  ApiKeyNotFound: "API key not found",
  AttemptsExhausted: "The verification request has failed",
  BrandNotFound: "Sender not found",
  IdempotencyInFlight: "The first call with this idempotency key has no answer yet",
  IdempotencyMismatch: "Another call has used this idempotency key",
  MessageNotFound: "Message not found",
  NotOnWhatsApp: "The recipient is not on WhatsApp",
  NotVerified: "The request is not verified yet",
  OrganizationExists: "The id is taken",
  RequestExpired: "The verification request has expired",
  RequestNotFound: "Verification request not found",
  ResendsExhausted: "The code cannot be sent again for this request",
  TooManyPending: "Too many pending verifications for this number",
  WebhookNotFound: "Webhook not found",
}

const money = (units: number): string => Money.format(Money.fromUnits(units))

const vendorOf = ({ gateway, reason, status, vendorCode, vendorMessage }: SendingFailed) => ({
  status,
  reason,
  gateway,
  vendorCode,
  vendorMessage,
})

/** What an error says besides its sentence. */
const detailsOf = (error: EngineError): Partial<typeof Failure.Encoded> => {
  switch (error._tag) {
    case "BrandUnusable":
      return ofFields({ brand: [error.problem] })
    case "InsufficientBalance":
      return {
        params: { required: money(error.required), available: money(error.available) },
      }
    case "RateLimited":
      return { params: { reason: error.reason } }
    case "SendingFailed":
      return { params: vendorOf(error) }
    case "TooManyPending":
      return { params: { limit: error.limit } }
    case "WrongCode":
      return { params: { attemptsRemaining: error.attemptsRemaining } }
    default:
      return {}
  }
}

const retryOf = (error: EngineError): Partial<typeof Failure.Encoded> =>
  "retryAfterSeconds" in error && error.retryAfterSeconds !== undefined
    ? { retryAfterSeconds: error.retryAfterSeconds }
    : {}

const sentenceOf = (error: EngineError): string => {
  switch (error._tag) {
    case "BrandUnusable":
      return `The sender: ${error.problem.message}`
    case "InsufficientBalance":
      return `Insufficient balance: ${money(error.required)} is needed, and ${money(error.available)} is available`
    case "RateLimited":
      return `Rate limit exceeded: ${error.reason}`
    case "SendingFailed":
      return error.status === "failed"
        ? "The message could not be sent"
        : "It is not known whether the message was sent"
    case "StoreUnavailable":
      return "Temporarily unavailable"
    case "WrongCode":
      return `Wrong code: ${error.attemptsRemaining} attempts remain`
    default:
      return sentences[error._tag] ?? "Not allowed"
  }
}

export const ofError = (error: EngineError): HttpServerResponse.HttpServerResponse => {
  switch (error._tag) {
    case "InvalidRequest":
      return invalid(error.details)
    case "OrganizationNotFound":
      return organizationNotFound
    default:
      return failure(codes[error._tag], sentenceOf(error), {
        ...detailsOf(error),
        ...retryOf(error),
      })
  }
}

/** Turns the errors of the engine into responses. */
export const answering = <A, R>(
  effect: Effect.Effect<A, EngineError, R>,
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(effect, (error) => Effect.succeed(ofError(error)))
