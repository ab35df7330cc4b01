/**
 * One server and one router: the application's own routes, the engine's below `/api/v2`, and the dashboard.
 */
import * as Http from "@countersign/http/Http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import { createServer, type Server } from "node:http"
import * as Dashboard from "./Dashboard.ts"
import * as Login from "./Login.ts"

const hostConfig = Config.withDefault(Config.String("HOST"), "127.0.0.1")
const portConfig = Config.withDefault(Config.Int("PORT"), 3000)

/** A connection whose last request is answered while the server stops would stay for its keep-alive. */
const closeWhenIdle = (server: Server): void => {
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  server.once("close", () => clearInterval(sweep))
}

const announce = (server: Server) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = NetAddress.isInetAddress(address) ? address.port : 0
      const host = yield* hostConfig
      yield* Console.log(`effect-native is ready on http://${host}:${port}`)
      yield* Effect.addFinalizer(() => Effect.sync(() => closeWhenIdle(server)))
    }),
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const server = createServer()
    const host = yield* hostConfig
    const port = yield* portConfig
    return announce(server).pipe(
      Layer.provideMerge(
        HttpRouter.serve(
          Layer.mergeAll(Login.layerRoutes, Http.layerRoutes(), Dashboard.layerRoutes),
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
