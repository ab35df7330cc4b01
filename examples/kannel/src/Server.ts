/**
 * One server and one router: the service below `/api/v2`, and Kannel's reports below `/callbacks`.
 */
import * as Callbacks from "@countersign/gateways/Callbacks"
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
import * as Schema from "effect/Schema"
import { createServer, type Server } from "node:http"
import { DataFolder } from "./DataFolder.ts"
import * as Demo from "./Demo.ts"
import { Sms } from "./Sms.ts"

/** Another process listens there, or the address is not one of this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String,
}) {
  override get message(): string {
    return `it cannot listen on HOST ${this.host}, PORT ${this.port}: ${this.reason}`
  }
}

/** How long requests are still served while `/ready` fails, so that a balancer notices. */
const waitConfig = Config.map(Config.withDefault(Config.String("NODE_ENV"), ""), (environment) =>
  environment === "production" ? "10 seconds" : "0 seconds",
)

/**
 * Fails the balancer's check, and serves requests for the time of the wait, on connections that end with the answer.
 * A connection whose last request is answered while the server stops would stay for its keep-alive.
 */
const drain = Effect.fnUntraced(function* (server: Server, ending: Latch.Latch) {
  yield* ending.open
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false
  })
  yield* Effect.sleep(yield* Effect.orDie(waitConfig))
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

/** Writes down how the service is called, and says that it is there. */
const announce = (server: Server, host: string, ending: Latch.Latch) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const { publicUrl } = yield* Sms
      const folder = yield* DataFolder
      const port = NetAddress.isInetAddress(address) ? address.port : 0
      const origin = `http://${host}:${port}`
      yield* folder.writeReady({
        baseUrl: `${origin}/api/v2`,
        organization: Demo.organization,
        apiKey: yield* Demo.prepare(folder.ready?.apiKey),
      })
      yield* Effect.addFinalizer(() => drain(server, ending))
      yield* Console.log(`Reports come to ${Callbacks.urlOf(publicUrl, "kannel")}`)
      yield* Console.log(`The key is in ${folder.readyFile}`)
      yield* Console.log(`kannel is ready on ${origin}`)
    }),
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const server = createServer()
    const ending = yield* Latch.make()
    const host = yield* Config.withDefault(Config.String("HOST"), "127.0.0.1")
    const port = yield* Config.withDefault(Config.Int("PORT"), 3000)
    const { adapter, publicUrl } = yield* Sms
    const routes = Layer.mergeAll(
      ready(ending),
      Http.layerRoutes(),
      Callbacks.layer({ publicUrl, adapters: [adapter] }),
    )
    return announce(server, host, ending).pipe(
      Layer.provideMerge(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })),
      Layer.provide(
        NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: "15 seconds" }),
      ),
      Layer.catchTag("ServeError", ({ cause }) =>
        Layer.effectDiscard(Effect.fail(new CannotListen({ host, port, reason: String(cause) }))),
      ),
      // Keeps the values of queries, of which Kannel's have some, out of spans.
      Layer.provide(Http.layerRequests),
    )
  }),
)
