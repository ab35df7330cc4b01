/**
 * A mount of the admin API on every framework, as a host writes it, at `/dashboard`.
 */
import { countersignExpress } from "@countersign/express"
import { countersignFastify } from "@countersign/fastify"
import { countersignHono } from "@countersign/hono"
import { getRequestListener } from "@hono/node-server"
import type { Mount } from "countersign"
import express from "express"
import Fastify from "fastify"
import { Hono } from "hono"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"

/** Serves on loopback for one test. */
export const serving = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return {
    server,
    base: `http://127.0.0.1:${port}/dashboard`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const mounts: Readonly<
  Record<string, (admin: Mount) => RequestListener | Promise<RequestListener>>
> = {
  express: (admin) => express().use("/dashboard", countersignExpress(admin)),
  "express, with the bare listener": ({ listener }) => express().use("/dashboard", listener),
  "express behind express.json()": (admin) =>
    express().use(express.json()).use("/dashboard", countersignExpress(admin)),
  "express behind express.urlencoded()": (admin) =>
    express().use(express.urlencoded()).use("/dashboard", countersignExpress(admin)),
  fastify: async (admin) => {
    // The engine outlives the app.
    const app = Fastify().register(
      countersignFastify({ ...admin, dispose: async () => undefined }),
      { prefix: "/dashboard" },
    )
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  hono: (admin) => getRequestListener(new Hono().route("/dashboard", countersignHono(admin)).fetch),
  fetch: ({ fetch }) => getRequestListener((request) => fetch(request)),
  node: ({ listener }) => listener,
}
