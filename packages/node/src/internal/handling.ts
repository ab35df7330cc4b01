/**
 * Runs Effect's HTTP applications on the objects of `node:http`, like `NodeHttpServer.makeHandler` of
 * `@effect/platform-node`, but without that package and its dependencies (undici, redis, ws).
 */
import type * as Http from "@countersign/http/tenant/TenantHttp"
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import * as Call from "@countersign/core/engine/Call"
import { Visit } from "@countersign/core/engine/Drain"
import * as Tracing from "@countersign/core/engine/Tracing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cookies from "effect/http/Cookies"
import * as HttpEffect from "effect/http/HttpEffect"
import { ClientAbort } from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { collect } from "./incoming.ts"
import { NodeRequest } from "./nodeRequest.ts"

/** Handles a request and writes the response. */
type Handle = (request: NodeRequest) => void

/** Runs an application. Requests run in the scope. */
export const handlerIn = (
  scope: Scope.Scope,
  { fastPath, handler }: Http.Application,
): Effect.Effect<Handle> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const enter = yield* enterIn(scope)
    const handle = handleWith(context, enter, handler)
    return fastPath === undefined ? handle : fastHandleWith(context, enter, fastPath, handle)
  })

/** Notes a request under way, with how to interrupt it, until the returned function is called. */
type Enter = (interrupt: Call.Interrupt) => () => void

/**
 * Interrupts requests at the end of the scope, if they are still running then, and waits for them. They stand in an
 * array, not in the map of the scope (see "Short-lived objects" in docs/internals/batches.md).
 */
const enterIn = Effect.fnUntraced(function* (scope: Scope.Scope) {
  const running: Array<Call.Interrupt | undefined> = []
  const free: Array<number> = []
  let isClosed = false
  let tellEmpty = (): void => {}
  yield* Scope.addFinalizer(
    scope,
    Effect.callback<void>((resume) => {
      isClosed = true
      for (const interrupt of running) interrupt?.()
      tellEmpty = () => resume(Effect.void)
      if (free.length === running.length) tellEmpty()
    }),
  )
  const enter: Enter = (interrupt) => {
    const place = free.pop() ?? running.length
    running[place] = interrupt
    if (isClosed) interrupt()
    return () => {
      running[place] = undefined
      free.push(place)
      if (free.length === running.length) tellEmpty()
    }
  }
  return enter
})

const handleWith = (
  context: Context.Context<never>,
  enter: Enter,
  application: WebHandler.Handler,
): Handle => {
  const handled = HttpEffect.toHandled(application, respond)
  return (request) => {
    const { response } = request
    const run = Effect.runForkWith(Context.add(context, HttpServerRequest, request))
    const fiber = run(handled)
    if (fiber.pollUnsafe() !== undefined) return
    fiber.addObserver(enter(() => fiber.interruptUnsafe()))
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe(undefined, ClientAbort.annotation)
    })
  }
}

/**
 * Returns a function that runs steps at the end of the turn, one right after the other. A write wakes its client,
 * unless the client is still awake from the one before: then it takes half the time.
 */
const makeEndOfTurn = (): ((step: () => void) => void) => {
  let steps: Array<() => void> = []
  const runAll = (): void => {
    const all = steps
    steps = []
    for (const step of all) step()
  }
  return (step) => {
    if (steps.push(step) === 1) process.nextTick(runAll)
  }
}

/** Answers the requests of the fast path: reads the body first, and starts no fiber. */
const fastHandleWith = (
  context: Context.Context<never>,
  enter: Enter,
  fastPath: Http.FastPath,
  otherwise: Handle,
): Handle => {
  const run = Effect.runForkWith(context)
  const atEndOfTurn = makeEndOfTurn()
  const answer = (request: NodeRequest, call: Http.FastCall, body: Uint8Array): void => {
    let leave = (): void => {}
    let hasEnded = false
    const span = spanOf(context, call, request)
    const answered: Call.Done<HttpServerResponse.HttpServerResponse> = (exit) => {
      hasEnded = true
      leave()
      if (span !== undefined) endSpan(context, span, call, exit)
      atEndOfTurn(() => {
        call.end()
        // Effect has an answer to every cause.
        if (Exit.isFailure(exit)) return handleWith(context, enter, exit)(request)
        const written = respond(request, exit.value)
        if (written !== Effect.void) run(written)
      })
    }
    const own = Context.add(Tracing.below(context, span), Visit, call.visit)
    const interrupt = Call.begin(call.answer(body), own, answered)
    if (hasEnded) return
    leave = enter(() => interrupt?.())
    // At the end of the scope, it has been interrupted.
    if (hasEnded) leave()
  }
  return (request) => {
    const { source } = request
    // Only a body that is still unread can be read here.
    const isUnread = !source.readableDidRead && !source.destroyed
    const call = isUnread && source.httpVersionMajor === 1 ? fastPath(request) : undefined
    if (call === undefined) return otherwise(request)
    collect(source, Infinity, (body) => answer(request, call, body), call.end)
  }
}

