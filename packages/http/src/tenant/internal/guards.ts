/** The checks of every endpoint before it answers. */
import { Access } from "@countersign/core/engine/Access"
import type { Caller } from "@countersign/core/api/Caller"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Call from "@countersign/core/engine/Call"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { BodyReader } from "../../mount/BodyReader.ts"
import type { AdmissionGate } from "../../mount/AdmissionGate.ts"
import type { AllowListScope } from "../../mount/MountOptions.ts"
import { unauthorized } from "./responses.ts"
import { overloaded } from "../../mount/AdmissionGate.ts"
import { bearerKey } from "../../mount/internal/bearerKey.ts"
import * as JsonBody from "../../mount/internal/jsonBody.ts"
import * as Refusals from "./errorResponses.ts"
import { scopeOf } from "./scopes.ts"

/** Responds to one kind of request. Errors of the engine also become responses. */
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

/** Serves a caller, and responds with what the service has returned. */
type Step = (
  call: Call.Call,
  done: Call.Done<HttpServerResponse, EngineError>,
  caller: Caller,
) => void

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

export const makeGuards = Effect.fnUntraced(function* (options: Options) {
  const { addressOf, allowListScope, gate, maxBodyBytes } = options
  const access = yield* Access
  const readBody = JsonBody.jsonReader(yield* BodyReader, maxBodyBytes)

  /** Responds on behalf of the key's organization. Checks the key before everything else. */
  const guard = (endpoint: Name) => {
    const isGuarded = allowListScope === "all" || endpoint === "send"
    const format = formatOf(endpoint)
    return (request: HttpServerRequest, step: Step): Effect.Effect<HttpServerResponse> => {
      const key = bearerKey(request.headers["authorization"])
      if (key === undefined) return Effect.succeed(unauthorized)
      return Call.make((call, done) => {
        const answered = Call.catching<HttpServerResponse, EngineError>(done, (error) => {
          if (error._tag === "Unauthorized") gate?.forget(request)
          done(Exit.succeed(Refusals.ofError(error, format)))
        })
        call.andThen(access.authenticate(key, scopeOf[endpoint]), answered, (caller) => {
          if (gate?.authenticate(request) === false) return done(Exit.succeed(overloaded))
          step(call, answered, isGuarded ? { ...caller, address: addressOf(request) } : caller)
        })
      })
    }
  }

  const secured = <A>(
    endpoint: Name,
    serve: (caller: Caller, request: HttpServerRequest) => Effect.Effect<A, EngineError>,
    show: (served: A) => HttpServerResponse,
  ): Endpoint => {
    const guarded = guard(endpoint)
    return (request) =>
      guarded(request, (call, done, caller) =>
        call.andThen(serve(caller, request), done, (served) => done(Exit.succeed(show(served)))),
      )
  }

  /** Passes the body on, or refuses it, after the caller is authenticated. */
  const withBody = <A>(
    endpoint: Name,
    serve: (
      caller: Caller,
      body: JsonBody.JsonObject,
      request: HttpServerRequest,
    ) => Effect.Effect<A, EngineError>,
    show: (served: A) => HttpServerResponse,
  ): BodyEndpoint => {
    const guarded = guard(endpoint)
    const reading = (request: HttpServerRequest, read: JsonBody.JsonReader) =>
      guarded(request, (call, done, caller) => {
        const refused = Call.catching<never, JsonBody.BodyProblem>(done, (problem) =>
          call.andThen(access.confirm(caller), done, () =>
            done(Exit.succeed(Refusals.ofBody(problem, formatOf(endpoint)))),
          ),
        )
        call.andThen(read(request), refused, (body) =>
          call.andThen(serve(caller, body, request), done, (served) =>
            done(Exit.succeed(show(served))),
          ),
        )
      })
    const readOwn = withOptionalBody.has(endpoint) ? JsonBody.orNothing(readBody) : readBody
    return {
      answer: (request) => reading(request, readOwn),
      answerTo: (request, body) => reading(request, () => Effect.fromResult(JsonBody.parse(body))),
    }
  }

  return { secured, withBody }
})
