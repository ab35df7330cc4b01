/**
 * The inbox over HTTP: the page, the stream of events behind it, and the same as JSON for tests.
 *
 * It shows codes to every caller, and a web site that a developer happens to visit can send requests to it. So it
 * refuses requests for host names of other owners, and changes from pages of other origins.
 */
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import { below, rooted } from "@countersign/http/mount/BasePath"
import * as RequestContext from "@countersign/http/mount/RequestContext"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { secondsOf, shownDelivery, maxSeconds, parseDelivery } from "./delivery.ts"
import { Inbox, maxMessages } from "./inbox.ts"
import { pageFiles } from "./pageFiles.ts"
import * as Duration from "@countersign/core/domain/values/Duration"
import { phoneNumberOf } from "./phoneNumber.ts"
import type * as Types from "./types.ts"
import * as NetAddress from "effect/net/NetAddress"

/** Whether the name of a request's host is this machine's, an address, or one of `hosts`. */
export const isOwnHost = (header: string | undefined, hosts: ReadonlyArray<string>): boolean => {
  const host = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(header ?? "")?.[1]?.toLowerCase()
  if (host === undefined) return false
  if (host === "localhost" || host.endsWith(".localhost")) return true
  return (
    hosts.some((own) => own.toLowerCase() === host) ||
    Result.isSuccess(NetAddress.ipFromString(host.replace(/^\[|\]$/g, "")))
  )
}

/** Whether a request is from a page of this server, or from no page. Browsers name the origin of every change. */
export const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin === undefined || URL.parse(origin)?.host === host?.toLowerCase()

/** Longest wait of one request for a code, in seconds. Longer ones end after this time. */
const maxWaitSeconds = 60

type Read<A> = Result.Result<A, string>

const valueOf = (query: URLSearchParams, name: string): string | undefined => {
  const text = query.get(name)?.trim()
  return text === "" ? undefined : text
}

interface NumberOptions {
  readonly min: number
  readonly max: number
  readonly fallback: number
  readonly shape?: RegExp
  readonly what?: string
}

const numberOf = (query: URLSearchParams, name: string, options: NumberOptions): Read<number> => {
  const { fallback, max, min, shape = /^\d{1,9}$/, what = "a whole number" } = options
  const text = valueOf(query, name)
  if (text === undefined) return Result.succeed(fallback)
  return shape.test(text) && Number(text) >= min && Number(text) <= max
    ? Result.succeed(Number(text))
    : Result.fail(`${name} must be ${what} from ${min} to ${max}`)
}

const statuses = ["delivered", "undelivered", "failed", "never"] as const

const statusOf = (query: URLSearchParams): Read<(typeof statuses)[number]> => {
  const status = statuses.find((one) => one === valueOf(query, "status"))
  return status === undefined
    ? Result.fail("status must be delivered, undelivered, failed or never")
    : Result.succeed(status)
}

const listOf = (query: URLSearchParams): Read<Types.ListMessages> =>
  Result.map(
    numberOf(query, "limit", { min: 1, max: maxMessages, fallback: maxMessages }),
    (limit) => ({ phoneNumber: valueOf(query, "to"), limit }),
  )

const waitOf = (query: URLSearchParams): Read<Types.WaitForCode> => {
  const seconds = numberOf(query, "wait", {
    min: 0,
    max: 999_999_999,
    fallback: 0,
    shape: /^\d{1,9}(\.\d{1,3})?$/,
    what: "a number of seconds",
  })
  return Result.map(
    Result.all([phoneNumberOf("to", valueOf(query, "to") ?? ""), seconds]),
    ([phoneNumber, wait]) => ({
      phoneNumber,
      after: valueOf(query, "after"),
      timeout: Duration.format(Math.round(Math.min(wait, maxWaitSeconds) * 1_000)),
    }),
  )
}

const reportOf = (query: URLSearchParams): Read<Omit<Types.ReportMessage, "id">> =>
  Result.map(
    Result.all([
      statusOf(query),
      numberOf(query, "after", { min: 0, max: maxSeconds, fallback: 0 }),
    ]),
    ([status, after]) => ({ status, delay: Duration.format(after * 1_000) }),
  )

const deliveryOf = (query: URLSearchParams): Read<Types.Delivery> =>
  Result.mapError(parseDelivery(valueOf(query, "when") ?? ""), (reason) => `when ${reason}`)

/** Only the page's own files run, so a message can never become a script or a style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Headers of everything that the inbox answers. */
const unshared = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const file = (text: string, contentType: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, {
    contentType: `${contentType}; charset=utf-8`,
    headers: {
      ...unshared,
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
    },
  })

/** The files beside the page, by their paths below the mount. */
const files = {
  "/icon.svg": file(pageFiles.icon, "image/svg+xml"),
  "/page.css": file(pageFiles.style, "text/css"),
  "/page.js": file(pageFiles.script, "text/javascript"),
}

/**
 * The page for a path as it is in the browser's address. A browser resolves links from the folder of the page, which
 * is not the mount if the path has no slash at its end.
 */
const page = (path: string): HttpServerResponse.HttpServerResponse => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const folder = name === "" ? "" : `./${name.replace(/[^\w.~%-]/g, encodeURIComponent)}/`
  return file(pageFiles.page.replaceAll("{{folder}}", folder), "text/html")
}

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** The methods of a resource. */
type Methods = Readonly<Record<string, (query: URLSearchParams) => Answer>>

