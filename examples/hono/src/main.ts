/**
 * Runs the app on Node until SIGTERM or SIGINT. On another runtime this file is the one to replace.
 */
import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { CountersignError } from "countersign"
import { once } from "node:events"
import { Server } from "node:http"
import { makeApp } from "./app.ts"
import { startEngine } from "./engine.ts"

/** One sentence without a stack: the operator needs to know which setting is missing. */
const cannotRun = (error: unknown): never => {
  console.error(`hono cannot run: ${error instanceof CountersignError ? error.message : error}`)
  process.exit(1)
}

const countersign = await startEngine().catch(cannotRun)
const app = makeApp({
  countersign,
  clientAddress: (context) => getConnInfo(context).remote.address,
})

const hostname = process.env["HOST"] || "127.0.0.1"
const server = serve({ fetch: app.fetch, hostname, port: Number(process.env["PORT"] || 3000) })

/** A connection whose last request is answered while the server stops would stay for its keep-alive. */
const closeWhenIdle = (): void => {
  if (server instanceof Server) server.closeIdleConnections()
}

const close = async (): Promise<void> => {
  countersign.endStreams()
  server.close()
  const sweep = setInterval(closeWhenIdle, 50)
  await once(server, "close")
  clearInterval(sweep)
  // Last, since requests need it to the end.
  await countersign.dispose()
}

// Once is enough, and Ctrl-C may come twice: from the terminal, and from what started this process.
let closing: Promise<void> | undefined
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => (closing ??= close()))

await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined
console.log(`hono is ready on http://${hostname}:${port}`)
