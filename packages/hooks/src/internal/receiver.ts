/** Receives the requests of another server, and answers them in its words. */
import { BodyReader } from "@countersign/http/mount/BodyReader"
import * as RequestContext from "@countersign/http/mount/RequestContext"
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import * as Mount from "@countersign/node/Mount"
import { errorResponse, type CountersignError } from "countersign"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { type CarriedMessage, type Carry, currentTimeOf, makeCarry } from "./carry.ts"
import type { SecretOf } from "./signatures.ts"
import type { Carrier, Hook, HookOptions } from "./types.ts"

/** A refusal: for a user, or for the person who sets a hook up. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
}

export interface Answer {
  readonly status: number
  readonly body: object
}

/** The part of a receiver that differs between servers. */
export interface Codec {
  readonly system: string
  readonly secretOf: SecretOf
  /** Whether the signature covers the bytes of the body. */
  readonly isSigned: boolean
  /** The message of a request; `none` if it has none. Throws what the host's functions throw. */
  readonly read: (fields: unknown) => Option.Option<CarriedMessage>
  /** The answer to a message that cannot be sent. @defaultValue the problem with its status */
  readonly refuse?: (problem: Problem, error: CountersignError) => Answer
}

const maxBodyBytes = 65_536

/** How long `dispose` waits for requests under way: longer than each takes. */
const shutdownTimeout = "5 seconds"

const lost =
  "A message is lost: its body is empty, or was read before it came to the hook. Mount the hook before the parser of bodies"

const problems = {
  method: { status: 405, code: "method_not_allowed", message: "Use POST" },
  forged: { status: 401, code: "unauthorized", message: "The signature or the token is not valid" },
  large: { status: 413, code: "body_too_large", message: "The body is too large" },
  unread: { status: 400, code: "invalid_request", message: "The body could not be read" },
  lost: { status: 500, code: "body_lost", message: lost },
  strange: { status: 400, code: "invalid_request", message: "This is not a request of this hook" },
  failed: { status: 500, code: "internal", message: "The hook has failed" },
} satisfies Record<string, Problem>

const problemOf = (error: CountersignError): Problem => {
  const { body, status } = errorResponse(error)
  return { status, ...body }
}

const answer = ({ body, status }: Answer, retryAfterSeconds?: number) =>
  HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: {
      "cache-control": "no-store",
      ...(status >= 400 &&
        retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
  })

const plainly = ({ status, ...body }: Problem): Answer => ({ status, body })

const parsed = (text: string, contentType = ""): unknown => {
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text))
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text of a body, or its fields if the host has parsed it. */
const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest) {
  const { body } = RequestContext.of(request)
  if (typeof body === "string") return { text: body }
  if (body instanceof Uint8Array) return { text: Buffer.from(body).toString() }
  if (body !== undefined) return { text: "", fields: body }
  const read = yield* BodyReader
  return { text: Buffer.from(yield* read(request, maxBodyBytes)).toString() }
})

const handlerOf = (
  codec: Codec,
  carry: Carry,
  currentTime: Effect.Effect<number>,
): WebHandler.Handler => {
  const refuse = codec.refuse ?? plainly
  const handle = Effect.fnUntraced(function* (request: HttpServerRequest) {
    if (request.method !== "POST") return yield* Effect.fail<Problem>(problems.method)
    const { headers } = request
    const body = yield* Effect.mapError(bodyOf(request), (problem) =>
      problem === "too large" ? problems.large : problems.unread,
    )
    if (body.text === "" && (codec.isSigned || body.fields === undefined)) {
      yield* Effect.logError(lost)
      return yield* Effect.fail<Problem>(problems.lost)
    }
    const now = yield* currentTime
    const secret = codec.secretOf({ headers, body: body.text, now })
    if (secret === undefined) return yield* Effect.fail<Problem>(problems.forged)
    const fields = body.fields ?? parsed(body.text, headers["content-type"])
    const message = codec.read(fields)
    if (Option.isNone(message)) return yield* Effect.fail<Problem>(problems.strange)
    return yield* carry(secret, message.value).pipe(
      Effect.as(answer({ status: 200, body: {} })),
      Effect.catch((error) => {
        const problem = problemOf(error)
        return Effect.succeed(answer(refuse(problem, error), problem.retryAfterSeconds))
      }),
    )
  })
  return Effect.flatMap(HttpServerRequest, handle).pipe(
    Effect.catch((problem) => Effect.succeed(answer(plainly(problem)))),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError("A hook has failed", cause), answer(plainly(problems.failed))),
    ),
  )
}

/** Creates the receiver. */
export const receive = (carrier: Carrier, options: HookOptions, codec: Codec): Hook => {
  const scope = Scope.makeUnsafe()
  const handler = handlerOf(
    codec,
    makeCarry(carrier, options, codec.system),
    currentTimeOf(options.clock),
  )
  const mount = Effect.runSync(Scope.provide(Mount.make(handler, { shutdownTimeout }), scope))
  let disposing: Promise<void> | undefined
  return {
    ...mount,
    dispose: () => (disposing ??= Effect.runPromise(Scope.close(scope, Exit.void))),
  }
}