const json = (status: number, body: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: unshared })

const misdirected = json(421, { error: "The inbox does not answer to this host name" })
const foreign = json(403, { error: "Another site's page may change nothing here" })
const notFound = json(404, { error: "Not found" })
const noMessage = json(404, { error: "The inbox has no such message" })
const final = json(409, { error: "The message is final: no report can change what became of it" })
const noCode = json(404, { error: "No code was sent to this number" })

const notAllowed = (methods: Methods) =>
  HttpServerResponse.setHeader(
    json(405, { error: "Method not allowed" }),
    "allow",
    Object.keys(methods).join(", "),
  )

/** Answers with what was read, or with its problem. */
const withQuery = <A>(read: Result.Result<A, string>, answer: (value: A) => Answer): Answer =>
  Result.isFailure(read) ? Effect.succeed(json(400, { error: read.failure })) : answer(read.success)

/** A value of a name that a request has chosen. */
const own = <A>(values: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

const reportPath = /^\/messages\/([^/]+)\/report$/

const events = (inbox: Inbox["Service"]): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(inbox.events, {
    contentType: "text/event-stream",
    headers: {
      ...unshared,
      // nginx would keep events back until its buffer is full.
      "x-accel-buffering": "no",
    },
  })

const resources = (inbox: Inbox["Service"]) => {
  const report = (id: string): Methods => ({
    POST: (query) =>
      withQuery(reportOf(query), (request) =>
        Effect.map(inbox.report({ id, ...request }), (result) => {
          if (result === "final") return final
          if (result !== "done") return noMessage
          return json(200, {
            status: request.status,
            after: secondsOf("delay", request.delay ?? "0 seconds"),
          })
        }),
      ),
  })

  const known: Readonly<Record<string, Methods>> = {
    "/messages": {
      GET: (query) =>
        withQuery(listOf(query), (options) =>
          Effect.map(inbox.messages(options), (messages) => json(200, messages)),
        ),
      DELETE: () => Effect.as(inbox.clear, json(200, [])),
    },
    "/latest-code": {
      GET: (query) =>
        withQuery(waitOf(query), (options) =>
          Effect.match(inbox.waitForCode(options), {
            onFailure: () => noCode,
            onSuccess: (code) => json(200, code),
          }),
        ),
    },
    "/delivery": {
      GET: () => Effect.map(inbox.delivery, (when) => json(200, { when: shownDelivery(when) })),
      PUT: (query) =>
        withQuery(deliveryOf(query), (when) =>
          Effect.as(inbox.deliver(when), json(200, { when: shownDelivery(when) })),
        ),
    },
    "/events": { GET: () => Effect.succeed(events(inbox)) },
    ...Record.map(files, (file) => ({ GET: () => Effect.succeed(file) })),
  }

  return (path: string, request: HttpServerRequest): Methods | undefined => {
    if (path === "" || path === "/") {
      return { GET: () => Effect.sync(() => page(shownPath(request))) }
    }
    const id = reportPath.exec(path)?.[1]
    return id === undefined ? own(known, path) : report(id)
  }
}

/** The path in the browser. Express adds a slash to the bare path of a mount, and keeps the path as it was. */
const shownPath = ({ source, url }: HttpServerRequest): string => {
  const original: unknown = Reflect.get(source, "originalUrl")
  return (typeof original === "string" ? original : url).split("?", 1)[0] ?? ""
}

/** Requests of the web standard may name their host in the URL alone. */
const hostOf = ({ headers, source }: HttpServerRequest): string | undefined =>
  headers["host"] ?? (source instanceof Request ? URL.parse(source.url)?.host : undefined)

const defaultBasePath = "/inbox"

/** Creates the application over the inbox, for any of Effect's HTTP servers. */
export const make = Effect.fnUntraced(function* ({
  basePath = defaultBasePath,
  hosts = [],
}: Types.RouteOptions = {}): Effect.fn.Return<WebHandler.Handler, never, Inbox> {
  const methodsOf = resources(yield* Inbox)
  return Effect.flatMap(HttpServerRequest, (request): Answer => {
    const host = hostOf(request)
    if (!isOwnHost(host, hosts)) return Effect.succeed(misdirected)
    const [path = "", search] = request.url.split("?", 2)
    const within = below(RequestContext.of(request).basePath ?? rooted(basePath), path)
    const methods = within === undefined ? undefined : methodsOf(within, request)
    if (methods === undefined) return Effect.succeed(notFound)
    // A HEAD is a GET without its body.
    const isRead = request.method === "GET" || request.method === "HEAD"
    const answer = own(methods, isRead ? "GET" : request.method)
    if (answer === undefined) return Effect.succeed(notAllowed(methods))
    if (!isRead && !isOwnOrigin(request.headers["origin"], host)) {
      return Effect.succeed(foreign)
    }
    return answer(new URLSearchParams(search))
  })
})

/** Adds the page, and everything below it, to the host's `HttpRouter`. */
export const layerRoutes = (options: Types.RouteOptions = {}) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const handler = yield* make(options)
      yield* router.add("*", `${rooted(options.basePath ?? defaultBasePath)}/*`, handler)
    }),
  )
