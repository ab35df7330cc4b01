/**
 * Receives delivery reports from vendors, on one path per gateway: `/callbacks/<name>`.
 *
 * The host mounts it beside the HTTP API. It answers as soon as the store has saved the reports. If the store
 * is unavailable, it answers 503, so that the vendor sends the reports again.
 */
import { setNewest } from "@countersign/core/domain/values/BoundedCache"
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { Reports } from "@countersign/core/services/Reports"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import type { Adapter, Callback } from "./Adapter.ts"

export interface Options {
  /**
   * The URL under which vendors reach the host, including the mount path: `https://sms.example.com`.
   * Signatures are checked against it. The request's own `Host` header is ignored.
   */
  readonly publicUrl: string | URL
  /** Adapters to serve. Their gateways need different names. Adapters without a `callback` are skipped. */
  readonly adapters: ReadonlyArray<Adapter>
  /** Path prefix of incoming requests, if a proxy changes it. @defaultValue the path of `publicUrl` */
  readonly basePath?: string | undefined
  /** Largest body that is read, in bytes. The default is the most that Meta sends. @defaultValue 3,145,728 */
  readonly maxBodyBytes?: number | undefined
  /** Most concurrent requests. Further requests are answered 503. @defaultValue 64 */
  readonly maxRequests?: number | undefined
  /** Most request ids that are remembered to ignore repeats. @defaultValue 100,000 */
  readonly maxRemembered?: number | undefined
}

/** An application for any of Effect's HTTP servers. Never fails. */
export type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest>

const folder = "/callbacks/"

/** The path of a URL without trailing slashes. */
const pathOf = (url: URL): string => url.pathname.replace(/\/+$/, "")

/** The prefix of every path that the handler serves. */
const basePathOf = ({ basePath, publicUrl }: Options): "" | `/${string}` => {
  const path = (basePath ?? pathOf(new URL(publicUrl))).replace(/^\/+|\/+$/g, "")
  return path === "" ? "" : `/${path}`
}

/** The callback URL to configure at a vendor, by the name of its gateway. */
export const urlOf = (publicUrl: string | URL, name: string): string => {
  const url = new URL(publicUrl)
  return `${url.origin}${pathOf(url)}${folder}${encodeURIComponent(name)}`
}

/** Makes the application. Dies if `publicUrl` is not a URL or if two gateways have the same name. */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<Handler, never, Reports> {
  const reports = yield* Reports
  const url = new URL(options.publicUrl)
  const prefix = `${basePathOf(options)}${folder}`
  const callbacks = callbacksOf(options.adapters)
  const remembered = new Map<string, true>()
  const maxRemembered = options.maxRemembered ?? 100_000
  const maxBodyBytes = options.maxBodyBytes ?? 3_145_728
  const permits = yield* Semaphore.make(options.maxRequests ?? 64)

  const answer = Effect.fnUntraced(function* (
    name: string,
    callback: Callback,
    request: HttpServerRequest,
    rest: string,
  ) {
    const { headers, method } = request
    const body = yield* bodyOf(request, maxBodyBytes)
    if (body === undefined) return bare(413)
    const outcome = yield* callback({
      method,
      url: new URL(`${urlOf(url, name)}${rest}`),
      headers,
      body,
    })
    switch (outcome._tag) {
      case "Refused":
        yield* Effect.logWarning("A report was refused", { gateway: name, why: outcome.reason })
        return bare(403)
      case "Malformed":
        yield* Effect.logError("A report could not be read", { gateway: name, why: outcome.reason })
        return bare(400)
      case "Reports": {
        const once = outcome.once === undefined ? undefined : `${name} ${outcome.once}`
        if (once !== undefined && remembered.has(once)) {
          yield* Effect.logWarning("A report was refused", { gateway: name, why: "Seen before" })
          // The vendor may have missed the first answer, so a repeat gets a 200 as well.
          return taken
        }
        const isTaken = yield* takeIn(name, outcome.reports)
        if (!isTaken) return later
        // Only after the save: reports that were not saved have to be accepted again.
        if (once !== undefined) setNewest(remembered, once, true, maxRemembered)
        return outcome.answer === undefined
          ? taken
          : HttpServerResponse.text(outcome.answer.text, {
              contentType: outcome.answer.contentType,
              headers: answerHeaders,
            })
      }
    }
  })

  /** Saves the reports, starting them in order. Returns whether all were saved. */
  const takeIn = (name: string, received: ReadonlyArray<DeliveryReport>): Effect.Effect<boolean> =>
    Effect.forEach(
      received,
      (report) => Effect.retry(reports.receive({ gateway: name, ...report }), retries),
      { concurrency: concurrentReports, discard: true },
    ).pipe(
      Effect.as(true),
      Effect.catchTag("StoreUnavailable", ({ reason }) =>
        Effect.as(
          Effect.logWarning("Reports have to come again", { gateway: name, why: reason }),
          false,
        ),
      ),
    )

  const guarded = (name: string, answered: Handler): Handler =>
    answered.pipe(
      Effect.catchDefect(() =>
        // The cause is not logged: it may contain the request's data.
        Effect.as(Effect.logError("A reader of reports failed", { gateway: name }), bare(500)),
      ),
      permits.withPermitsIfAvailable(1),
      Effect.map(Option.getOrElse(() => later)),
    )

  return Effect.flatMap(HttpServerRequest, (request): Handler => {
    const target = targetOf(request.url, prefix)
    const callback = target === undefined ? undefined : callbacks.get(target.name)
    if (target === undefined || callback === undefined) return Effect.succeed(bare(404))
    if (request.method !== "GET" && request.method !== "POST")
      return Effect.succeed(bare(405, { allow: "GET, POST" }))
    const { name, rest } = target
    return guarded(name, answer(name, callback, request, rest))
  })
})

