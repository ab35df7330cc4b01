/**
 * Takes in what vendors report, on one path for each gateway: `/callbacks/<name>`.
 *
 * The host mounts it beside the interface. It is answered as soon as the store has taken a report in;
 * when the store cannot, it is answered 503, so that the vendor sends the report again.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import { Reports } from "@countersign/core/services/Reports"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Adapter, Callback, CallbackOutcome, CallbackRequest } from "./Adapter.ts"
import { asRaw } from "./internal/raw.ts"
import { Remembered } from "./internal/remembered.ts"

export interface Options {
  /**
   * The address under which vendors reach the host, with the path that it is mounted under:
   * `https://sms.example.com`. Signatures are checked against it; a request's own `Host` is not believed.
   */
  readonly publicUrl: string | URL
  /** Names of gateways have to differ. Adapters that read no reports are passed over. */
  readonly adapters: ReadonlyArray<Adapter>
  /** The path that requests arrive under, where a proxy changes it; that of `publicUrl` when left out. */
  readonly basePath?: string | undefined
  /** Largest body that is read; 3,145,728 when left out, the most that Meta sends. */
  readonly maxBodyBytes?: number | undefined
  /** How many requests may be under way before others are answered 503; 64 when left out. */
  readonly maxRequests?: number | undefined
  /** How many names of requests are remembered, to refuse them a second time; 100,000 when left out. */
  readonly maxRemembered?: number | undefined
}

/** An application for any of Effect's HTTP servers. It never fails. */
export type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest>

const folder = "/callbacks/"

/** The path of an address without the slashes at its end. */
const pathOf = (url: URL): string => url.pathname.replace(/\/+$/, "")

/** What stands before every path that requests arrive under. */
const basePathOf = ({ basePath, publicUrl }: Options): "" | `/${string}` => {
  const path = (basePath ?? pathOf(new URL(publicUrl))).replace(/^\/+|\/+$/g, "")
  return path === "" ? "" : `/${path}`
}

/** The address to give to a vendor, by the name of its gateway. */
export const urlOf = (publicUrl: string | URL, name: string): string => {
  const url = new URL(publicUrl)
  return `${url.origin}${pathOf(url)}${folder}${encodeURIComponent(name)}`
}

