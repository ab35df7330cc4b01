import {
  type Countersign,
  type CountersignOptions,
  createCountersign,
  createTestClock,
  developmentGateway,
} from "countersign"
import { createServer } from "node:http"
import { onTestFinished } from "vitest"
import type { Hook } from "../../src/index.ts"

export const phoneNumber = "+8801712345678"

/** An engine in memory that the end of the test disposes of, and what has been sent. */
export const host = async (options: Partial<CountersignOptions> = {}) => {
  const gateway = developmentGateway()
  const clock = createTestClock()
  const engine: Countersign = await createCountersign({
    database: "memory",
    gateways: [gateway],
    clock,
    log: () => {},
    ...options,
  })
  onTestFinished(() => engine.dispose())
  const sent = (): ReadonlyArray<string> =>
    gateway
      .messages()
      .map((message) => `${message.phoneNumber} ${message.text}`)
      .toReversed()
  return { clock, engine, gateway, sent }
}

/** Serves a hook on loopback until the test ends. */
export const serve = async (listener: Hook["listener"]) => {
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { stop, url: `http://127.0.0.1:${port}/hooks/sms` }
}

export interface Answered {
  readonly status: number
  readonly body: unknown
}

/** Posts a body to a hook, as a mount passes it on. */
export const post = async (
  hook: Hook,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> => {
  const response = await hook.fetch(
    new Request("https://example.com/hooks/sms", {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    }),
  )
  return { status: response.status, body: await response.json() }
}

export const token = "a token for tests, and only for tests"

export const bearer = { authorization: `Bearer ${token}` }