/** The span of a request, which is also the span of its call. Continues the trace of the client. */
const spanOf = (
  context: Context.Context<never>,
  { route }: Http.FastCall,
  { headers }: NodeRequest,
): Tracer.Span | undefined =>
  Tracing.isTraced(context)
    ? Tracing.begin(context, "request", `POST ${route}`, {
        parent: Tracing.spanOf(headers["traceparent"]),
      })
    : undefined

const endSpan = (
  context: Context.Context<never>,
  span: Tracer.Span,
  { route }: Http.FastCall,
  exit: Exit.Exit<HttpServerResponse.HttpServerResponse>,
): void => {
  Tracing.annotate(span, "request", {
    "http.request.method": "POST",
    "http.route": route,
    "http.response.status_code": Exit.isSuccess(exit) ? exit.value.status : undefined,
  })
  Tracing.end(context, span, exit)
}

const respond = (
  request: HttpServerRequest,
  answer: HttpServerResponse.HttpServerResponse,
): Effect.Effect<void> => {
  if (!(request instanceof NodeRequest)) return Effect.die(new TypeError("Not a request of Node"))
  const { response, source } = request
  if (response.writableEnded || response.destroyed) return Effect.void
  if (!source.complete && source.httpVersionMajor === 1) {
    response.prependListener("finish", () => leaveRest(source))
  }
  const { body } = answer
  // A foreign response has its own headers, also without a body.
  if (body._tag === "Raw") return stream(response, answer)
  const isHead = source.method === "HEAD"
  if (body._tag === "Empty" || HttpServerResponse.omitsBody(answer, isHead)) {
    return write(response, answer)
  }
  return body._tag === "Uint8Array"
    ? write(response, answer, body.text ?? body.body)
    : stream(response, answer)
}

const write = (
  response: ServerResponse,
  answer: HttpServerResponse.HttpServerResponse,
  body?: string | Uint8Array,
): Effect.Effect<void> => {
  try {
    response.writeHead(answer.status, headersOf(answer)).end(body)
    return Effect.void
  } catch (cause) {
    return abort(response, cause)
  }
}

const headersOf = (answer: HttpServerResponse.HttpServerResponse): OutgoingHttpHeaders => {
  const { cookies, headers, status } = answer
  const isWithoutLength = status === 204 || status === 205
  if (!isWithoutLength && Cookies.isEmpty(cookies)) return headers
  const all: OutgoingHttpHeaders = { ...headers }
  if (isWithoutLength) delete all["content-length"]
  if (!Cookies.isEmpty(cookies)) all["set-cookie"] = Cookies.toSetCookieHeaders(cookies)
  return all
}

/** Writes streams, forms and foreign responses through a web `Response`. */
const stream = (
  response: ServerResponse,
  answer: HttpServerResponse.HttpServerResponse,
): Effect.Effect<void> =>
  Effect.context<never>().pipe(
    Effect.flatMap((context) =>
      Effect.tryPromise(async (signal) => {
        const { body, headers, status } = HttpServerResponse.toWeb(answer, { context, signal })
        response.writeHead(status, {
          ...Object.fromEntries(headers),
          ...(headers.has("set-cookie") ? { "set-cookie": headers.getSetCookie() } : undefined),
        })
        if (body === null) response.end()
        else await pipeline(body, response, { signal })
      }),
    ),
    Effect.interruptible,
    Effect.catch(({ cause }) => abort(response, cause)),
  )

/** Cuts off a response that has begun. A regular end would make a partial response look complete. */
const abort = (response: ServerResponse, cause: unknown): Effect.Effect<void> => {
  const isGone = response.destroyed && response.errored === null
  if (isGone) return Effect.void
  if (response.headersSent) response.destroy()
  else response.writeHead(500).end()
  return Effect.logError("An answer could not be written", cause)
}

/** Number of bytes of a body that are read and discarded after the response, so that the connection can be reused. */
const maxRest = 256 * 1024

/** How long a client may read the response before the connection is cut, in milliseconds. */
const closeMillis = 500

/**
 * Handles the unread rest of a body. Node reads it without a limit if no part was read, and not at all if a
 * part was, which blocks the connection. A large rest ends the connection after a delay, because an immediate
 * reset could overtake the response.
 */
const leaveRest = (source: IncomingMessage): void => {
  if (source.complete || source.destroyed) return
  const { socket } = source
  const close = (): void => {
    source.pause()
    socket.end()
    const timer = setTimeout(() => socket.destroy(), closeMillis)
    socket.once("close", () => clearTimeout(timer))
  }
  let rest = 0
  source.on("data", (chunk: Buffer) => {
    rest += chunk.length
    if (rest > maxRest) close()
  })
  // After a part was read, Node leaves the rest of the body to the application.
  source.read(0)
  if (Number(source.headers["content-length"]) > maxRest) close()
  else source.resume()
}
