/**
 * Effect's HTTP applications on the objects of `node:http`: what `NodeHttpServer.makeHandler` of
 * `@effect/platform-node` does, without that package and the ones it brings (undici, redis, ws).
 */
import type * as Http from "@countersign/http/Http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Cookies from "effect/http/Cookies"
import * as HttpEffect from "effect/http/HttpEffect"
import { ClientAbort } from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { NodeRequest } from "./nodeRequest.ts"

/** Makes the listener of an application. Requests run in the scope. */
export const listenerIn = (
  scope: Scope.Scope,
  application: Http.Handler,
): Effect.Effect<(request: IncomingMessage, response: ServerResponse) => void> => {
  const handled = HttpEffect.toHandled(application, respond)
  return Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed((source: IncomingMessage, response: ServerResponse) => {
      const request = new NodeRequest(source, response)
      const run = Effect.runForkWith(Context.add(context, HttpServerRequest, request))
      const fiber = Fiber.runIn(run(handled), scope)
      if (fiber.pollUnsafe() !== undefined) return
      response.on("close", () => {
        if (!response.writableEnded) fiber.interruptUnsafe(undefined, ClientAbort.annotation)
      })
    }),
  )
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

const headersOf = ({
  cookies,
  headers,
  status,
}: HttpServerResponse.HttpServerResponse): OutgoingHttpHeaders => {
  const isWithoutLength = status === 204 || status === 205
  if (!isWithoutLength && Cookies.isEmpty(cookies)) return headers
  const all: OutgoingHttpHeaders = { ...headers }
  if (isWithoutLength) delete all["content-length"]
  if (!Cookies.isEmpty(cookies)) all["set-cookie"] = Cookies.toSetCookieHeaders(cookies)
  return all
}

/** Streams, forms and responses of others, by way of a web `Response`. */
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

/** Cuts off an answer that has begun: an end would make a part of it look complete. */
const abort = (response: ServerResponse, cause: unknown): Effect.Effect<void> => {
  const isGone = response.destroyed && response.errored === null
  if (isGone) return Effect.void
  if (response.headersSent) response.destroy()
  else response.writeHead(500).end()
  return Effect.logError("An answer could not be written", cause)
}

/** How much of a body is read and thrown away after the answer, for the connection to be used again. */
const maxRest = 256 * 1024

/** How long a client has to read the answer before the connection is cut. */
const closeMillis = 500

/**
 * Node reads the rest of a body without a limit where none of it was read, and not at all where a part was,
 * which leaves the connection stuck. A large rest ends the connection; a reset at once could overtake the
 * answer.
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
  // Once something was read, Node leaves the body to us.
  source.read(0)
  if (Number(source.headers["content-length"]) > maxRest) close()
  else source.resume()
}
