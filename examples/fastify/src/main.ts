/**
 * Starts the app, and closes it at SIGTERM or SIGINT.
 */
import { CountersignError } from "countersign"
import { makeApp } from "./app.ts"
import { startEngine } from "./engine.ts"

/** One sentence without a stack: the operator needs to know which setting is missing. */
const cannotRun = (error: unknown): never => {
  console.error(`fastify cannot run: ${error instanceof CountersignError ? error.message : error}`)
  process.exit(1)
}

const app = makeApp(await startEngine().catch(cannotRun))

// Once is enough, and Ctrl-C may come twice: from the terminal, and from what started this process.
const close = async (): Promise<void> => {
  // A connection whose last request is answered meanwhile would stay for its keep-alive.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close()
  clearInterval(sweep)
}
let closing: Promise<void> | undefined
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => (closing ??= close()))

const origin = await app.listen({
  port: Number(process.env["PORT"] ?? 3000),
  host: process.env["HOST"] ?? "127.0.0.1",
})
console.log(`fastify is ready on ${origin}`)