/** Makes the application. An address that is none, or a name that occurs twice, is a defect. */
export const make: (options: Options) => Effect.Effect<Handler, never, Reports> = Effect.fnUntraced(
  function* (options: Options) {
    const reports = yield* Reports
    const url = new URL(options.publicUrl)
    const prefix = `${basePathOf(options)}${folder}`
    const callbacks = callbacksOf(options.adapters)
    const remembered = new Remembered(options.maxRemembered ?? 100_000)
    const maxBodyBytes = options.maxBodyBytes ?? 3_145_728
    const maxRequests = options.maxRequests ?? 64
    let underWay = 0

    const answer = Effect.fnUntraced(function* (
      name: string,
      callback: Callback,
      request: HttpServerRequest,
      rest: string,
    ) {
      const body = yield* bodyOf(request, maxBodyBytes)
      if (body === undefined) return tooLarge
      const received: CallbackRequest = {
        method: request.method,
        url: new URL(`${urlOf(url, name)}${rest}`),
        headers: request.headers,
        body,
      }
      return yield* answerTo(name, received, yield* callback(received))
    })

    const answerTo = Effect.fnUntraced(function* (
      name: string,
      received: CallbackRequest,
      outcome: CallbackOutcome,
    ) {
      switch (outcome._tag) {
        case "Refused":
          yield* Effect.logWarning("A report was refused", { gateway: name, why: outcome.reason })
          return forbidden
        case "Malformed":
          yield* Effect.logError("A report could not be read", {
            gateway: name,
            why: outcome.reason,
          })
          return unreadable
        case "Reports": {
          const once = outcome.once === undefined ? undefined : `${name} ${outcome.once}`
          if (once !== undefined && remembered.has(once)) {
            yield* Effect.logWarning("A report was refused", { gateway: name, why: "Seen before" })
            // The vendor may not have heard our first answer. It need not know that we have.
            return taken
          }
          const isTaken = yield* takeIn(name, asReceived(name, received, outcome.reports))
          if (!isTaken) return later
          // Not before: what is not taken in has to be welcome when it comes again.
          if (once !== undefined) remembered.add(once)
          return outcome.answer === undefined
            ? taken
            : HttpServerResponse.text(outcome.answer.text, {
                contentType: outcome.answer.contentType,
                headers: answerHeaders,
              })
        }
      }
    })

    /** Whether the store has all of them. They are begun in their order. */
    const takeIn = (name: string, told: ReadonlyArray<DeliveryReport>): Effect.Effect<boolean> =>
      Effect.forEach(
        told,
        (report) => Effect.retry(reports.receive(report), { schedule: retries, times: maxRetries }),
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
      Effect.suspend(() => {
        if (underWay >= maxRequests) return Effect.succeed(later)
        underWay += 1
        return Effect.ensuring(
          Effect.catchDefect(answered, () =>
            // The defect may hold what it broke on.
            Effect.as(Effect.logError("A reader of reports failed", { gateway: name }), failed),
          ),
          Effect.sync(() => {
            underWay -= 1
          }),
        )
      })

    return Effect.flatMap(HttpServerRequest, (request): Handler => {
      const target = targetOf(request.url, prefix)
      const callback = target === undefined ? undefined : callbacks.get(target.name)
      if (target === undefined || callback === undefined) return Effect.succeed(notFound)
      if (request.method !== "GET" && request.method !== "POST") return Effect.succeed(wrongMethod)
      const { name, rest } = target
      return guarded(name, answer(name, callback, request, rest))
    })
  },
)

/** The same for web `Request`s: Workers, Deno, Bun, and frameworks on Node. */
export const makeWebHandler: (
  options: Options,
) => Effect.Effect<(request: Request) => Promise<Response>, never, Reports> = Effect.fnUntraced(
  function* (options: Options) {
    const handler = yield* make(options)
    const context = yield* Effect.context<never>()
    const answer = HttpEffect.toWebHandlerWith<never, HttpServerRequest>(context)(handler)
    return (request) => answer(request, Context.empty())
  },
)

/** Adds the paths to the router of the host. */
export const layer = (
  options: Options,
): Layer.Layer<never, never, HttpRouter.HttpRouter | Reports> =>
  HttpRouter.use((router) =>
    Effect.flatMap(make(options), (handler) =>
      router.add("*", `${basePathOf(options)}${folder}*`, handler),
    ),
  )

/** Most bytes of a body that are kept with a report. */
const maxRawBytes = 65_536

/** The reports with what they came in, where the adapter has not told: a request may speak of others, too. */
const asReceived = (
  name: string,
  { body, url }: CallbackRequest,
  reports: ReadonlyArray<DeliveryReport>,
): ReadonlyArray<DeliveryReport> => {
  if (reports.length !== 1) return reports.map((report) => ({ gateway: name, ...report }))
  const text = new TextDecoder().decode(body.subarray(0, maxRawBytes))
  const raw = asRaw([url.search.slice(1), text].filter((part) => part !== "").join("\n"))
  return reports.map((report) => ({ gateway: name, raw, ...report }))
}

/** About a third of a second in all: longer, and the vendor had better come again. */
const retries = Schedule.exponential("50 millis")
const maxRetries = 3

/** How many reports of one request are with the store at once. */
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

interface Target {
  /** Of the gateway. */
  readonly name: string
  /** What follows the name, query included. */
  readonly rest: string
}

const targetOf = (url: string, prefix: string): Target | undefined => {
  if (!url.startsWith(prefix)) return undefined
  const [, segment = "", rest = ""] = /^([^/?#]*)(.*)$/s.exec(url.slice(prefix.length)) ?? []
  try {
    return { name: decodeURIComponent(segment), rest }
  } catch {
    return undefined
  }
}

/** The bytes as they came; `undefined` when there are too many, or when the client broke off. */
const bodyOf = (
  request: HttpServerRequest,
  maxBytes: number,
): Effect.Effect<Uint8Array | undefined> =>
  request.method === "GET"
    ? Effect.succeed(new Uint8Array())
    : request.arrayBuffer.pipe(
        Effect.provideService(MaxBodySize, ByteSize.bytes(maxBytes)),
        Effect.map((buffer) => new Uint8Array(buffer)),
        Effect.catch(() => Effect.succeed(undefined)),
      )

const answerHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const bare = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status, headers: { ...answerHeaders, ...headers } })

const taken = bare(200)
const unreadable = bare(400)
const forbidden = bare(403)
const notFound = bare(404)
const wrongMethod = bare(405, { allow: "GET, POST" })
const tooLarge = bare(413)
const failed = bare(500)
const later = bare(503, { "retry-after": "1" })
