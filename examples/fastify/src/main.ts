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

const countersign = await startEngine().catch(cannotRun)
const app = makeApp(countersign)

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  // Ctrl-C may come twice: from the terminal, and from what started this process.
  process.on(signal, () => countersign.shutdown({ server: app }))
}

const origin = await app.listen({
  port: Number(process.env["PORT"] ?? 3000),
  host: process.env["HOST"] ?? "127.0.0.1",
})
console.log(`fastify is ready on ${origin}`)
