/**
 * Starts the app, and ends it at SIGTERM or SIGINT once pending requests are done.
 */
import { CountersignError } from "countersign"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { makeApp } from "./app.ts"
import { sessionCookie } from "./cookie.ts"
import { channels, startEngine } from "./engine.ts"
import { inMemory, inPostgres } from "./sessions.ts"
import { readSettings } from "./settings.ts"

const listen = async (server: Server, port: number, host: string): Promise<string> => {
  server.listen(port, host)
  await once(server, "listening")
  const address = server.address()
  return `http://${host}:${typeof address === "object" ? address?.port : port}`
}

/** Ctrl-C may come twice, from the terminal and from what started this process: once is enough. */
const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve())
  })

const start = async (): Promise<void> => {
  const settings = readSettings()
  const countersign = await startEngine(settings)
  const { databaseUrl, host, isProduction, port } = settings
  const sessions = databaseUrl === undefined ? inMemory() : await inPostgres(databaseUrl)
  const parts = {
    countersign,
    sessions,
    cookie: sessionCookie(isProduction),
    channels: channels(),
    now: () => new Date(),
  }
  const server = createServer(makeApp(parts, settings))

  // Listens for signals before it reports that the app is ready.
  const stopping = untilSignal()
  console.log(`express-postgres is ready on ${await listen(server, port, host)}`)

  await stopping
  await countersign.shutdown({ server })
  await sessions.close()
}

start().catch((error: unknown) => {
  const why = error instanceof CountersignError ? `${error.code}: ${error.message}` : error
  console.error("The app cannot run:", why)
  process.exit(1)
})
