/**
 * Runs the app until SIGTERM or SIGINT: as it is built where NODE_ENV is production, and otherwise compiled
 * while one works on it. A server of our own, and not `next start`, because the engine wants to be ended.
 */
import next from "next"
import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import { countersign } from "./engine.ts"

/** A setting that is missing ends the start, and not the first request. */
const cannotRun = (error: unknown): never => {
  console.error(`next cannot run: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
const engine = await countersign().catch(cannotRun)

const hostname = process.env["HOST"] || "127.0.0.1"
const app = next({
  dev: process.env["NODE_ENV"] !== "production",
  dir: join(import.meta.dirname, ".."),
  hostname,
})
await app.prepare()
const answer = app.getRequestHandler()
const server = createServer((request, response) => {
  // For the check of a balancer.
  if (request.url !== "/ready") return void answer(request, response)
  response.writeHead(engine.isReady() ? 200 : 503).end()
})

const close = async (): Promise<void> => {
  await engine.shutdown({ server })
  await app.close()
  await (await globalThis.sessionsOfThisProcess)?.close()
  process.exit(0)
}

// Once is enough, and Ctrl-C may come twice: from the terminal, and from what started this process.
let closing: Promise<void> | undefined
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => (closing ??= close()))

server.listen(Number(process.env["PORT"] || 3000), hostname)
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined
console.log(`next is ready on http://${hostname}:${port}`)
