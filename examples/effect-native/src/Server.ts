/**
 * One server and one router: the application's own routes, the engine's below `/api/v2`, and the dashboard.
 */
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import { createServer, type Server } from "node:http"
import * as Dashboard from "./Dashboard.ts"
import { inProduction } from "./Environment.ts"
import * as Login from "./Login.ts"

const hostConfig = Config.withDefault(Config.String("HOST"), "127.0.0.1")
const portConfig = Config.withDefault(Config.Int("PORT"), 3000)

/**
 * Fails the balancer's check, and serves requests for the time of the wait, on connections that end with the answer.
 * A connection whose last request is answered while the server stops would stay for its keep-alive.
 */
const drain = Effect.fnUntraced(function* (server: Server, ending: Latch.Latch) {
  yield* ending.open
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false
  })
  yield* Effect.sleep((yield* Effect.orDie(inProduction)) ? "10 seconds" : 0)
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  server.once("close", () => clearInterval(sweep))
})

/** The check of a balancer. */
const ready = (ending: Latch.Latch) =>
  HttpRouter.add(
    "GET",
    "/ready",
    Effect.sync(() => HttpServerResponse.empty({ status: ending.isOpen() ? 503 : 200 })),
  )

const announce = (server: Server, ending: Latch.Latch) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = NetAddress.isInetAddress(address) ? address.port : 0
      const host = yield* hostConfig
      yield* Console.log(`effect-native is ready on http://${host}:${port}`)
      yield* Effect.addFinalizer(() => drain(server, ending))
    }),
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const server = createServer()
    const ending = yield* Latch.make()
    const host = yield* hostConfig
    const port = yield* portConfig
    return announce(server, ending).pipe(
      Layer.provideMerge(
        HttpRouter.serve(
          Layer.mergeAll(
            ready(ending),
            Login.layerRoutes,
            Http.layerRoutes(),
            Dashboard.layerRoutes,
          ),
          {
            disableLogger: true,
            disableListenLog: true,
          },
        ),
      ),
      Layer.provide(
        NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: "15 seconds" }),
      ),
      // Keeps the values of queries out of spans.
      Layer.provide(Http.layerRequests),
    )
  }),
)
