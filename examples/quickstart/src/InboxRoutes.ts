/**
 * The inbox over HTTP: the page, the stream of events behind it, and the same as JSON for tests.
 *
 * It shows codes to every caller, so it is for development only. A web site that the developer happens to
 * visit can ask nothing: it could not read an answer from another origin, a name that it points at this
 * machine is refused, and so is every change that a page from elsewhere asks for.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import * as Delivery from "./Delivery.ts"
import { Inbox, maxMessages, type ReportRequest } from "./Inbox.ts"
import * as InboxPage from "./InboxPage.ts"

/** Longest time that a request for a code waits; longer ones are as long as this. */
export const maxWaitSeconds = 60

/** The latest time to which a report can be delayed. */
export const maxAfterSeconds = 3_600

/**
 * Whether the name that a browser knows this server by is this machine's, an
 * address, or the host that the server listens on. Another party controls
 * any other name.
 */
export const isOwnHost = (header: string | undefined, listeningOn: string): boolean => {
  const host = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(header ?? "")?.[1]?.toLowerCase()
  if (host === undefined) return false
  if (host === "localhost" || host.endsWith(".localhost")) return true
  return (
    host === listeningOn.toLowerCase() ||
    Result.isSuccess(NetAddress.ipFromString(host.replace(/^\[|\]$/g, "")))
  )
}

/** Whether a request is from a page of this server, or from no page at all. Browsers name the origin of every change. */
export const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin === undefined || URL.parse(origin)?.host === host?.toLowerCase()

const json = (status: number, body: unknown) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })

const misdirected = json(421, { error: "The inbox does not answer to this host name" })
const foreign = json(403, { error: "Another site's page may change nothing here" })
const noMessage = json(404, { error: "The inbox has no such message" })
const final = json(409, { error: "The message is final: no report can change what became of it" })
const noCode = json(404, { error: "No code was sent to this number" })

const notAllowed = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.setHeader(
    json(405, { error: "Method not allowed" }),
    "allow",
    methods.join(", "),
  )

type Query = Result.Result<string, string>

/** A query's single value; the sentence describes a problem. */
const valueOf = (query: URLSearchParams, name: string): string | undefined => {
  const text = query.get(name)?.trim()
  return text === "" ? undefined : text
}

const wholeNumber = (
  query: URLSearchParams,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly fallback: number },
): Result.Result<number, string> => {
  const text = valueOf(query, name)
  if (text === undefined) return Result.succeed(bounds.fallback)
  return /^\d{1,9}$/.test(text) && Number(text) >= bounds.min && Number(text) <= bounds.max
    ? Result.succeed(Number(text))
    : Result.fail(`${name} must be a whole number from ${bounds.min} to ${bounds.max}`)
}

const numberOf = (query: URLSearchParams): Query => {
  const to = valueOf(query, "to")
  return to === undefined ? Result.fail("to must be the number of a phone") : Result.succeed(to)
}

const statusOf = (query: URLSearchParams): Result.Result<ReportRequest["status"], string> => {
  const status = valueOf(query, "status")
  switch (status) {
    case "delivered":
    case "undelivered":
    case "failed":
    case "never":
      return Result.succeed(status)
    default:
      return Result.fail("status must be delivered, undelivered, failed or never")
  }
}

const whenOf = (query: URLSearchParams): Result.Result<Delivery.When, string> =>
  Result.mapError(Delivery.parse(valueOf(query, "when") ?? ""), (reason) => `when ${reason}`)

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Answers with the parsed query, or with its problem. */
const withQuery = <A>(read: Result.Result<A, string>, answer: (value: A) => Answer): Answer =>
  Result.isFailure(read) ? Effect.succeed(json(400, { error: read.failure })) : answer(read.success)

interface Methods {
  readonly GET?: (query: URLSearchParams, path: string) => Answer
  readonly POST?: (query: URLSearchParams, path: string) => Answer
  readonly PUT?: (query: URLSearchParams, path: string) => Answer
  readonly DELETE?: (query: URLSearchParams, path: string) => Answer
}

/** The one that answers to a request, if any does: a HEAD is a GET without its body. */
const methodOf = (methods: Methods, method: string) => {
  switch (method) {
    case "GET":
    case "HEAD":
      return methods.GET
    case "POST":
      return methods.POST
    case "PUT":
      return methods.PUT
    case "DELETE":
      return methods.DELETE
    default:
      return undefined
  }
}

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** Adds `/inbox` and everything below it to the host's router. */
export const layer = (options: { readonly host: string }) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const delivery = yield* Delivery.Delivery
      const inbox = yield* Inbox
      const page = yield* InboxPage.make

      const answers = (path: `/${string}`, methods: Methods) =>
        router.add("*", path, (request: HttpServerRequest): Answer => {
          const { host, origin } = request.headers
          if (!isOwnHost(host, options.host)) return Effect.succeed(misdirected)
          const answer = methodOf(methods, request.method)
          if (answer === undefined) return Effect.succeed(notAllowed(Object.keys(methods)))
          if (!isRead(request.method) && !isOwnOrigin(origin, host)) return Effect.succeed(foreign)
          const url = new URL(request.url, "http://inbox")
          return answer(url.searchParams, url.pathname)
        })

      yield* answers("/inbox", { GET: () => page })

      yield* answers("/inbox/messages", {
        GET: (query) =>
          withQuery(
            wholeNumber(query, "limit", { min: 1, max: maxMessages, fallback: maxMessages }),
            (limit) =>
              Effect.map(inbox.messages({ to: valueOf(query, "to"), limit }), (messages) =>
                json(200, messages),
              ),
          ),
        DELETE: () => Effect.as(inbox.clear, json(200, [])),
      })

      yield* answers("/inbox/latest-code", {
        GET: (query) =>
          withQuery(
            Result.all([
              numberOf(query),
              wholeNumber(query, "wait", { min: 0, max: 999_999_999, fallback: 0 }),
            ]),
            ([to, wait]) =>
              Effect.map(inbox.latestCode(to, Math.min(wait, maxWaitSeconds) * 1_000), (code) =>
                code === undefined ? noCode : json(200, code),
              ),
          ),
      })

      yield* answers("/inbox/messages/:id/report", {
        POST: (query, path) =>
          withQuery(
            Result.all([
              statusOf(query),
              wholeNumber(query, "after", { min: 0, max: maxAfterSeconds, fallback: 0 }),
            ]),
            ([status, after]) =>
              Effect.map(
                inbox.report(path.split("/").at(-2) ?? "", { status, afterMillis: after * 1_000 }),
                (result) => {
                  if (result === "final") return final
                  return result === "done" ? json(200, { status, after }) : noMessage
                },
              ),
          ),
      })

      yield* answers("/inbox/delivery", {
        GET: () => Effect.sync(() => json(200, { when: delivery.current() })),
        PUT: (query) =>
          withQuery(whenOf(query), (when) => Effect.as(inbox.deliver(when), json(200, { when }))),
      })

      yield* answers("/inbox/events", {
        GET: () =>
          Effect.succeed(
            HttpServerResponse.stream(inbox.events, {
              contentType: "text/event-stream",
              headers: { "cache-control": "no-store" },
            }),
          ),
      })
    }),
  )
