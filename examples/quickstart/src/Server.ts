/**
 * The server: the interface of the service and the inbox, on one port.
 */
import * as Http from "@countersign/http/Http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import * as Schedule from "effect/Schedule"
import { createServer, type Server } from "node:http"
import * as Activity from "./Activity.ts"
import * as Inbox from "./Inbox.ts"
import type { Settings } from "./Settings.ts"

/** What a request may take on top of the gateway's time-out, when the server has to stop. */
const graceMillis = 5_000

/** People come in by the front door. */
const root = HttpRouter.add("GET", "/", HttpServerResponse.redirect("/inbox"))

const anythingElse = HttpRouter.add(
  "*",
  "/*",
  HttpServerResponse.jsonUnsafe({ error: "Not found" }, { status: 404 }),
)

/** Pages that are open would keep the server from stopping, and so would connections kept alive. */
const closeConnections = (server: Server) =>
  Effect.gen(function* () {
    yield* (yield* Inbox.Inbox).close
    yield* Effect.sync(() => server.closeIdleConnections()).pipe(
      Effect.repeat(Schedule.spaced("50 millis")),
      Effect.forkDetach,
    )
  })

/** Listens until the scope closes, which lets requests that are under way finish. */
export const layer = (
  settings: Pick<Settings, "gatewayTimeoutMillis" | "host" | "port" | "trustedProxies">,
) => {
  const server = createServer()
  const { host, port } = settings
  const stopping = Layer.effectDiscard(Effect.addFinalizer(() => closeConnections(server)))
  return Layer.mergeAll(
    Http.layerRoutes({ trustedProxies: settings.trustedProxies }),
    Inbox.layerRoutes({ host }),
    root,
    anythingElse,
  ).pipe(
    (routes) =>
      HttpRouter.serve(routes, {
        disableLogger: true,
        disableListenLog: true,
        middleware: Activity.logRequests,
      }),
    // Built after the routes, so it ends before they do.
    Layer.provideMerge(Layer.empty),
    (served) => Layer.provideMerge(stopping, served),
    Layer.provideMerge(
      NodeHttpServer.layer(() => server, {
        host,
        port,
        gracefulShutdownTimeout: Duration.millis(settings.gatewayTimeoutMillis + graceMillis),
      }),
    ),
    Layer.provideMerge(Inbox.Inbox.layer),
  )
}

/** Where the server can be reached from this machine, without a path. */
export const origin = Effect.map(HttpServer.HttpServer, ({ address }) => {
  if (address._tag === "UnixPathAddress") return HttpServer.formatAddress(address)
  return ""
})
