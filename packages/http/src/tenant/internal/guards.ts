/** What every endpoint checks before it answers. */
import { Access } from "@countersign/core/engine/Access"
import type { Caller } from "@countersign/core/api/Caller"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import { BodyReader } from "../../mount/BodyReader.ts"
import type { AdmissionGate } from "../../mount/AdmissionGate.ts"
import type { AllowListScope } from "../../mount/MountOptions.ts"
import { unauthorized } from "./responses.ts"
import { overloaded } from "../../mount/AdmissionGate.ts"
import { bearerKey } from "../../mount/internal/bearerKey.ts"
import {
  type JsonObject,
  type JsonReader,
  jsonReader,
  orNothing,
  parse,
} from "../../mount/internal/jsonBody.ts"
import * as Refusals from "./errorResponses.ts"
import { scopeOf } from "./scopes.ts"

/** Responds to one kind of request. Errors of the engine become responses as well. */
export type Endpoint = (request: HttpServerRequest) => Effect.Effect<HttpServerResponse>

/** An endpoint with a body. */
export interface BodyEndpoint {
  /** Reads the body after it has checked the key. */
  readonly answer: Endpoint
  /** Responds to a request whose body the mount has read. */
  readonly answerTo: (
    request: HttpServerRequest,
    body: Uint8Array,
  ) => Effect.Effect<HttpServerResponse>
}

type Answered = Effect.Effect<HttpServerResponse, EngineError>

export interface Options {
  readonly allowListScope: AllowListScope
  readonly maxBodyBytes: number
  readonly addressOf: (request: HttpServerRequest) => string
  /** The gate that learns which keys are valid. */
  readonly gate: AdmissionGate | undefined
}

type Name = keyof typeof scopeOf

const formatOf = (endpoint: Name) =>
  scopeOf[endpoint].startsWith("verify:") ? Refusals.verificationDialect : Refusals.messageDialect

/** The endpoints whose requests may have no body, which is read as `{}`. */
const withOptionalBody: ReadonlySet<Name> = new Set(["resend", "consume"])

export const makeGuards = Effect.fnUntraced(function* ({
  addressOf,
  allowListScope,
  gate,
  maxBodyBytes,
}: Options) {
  const access = yield* Access
  const readBody = jsonReader(yield* BodyReader, maxBodyBytes)

  /** Responds on behalf of the key's organization. Checks the key before everything else. */
  const secured = (
    endpoint: Name,
    answer: (caller: Caller, request: HttpServerRequest) => Answered,
  ): Endpoint => {
    const isGuarded = allowListScope === "all" || endpoint === "send"
    const format = formatOf(endpoint)
    return (request) => {
      const text = bearerKey(request.headers["authorization"])
      if (text === undefined) return Effect.succeed(unauthorized)
      const key = Redacted.make(text, { label: "api-key" })
      return Effect.catch(
        Effect.flatMap(access.authenticate(key, scopeOf[endpoint]), (caller) => {
          if (gate?.authenticate(request) === false) return Effect.succeed(overloaded)
          return answer(isGuarded ? { ...caller, address: addressOf(request) } : caller, request)
        }),
        (error) => {
          if (error._tag === "Unauthorized") gate?.forget(request)
          return Effect.succeed(Refusals.ofError(error, format))
        },
      )
    }
  }

  /** Passes the body on, or refuses it, after the caller is authenticated. */
  const withBody = (
    endpoint: Name,
    answer: (caller: Caller, body: JsonObject, request: HttpServerRequest) => Answered,
  ): BodyEndpoint => {
    const reading = (readBody: JsonReader): Endpoint =>
      secured(endpoint, (caller, request) =>
        Effect.matchEffect(readBody(request), {
          onFailure: (problem) =>
            Effect.as(access.confirm(caller), Refusals.ofBody(problem, formatOf(endpoint))),
          onSuccess: (body) => answer(caller, body, request),
        }),
      )
    return {
      answer: reading(withOptionalBody.has(endpoint) ? orNothing(readBody) : readBody),
      answerTo: (request, body) => reading(() => Effect.fromResult(parse(body)))(request),
    }
  }

  return { secured, withBody }
})
