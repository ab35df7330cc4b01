/**
 * The app in this process, on an engine in memory whose clock the test moves.
 */
import {
  type Channel,
  type Countersign,
  type CountersignOptions,
  createCountersign,
  createTestClock,
  developmentGateway,
  type Gateway,
  type TestClock,
} from "countersign"
import { once } from "node:events"
import { createServer } from "node:http"
import { makeApp } from "../../src/app.ts"
import { sessionCookie } from "../../src/cookie.ts"
import { inMemory } from "../../src/sessions.ts"

/** No gateway takes messages to it. */
export const switchedOff = "+8801712000099"

/** It has no WhatsApp. */
export const smsOnly = "+8801712000098"

/** Who may use the dashboard. */
export const operator = "+8801712000097"

export interface AppOptions {
  readonly engine?: Partial<CountersignOptions>
  readonly channels?: ReadonlyArray<Channel>
}

export interface App {
  readonly origin: string
  readonly clock: TestClock
  readonly countersign: Countersign
  /** The texts of the messages to a number, oldest first. */
  readonly texts: (phoneNumber: string) => ReadonlyArray<string>
  /** The code in the newest message to a number. */
  readonly code: (phoneNumber: string) => string
  readonly stop: () => Promise<void>
}

export const startApp = async ({
  channels = ["sms", "whatsapp"],
  engine,
}: AppOptions = {}): Promise<App> => {
  const clock = createTestClock()
  const phones = developmentGateway()
  const gateway: Gateway = {
    ...phones,
    isReachable: (phoneNumber) => Promise.resolve(phoneNumber === smsOnly ? "no" : "yes"),
    send: (message, options) =>
      message.phoneNumber === switchedOff
        ? Promise.resolve({ status: "rejected", message: "Refused", reason: "recipient" })
        : phones.send(message, options),
  }
  const countersign = await createCountersign({
    database: "memory",
    clock,
    secret: "a secret for tests, and for nothing else",
    gateways: { sms: gateway, whatsapp: gateway },
    log: () => {},
    ...engine,
  })
  const cookie = sessionCookie(false)
  const parts = { countersign, sessions: inMemory(), cookie, channels, now: clock.now }
  const settings = { origin: undefined, proxies: 0, operators: new Map([[operator, "olga"]]) }
  const server = createServer(makeApp(parts, settings))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : 0
  const texts: App["texts"] = (phoneNumber) =>
    phones
      .messages(phoneNumber)
      .map(({ text }) => text)
      .toReversed()
  return {
    origin: `http://127.0.0.1:${port}`,
    clock,
    countersign,
    texts,
    code: phones.latestCode,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await countersign.dispose()
    },
  }
}
