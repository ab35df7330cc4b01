/** The answers of the login. A refusal has the status, the headers and the body of `errorResponse` of `countersign`. */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { fullSentenceOf, sentenceOf } from "@countersign/core/domain/errors/ErrorRow"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import type { Details } from "@countersign/core/domain/errors/ErrorRow"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { BodyProblem } from "../../mount/internal/jsonBody.ts"

export type Answer = HttpServerResponse.HttpServerResponse

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const

export const json = (body: unknown, status = 200): Answer =>
  HttpServerResponse.jsonUnsafe(body, { status, headers })

export const empty = (status: number): Answer => HttpServerResponse.empty({ status, headers })

interface More {
  readonly message?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly attemptsRemaining?: number | undefined
  readonly details?: Details | undefined
}

/** The refusal with this code. Its sentence is by default the sentence of the code. */
export const problem = (code: AnyCode, more: More = {}): Answer => {
  const row = rowOf(code)
  const answer = json({ code, message: sentenceOf(row, {}), ...more }, row.status)
  return more.retryAfterSeconds === undefined
    ? answer
    : HttpServerResponse.setHeader(answer, "retry-after", String(more.retryAfterSeconds))
}

/** Tells users nothing of the account, the keys or the settings of the host. */
const hidden = problem("unavailable")

export const internal = problem("internal")

/** A request that the gate refuses. */
export const overloaded = problem("unavailable", { retryAfterSeconds: 1 })

export const methodNotAllowed = (allow: string): Answer =>
  HttpServerResponse.setHeader(problem("method_not_allowed"), "allow", allow)

/** The answer of a host. Caches must not store it, unless the host allows it. */
export const unstored = (answer: Answer): Answer => {
  const { body, headers: own } = answer
  const web = body._tag === "Raw" && body.body instanceof Response ? body.body.headers : undefined
  return own["cache-control"] === undefined && web?.has("cache-control") !== true
    ? HttpServerResponse.setHeader(answer, "cache-control", "no-store")
    : answer
}

/** Logs an error that only an operator can mend, and answers with a plain 503. */
const ofOperators = (error: EngineError): Effect.Effect<Answer> =>
  Effect.as(
    Effect.logError(`The login cannot serve: ${fullSentenceOf(rowOf(error.code), error)}`),
    hidden,
  )

export const ofError = (error: EngineError): Effect.Effect<Answer> => {
  const row = rowOf(error.code)
  if (row.isForOperators === true) return ofOperators(error)
  return Effect.succeed(
    problem(error.code, {
      message: sentenceOf(row, error),
      ...("retryAfterSeconds" in error && { retryAfterSeconds: error.retryAfterSeconds }),
      ...(error._tag === "WrongCode" && { attemptsRemaining: error.attemptsRemaining }),
      ...(error._tag === "InvalidRequest" && { details: error.details }),
    }),
  )
}

export const ofBody = ({ code, message }: BodyProblem): Answer =>
  problem(code, {
    ...(message !== undefined && { message }),
    ...(code === "invalid_request" && { details: {} }),
  })