/** Like {@link make}, for web `Request`s: Workers, Deno, Bun, and frameworks on Node. */
export const makeWebHandler = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<(request: Request) => Promise<Response>, never, Reports> {
  const handler = yield* make(options)
  const context = yield* Effect.context<never>()
  const answer = HttpEffect.toWebHandlerWith<never, HttpServerRequest>(context)(handler)
  return (request) => answer(request, Context.empty())
})

/** Adds the callback paths to the host's router. */
export const layer = (options: Options) =>
  HttpRouter.use((router) =>
    Effect.flatMap(make(options), (handler) =>
      router.add("*", `${basePathOf(options)}${folder}*`, handler),
    ),
  )

/** About a third of a second in total. After that, the vendor's own repetition is the better retry. */
const retries = { schedule: Schedule.exponential("50 millis"), times: 3 }

/** Most reports of one request that are saved concurrently. */
const concurrentReports = 16

const callbacksOf = (adapters: ReadonlyArray<Adapter>): ReadonlyMap<string, Callback> => {
  const callbacks = new Map<string, Callback>()
  for (const { callback, gateway } of adapters) {
    if (callback === undefined) continue
    if (callbacks.has(gateway.name)) {
      throw new TypeError(`Two gateways are called ${gateway.name}: give one of them another name`)
    }
    callbacks.set(gateway.name, callback)
  }
  return callbacks
}

/** The name of the gateway, and the rest of the URL after it, including the query. */
const targetOf = (url: string, prefix: string) => {
  if (!url.startsWith(prefix)) return undefined
  const [, segment = "", rest = ""] = /^([^/?#]*)(.*)$/s.exec(url.slice(prefix.length)) ?? []
  try {
    return { name: decodeURIComponent(segment), rest }
  } catch {
    return undefined
  }
}

/** The body's bytes; `undefined` if the body is too large or the client disconnects. */
const bodyOf = (request: HttpServerRequest, maxBytes: number) =>
  request.method === "GET"
    ? Effect.succeed(new Uint8Array())
    : request.arrayBuffer.pipe(
        Effect.provideService(MaxBodySize, ByteSize.bytes(maxBytes)),
        Effect.map((buffer) => new Uint8Array(buffer)),
        Effect.catch(() => Effect.succeed(undefined)),
      )

const answerHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const bare = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.empty({ status, headers: { ...answerHeaders, ...headers } })

const taken = bare(200)
const later = bare(503, { "retry-after": "1" })
