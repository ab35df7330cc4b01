/**
 * Delivers webhooks over `node:https`.
 *
 * The URLs come from the customers of the host, so the transport connects to public addresses only. It checks every
 * address that the connection's own resolution of a name returns, and addresses that are written into the URL. It
 * follows no redirect. It returns the status, `Retry-After` and the first bytes of an answer, and drops the rest.
 */
import {
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
} from "@countersign/core/ports/WebhookTransport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lookup as lookUpName, type LookupAddress } from "node:dns"
import type { Agent, ClientRequest, IncomingMessage } from "node:http"
import { isIP, type LookupFunction } from "node:net"
import type { Duplex } from "node:stream"
import { Http, Https } from "./internal/builtins.ts"
import { isPublicAddress } from "./internal/publicAddress.ts"

/** Which receivers are allowed. */
export interface Options {
  /** Whether `http` is allowed, which sends the events unencrypted. @defaultValue `false` */
  readonly allowHttp?: boolean | undefined
  /** Whether addresses of private networks are allowed, such as addresses of the host itself. @defaultValue `false` */
  readonly allowPrivateAddresses?: boolean | undefined
  /** Resolves names. @defaultValue the resolver of the system */
  readonly lookup?: LookupFunction | undefined
}

/** Number of bytes of an answer that are read. A longer one ends the connection. */
export const maxAnswerBytes = 65_536

/** Number of bytes of an answer that are returned. */
const maxStartBytes = 4_096

/** How long an answer may take after its status. */
const answerTime = Duration.seconds(1)

/** Maximum number of connections that are kept for later requests. The engine bounds those in use. */
export const maxIdleConnections = 256

/** An error that is shown to the customers of the host: it tells nothing of the host's network. */
class Refused extends Error {}

const notPublic = "The address is not public"

/** Makes a transport, whose connections end with the scope. */
export const make = (options: Options = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const idle = new Set<Duplex>()
        return {
          "http:": keeping(new Http.Agent({ keepAlive: true }), idle),
          "https:": keeping(new Https.Agent({ keepAlive: true }), idle),
        }
      }),
      (agents) =>
        Effect.sync(() => {
          for (const agent of Object.values(agents)) agent.destroy()
        }),
    ),
    (agents): WebhookTransport => {
      const { allowHttp = false, allowPrivateAddresses = false } = options
      const isAllowed = (address: string) => allowPrivateAddresses || isPublicAddress(address)
      const lookup = guarded(options.lookup ?? lookUpName, isAllowed)

      const problemOf = ({ hostname, protocol }: URL): string | undefined => {
        if (protocol !== "https:" && !(allowHttp && protocol === "http:")) return "must use https"
        // No name is resolved for a literal, so the look-up would not see it.
        const literal = hostname.replace(/^\[|\]$/g, "")
        return isIP(literal) !== 0 && !isAllowed(literal) ? notPublic : undefined
      }

      const begin = ({ body, headers, url }: WebhookRequest): ClientRequest => {
        const target = new URL(url)
        const isSecure = target.protocol === "https:"
        const request = (isSecure ? Https.request : Http.request)(target, {
          method: "POST",
          headers: { ...headers, "content-length": Buffer.byteLength(body) },
          agent: agents[isSecure ? "https:" : "http:"],
          lookup,
        })
        return request.end(body)
      }

      const exchange = (request: WebhookRequest): Effect.Effect<IncomingMessage, Failure> =>
        Effect.callback<IncomingMessage, Failure>((resume) => {
          const sent = begin(request)
          sent.once("response", (response) => resume(Effect.succeed(response)))
          // Stays, because a connection may break after its answer as well.
          sent.on("error", (error) =>
            resume(Effect.fail({ error, isStale: sent.reusedSocket && isReset(error) })),
          )
          return Effect.sync(() => sent.destroy())
        })

      return {
        problemOf,
        post: (request) => {
          const problem = problemOf(new URL(request.url))
          if (problem !== undefined) return Effect.succeed(unanswered(problem))
          return exchange(request).pipe(
            // The receiver has closed a connection that was kept, as it may at any time.
            Effect.retry({ times: 1, while: ({ isStale }) => isStale }),
            Effect.flatMap((response) =>
              Effect.map(drain(response), (start) => answerOf(response, start)),
            ),
            Effect.catch(({ error }) => Effect.succeed(unanswered(sentenceOf(error)))),
          )
        },
      }
    },
  )

/**
 * Closes the connection that has been idle the longest if there are too many. No request waits for a connection: a
 * bound on connections in use would let slow receivers delay others, and Node also counts idle ones.
 */
const keeping = <A extends Agent>(agent: A, idle: Set<Duplex>): A => {
  const keep = agent.keepSocketAlive.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = (socket) => {
    idle.add(socket)
    const [oldest] = idle
    if (idle.size > maxIdleConnections && oldest !== undefined) {
      idle.delete(oldest)
      oldest.destroy()
    }
    return keep(socket)
  }
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket)
    reuse(socket, request)
  }
  return agent
}

interface Failure {
  readonly error: Error
  /** Whether the request was sent on a kept connection that had been closed. */
  readonly isStale: boolean
}

/** Provides the transport to the engine, which then delivers webhooks. */
export const layer = (options: Options = {}): Layer.Layer<never> =>
  Layer.effect(WebhookTransport, make(options))

const answerOf = (
  { headers, statusCode = 0 }: IncomingMessage,
  start: string,
): WebhookResponse => ({
  _tag: "Answered",
  status: statusCode,
  retryAfter: headers["retry-after"],
  start,
})

const unanswered = (error: string): WebhookResponse => ({ _tag: "Unanswered", error })

/**
 * Reads an answer to its end, so that its connection can be used again, and returns its first bytes. Closes the
 * connection of a long one.
 */
const drain = (response: IncomingMessage): Effect.Effect<string> =>
  Effect.suspend(() => {
    const first: Array<Uint8Array> = []
    let bytes = 0
    return Effect.callback<void>((resume) => {
      response.on("data", (chunk: Buffer) => {
        if (bytes < maxStartBytes) first.push(chunk.subarray(0, maxStartBytes - bytes))
        bytes += chunk.length
        if (bytes > maxAnswerBytes) response.destroy()
      })
      if (response.destroyed) return resume(Effect.void)
      response.once("close", () => resume(Effect.void))
      response.on("error", () => resume(Effect.void))
      return Effect.sync(() => response.destroy())
    }).pipe(
      Effect.timeoutOption(answerTime),
      // The end may be in the middle of a character.
      Effect.map(() => new TextDecoder().decode(Buffer.concat(first), { stream: true })),
    )
  })

/** Resolves a name, and refuses it if one of its addresses is not allowed. The connection uses this result. */
const guarded =
  (lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction =>
  (name, options, done) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses: ReadonlyArray<LookupAddress> = Array.isArray(found) ? found : []
      const [first] = addresses
      if (error !== null) return done(error, "")
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        return done(new Refused(notPublic), "")
      }
      if (options.all === true) return done(null, [...addresses])
      return done(null, first.address, first.family)
    })

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : ""

const isReset = (error: Error): boolean => ["ECONNRESET", "EPIPE"].includes(codeOf(error))

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed",
  EPIPE: "The connection was closed",
  ETIMEDOUT: "The connection timed out",
  EAI_AGAIN: "The name does not resolve",
  ENOTFOUND: "The name does not resolve",
}

const sentenceOf = (error: Error): string => {
  if (error instanceof Refused) return error.message
  const code = codeOf(error)
  return sentences[code] ?? `The request failed${code === "" ? "" : `: ${code}`}`
}
