/**
 * Runs the app on Node until SIGTERM or SIGINT. On another runtime this file is the one to replace.
 */
import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { CountersignError } from "countersign"
import { once } from "node:events"
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

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  // Ctrl-C may come twice: from the terminal, and from what started this process.
  process.on(signal, () => countersign.shutdown({ server }))
}

await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined
console.log(`hono is ready on http://${hostname}:${port}`)
