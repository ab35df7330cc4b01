/**
 * The phones' side of the simulated gateway: a page that shows every message as
 * it comes in, the same as JSON, and the stream of events behind the page.
 *
 * It shows codes to whoever asks, so it is for development only. A web site that
 * the developer happens to visit cannot ask: it could not read an answer from
 * another origin, and a name that it points at this machine is refused.
 */
import { type JournalEntry, SimulatedGateway } from "@countersign/core/SimulatedGateway"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as InboxPage from "./InboxPage.ts"

/** How many changes a page may fall behind before it misses the oldest. */
const maxBehind = 1_024

/** A line that means nothing, so that both ends notice when the other has gone. */
const heartbeat = "15 seconds"

/** How soon a page asks again when the stream has ended. */
const reconnectMillis = 1_000

/** A message as the inbox gives it to others. */
export interface InboxMessage extends Omit<JournalEntry, "at"> {
  /** ISO 8601. */
  readonly at: string
}

const inboxMessage = (entry: JournalEntry): InboxMessage => ({
  id: entry.id,
  to: entry.to,
  channel: entry.channel,
  sender: entry.sender,
  text: entry.text,
  at: new Date(entry.at).toISOString(),
  outcome: entry.outcome,
})

export class Inbox extends Context.Service<
  Inbox,
  {
    /** Newest first; to one number, with or without its plus, or to all. */
    readonly messages: (to?: string) => Effect.Effect<ReadonlyArray<InboxMessage>>
    /** All messages, and then every change, as server-sent events. Ends with `close`. */
    readonly events: Stream.Stream<Uint8Array>
    /** Ends the streams that are open: pages would otherwise keep a server from stopping. */
    readonly close: Effect.Effect<void>
  }
>()("@countersign-examples/quickstart/Inbox") {
  static readonly layer = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const gateway = yield* SimulatedGateway
      const closed = yield* Deferred.make<void>()
      const changes = yield* PubSub.sliding<JournalEntry>(maxBehind)
      yield* gateway.changes.pipe(
        Stream.runForEach((entry) => PubSub.publish(changes, entry)),
        Effect.forkScoped({ startImmediately: true }),
      )

      const messages = (to?: string) =>
        Effect.map(gateway.journal(to === undefined ? undefined : withPlus(to)), (entries) =>
          entries.map(inboxMessage),
        )

      // Subscribed before the messages are read: none can fall between the two.
      const news = Effect.gen(function* () {
        const subscription = yield* PubSub.subscribe(changes)
        const all = yield* messages()
        return Stream.concat(
          Stream.make(`retry: ${reconnectMillis}\n`, event("snapshot", all)),
          Stream.map(Stream.fromSubscription(subscription), (entry) =>
            event("message", inboxMessage(entry)),
          ),
        )
      })

      return Inbox.of({
        messages,
        events: Stream.unwrap(news).pipe(
          Stream.merge(Stream.as(Stream.fromSchedule(Schedule.spaced(heartbeat)), ":\n\n")),
          Stream.interruptWhen(Deferred.await(closed)),
          Stream.encodeText,
        ),
        close: Effect.asVoid(Deferred.succeed(closed, undefined)),
      })
    }),
  )
}

/** JSON has no line breaks of its own, so one `data` line is enough. */
const event = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** A plus that was not percent-encoded arrives as a space. */
const withPlus = (to: string): string => `+${to.trim().replace(/^\+/, "")}`

/**
 * Whether the name that a browser knows this server by is this machine's, an
 * address, or what the server was told to listen on. Any other is a name that
 * somebody else controls.
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

const json = (status: number, body: unknown) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })

const misdirected = json(421, { error: "The inbox does not answer to this host name" })
const notAllowed = HttpServerResponse.setHeader(
  json(405, { error: "Method not allowed" }),
  "allow",
  "GET",
)

const queryOf = (request: HttpServerRequest): URLSearchParams =>
  new URL(request.url, "http://inbox").searchParams

const numberIn = (request: HttpServerRequest): string | undefined => {
  const to = queryOf(request).get("to")
  return to === null || to.trim() === "" ? undefined : to
}

/** Adds `/inbox`, `/inbox/messages` and `/inbox/events` to the host's router. */
export const layerRoutes = (options: { readonly host: string }) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const inbox = yield* Inbox
      const page = yield* InboxPage.make
      const get = (
        path: `/${string}`,
        answer: (
          request: HttpServerRequest,
        ) => Effect.Effect<HttpServerResponse.HttpServerResponse>,
      ) =>
        router.add("*", path, (request: HttpServerRequest) => {
          if (!isOwnHost(request.headers["host"], options.host)) return Effect.succeed(misdirected)
          const isRead = request.method === "GET" || request.method === "HEAD"
          return isRead ? answer(request) : Effect.succeed(notAllowed)
        })

      yield* get("/inbox", () => page)
      yield* get("/inbox/messages", (request) =>
        Effect.map(inbox.messages(numberIn(request)), (messages) => json(200, messages)),
      )
      yield* get("/inbox/events", () =>
        Effect.succeed(
          HttpServerResponse.stream(inbox.events, {
            contentType: "text/event-stream",
            headers: { "cache-control": "no-store" },
          }),
        ),
      )
    }),
  )
