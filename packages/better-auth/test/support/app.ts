/** An app with better-auth, its engine in memory, and browsers that remember cookies. */
import { type BetterAuthOptions, betterAuth } from "better-auth"
import {
  createCountersign,
  type CountersignOptions,
  createTestClock,
  developmentGateway,
} from "countersign"
import { onTestFinished } from "vitest"
import { openDatabase } from "./database.ts"

export const origin = "http://localhost:3000"

export const phoneNumber = "+8801712345678"
export const otherNumber = "+8801812345678"

/** An engine whose gateway keeps the codes. */
export const startEngine = async (options: Partial<CountersignOptions> = {}) => {
  const gateway = developmentGateway()
  const clock = createTestClock()
  const engine = await createCountersign({
    database: "memory",
    secret: "a secret for tests, and for nothing else",
    gateways: { sms: gateway, whatsapp: gateway },
    clock,
    log: () => {},
    ...options,
  })
  onTestFinished(() => engine.dispose())
  return { clock, engine, gateway }
}

/** Checks are on, as in production: better-auth leaves them out in tests. */
export const inProduction = {
  advanced: { disableCSRFCheck: false, disableOriginCheck: false, useSecureCookies: false },
  baseURL: origin,
  secret: "a secret for better-auth, only in tests",
  logger: { level: "error" },
} as const satisfies BetterAuthOptions

/** An app with these plugins and options. */
export const startApp = async <const Options extends BetterAuthOptions>(options: Options) => {
  const { adapter, rows } = await openDatabase()
  const logged: Array<string> = []
  const auth = betterAuth({
    ...inProduction,
    ...options,
    database: adapter,
    logger: {
      level: "error",
      log: (_, message, ...details: ReadonlyArray<unknown>) => {
        logged.push([message, ...details].map(String).join(" "))
      },
    },
  })
  return { auth, browser: () => new Browser(auth.handler), logged, rows }
}

interface Call {
  readonly body?: unknown
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
}

/** What a server has answered. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const textOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body))

/** A browser, whose pages are those of the app. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #handler: (request: Request) => Promise<Response>

  constructor(handler: (request: Request) => Promise<Response>) {
    this.#handler = handler
  }

  /** `fetch` with the cookies of this browser. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    if (!request.headers.has("origin")) request.headers.set("origin", origin)
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`)
    if (cookies.length > 0) request.headers.set("cookie", cookies.join("; "))
    const response = await this.#handler(request)
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split("; ")
      const [name = "", value = ""] = pair.split("=", 2)
      if (attributes.includes("Max-Age=0")) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** A call of an endpoint: POST with a body, and else GET. */
  async call(path: string, { body, headers, method }: Call = {}): Promise<Answered> {
    const hasBody = body !== undefined
    const response = await this.fetch(`${origin}/api/auth${path}`, {
      method: method ?? (hasBody ? "POST" : "GET"),
      headers: { ...(hasBody ? { "content-type": "application/json" } : {}), ...headers },
      ...(hasBody ? { body: textOf(body) } : {}),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? {} : JSON.parse(text),
    }
  }

  /** The user who is signed in. */
  async user(): Promise<unknown> {
    return (await this.call("/get-session")).body?.["user"]
  }
}
