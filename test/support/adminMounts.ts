/**
 * A mount of the admin API on every framework, as a host writes it, at `/dashboard`.
 */
import { countersignExpress } from "@countersign/express"
import { countersignFastify } from "@countersign/fastify"
import { countersignHono } from "@countersign/hono"
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import {
  createCountersign,
  type CountersignOptions,
  developmentGateway,
  type Mount,
} from "countersign"
import express from "express"
import Fastify from "fastify"
import { Hono } from "hono"
import { createServer, type RequestListener } from "node:http"
import { end, listen } from "./loopback.ts"

/** Serves on loopback for one test. */
export const serving = async (listener: RequestListener) => {
  const server = createServer(listener)
  const port = await listen(server)
  return {
    server,
    base: `http://127.0.0.1:${port}/dashboard`,
    [Symbol.dispose]: () => end(server),
  }
}

/** An engine in memory that prints nothing. */
export const quietEngine = (options: CountersignOptions = {}) =>
  createCountersign({
    database: "memory",
    gateways: { sms: developmentGateway(() => undefined) },
    log: () => undefined,
    ...options,
  })

type Mountable = Pick<Mount, "dispose" | "handle" | "listener">

/** How hosts mount anything of the engine on the frameworks that have a package. */
export const mountsAt = (path: string) => ({
  express: (mount: Mountable) => express().use(path, countersignExpress(mount)),
  "express, with the bare listener": ({ listener }: Mountable) => express().use(path, listener),
  "express behind express.json()": (mount: Mountable) =>
    express().use(express.json()).use(path, countersignExpress(mount)),
  fastify: async (mount: Mountable): Promise<RequestListener> => {
    // The engine outlives the app.
    const app = Fastify().register(
      countersignFastify({ ...mount, dispose: async () => undefined }),
      { prefix: path },
    )
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  hono: (mount: Mountable) => {
    const clientAddress = ({ env }: { readonly env: HttpBindings }): string | undefined =>
      env.incoming.socket.remoteAddress
    const app = new Hono<{ Bindings: HttpBindings }>()
    return getRequestListener(app.route(path, countersignHono(mount, { clientAddress })).fetch)
  },
})

export const mounts: Readonly<
  Record<string, (admin: Mount) => RequestListener | Promise<RequestListener>>
> = {
  ...mountsAt("/dashboard"),
  "express behind express.urlencoded()": (admin) =>
    express().use(express.urlencoded()).use("/dashboard", countersignExpress(admin)),
  fetch: ({ fetch }) => getRequestListener((request) => fetch(request)),
  node: ({ listener }) => listener,
}
