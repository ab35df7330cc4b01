/**
 * Every way in which this repository mounts the interface, on a server of the host's on loopback.
 */
import { countersignExpress } from "@countersign/express"
import { countersignFastify } from "@countersign/fastify"
import { countersignHono } from "@countersign/hono"
import type * as Engine from "@countersign/core/Engine"
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as Node from "@countersign/node/Node"
import type * as HttpContract from "@countersign/testing/HttpContract"
import { type HttpBindings, serve as serveHono } from "@hono/node-server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import express, { type Express } from "express"
import Fastify, { type FastifyInstance } from "fastify"
import { Hono } from "hono"
import { createServer, type Server } from "node:http"
import { serveFetch } from "./fetchServer.ts"
import * as Loopback from "./loopback.ts"

/** Serves until the scope ends; gives the origin. */
export const listening = (server: Server): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(Loopback.listening(server), (port) => `http://127.0.0.1:${port}`)

export const nodeHandler = Effect.fnUntraced(function* (options: HttpContract.MountOptions) {
  const engine = yield* Effect.context<Engine.Engine>()
  return yield* Effect.acquireRelease(
    Effect.sync(() => Node.toNodeHandler(Layer.succeedContext(engine), options)),
    ({ dispose }) => Effect.promise(dispose),
  )
})

export const webHandler = Effect.fnUntraced(function* (options: HttpContract.MountOptions) {
  const engine = yield* Effect.context<Engine.Engine>()
  return yield* Effect.acquireRelease(
    Effect.sync(() => Http.toWebHandler(Layer.succeedContext(engine), options)),
    ({ dispose }) => Effect.promise(dispose),
  )
})

/** What the host does to its app before the mount gets its turn. */
export interface HostOptions<App> extends HttpContract.MountOptions {
  readonly prepare?: ((app: App) => void) | undefined
  /** The base path; `/api/v2` by default. */
  readonly path?: string | undefined
}

export const serveExpress = Effect.fnUntraced(function* ({
  path = "/api/v2",
  prepare,
  ...options
}: HostOptions<Express>) {
  const app = express()
  prepare?.(app)
  app.use(path, countersignExpress(yield* nodeHandler(options)))
  return `${yield* listening(createServer(app))}${path}`
})

/** The bare listener, as hosts mount it that hand over Express's own objects: NestJS above all. */
export const serveListener = Effect.fnUntraced(function* ({
  path = "/api/v2",
  prepare,
  ...options
}: HostOptions<Express>) {
  const app = express()
  prepare?.(app)
  const { listener } = yield* nodeHandler(options)
  app.use(path, listener)
  return `${yield* listening(createServer(app))}${path}`
})

export const serveFastify = Effect.fnUntraced(function* ({
  path = "/api/v2",
  prepare,
  ...options
}: HostOptions<FastifyInstance>) {
  const handler = yield* nodeHandler(options)
  const app = yield* Effect.acquireRelease(
    Effect.sync(() => Fastify({ forceCloseConnections: true })),
    (app) => Effect.promise(() => app.close()),
  )
  prepare?.(app)
  app.register(countersignFastify(handler), { prefix: path })
  const origin = yield* Effect.promise(() => app.listen({ port: 0, host: "127.0.0.1" }))
  return `${origin}${path}`
})

export const serveHonoApp = Effect.fnUntraced(function* ({
  path = "/api/v2",
  prepare,
  ...options
}: HostOptions<Hono<{ Bindings: HttpBindings }>>) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  prepare?.(app)
  const clientAddress = ({ env }: { readonly env: HttpBindings }): string | undefined =>
    env.incoming.socket.remoteAddress
  app.route(path, countersignHono(yield* webHandler(options), { clientAddress }))
  const origin = yield* Effect.acquireRelease(
    Effect.callback<{ readonly server: ReturnType<typeof serveHono>; readonly origin: string }>(
      (resume) => {
        const server = serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (info) =>
          resume(Effect.succeed({ server, origin: `http://127.0.0.1:${info.port}` })),
        )
      },
    ),
    ({ server }) => Effect.sync(() => server.close()),
  )
  return `${origin.origin}${path}`
})

const serveWeb = Effect.fnUntraced(function* (options: HttpContract.MountOptions) {
  const { handle } = yield* webHandler(options)
  const origin = yield* serveFetch((request, clientAddress) => handle(request, { clientAddress }))
  return `${origin}/api/v2`
})

const serveNode = Effect.fnUntraced(function* (options: HttpContract.MountOptions) {
  const server = yield* Layer.build(Node.layerServer({ port: 0, ...options }))
  return `${Context.get(server, Node.NodeServer).origin}/api/v2`
})

/** By the name of the package that brings the mount. Frameworks without a package of ours are in `test/release`. */
export const mounts = {
  express: serveExpress,
  fastify: serveFastify,
  hono: serveHonoApp,
  http: serveWeb,
  listener: serveListener,
  node: serveNode,
} satisfies Record<string, HttpContract.Serve<unknown>>

export type MountName = keyof typeof mounts
