/**
 * A login over an engine in memory, and browsers that keep its cookies. Every answer is compared with the document.
 */
import * as TestEngine from "@countersign/testing/TestEngine"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Cookies from "effect/http/Cookies"
import { fromWeb, HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import * as Login from "../../src/login/Login.ts"
import { LoginApi } from "../../src/login/LoginApi.ts"
import * as Bodies from "../../src/login/LoginBodies.ts"
import * as RequestContext from "../../src/mount/RequestContext.ts"
import type * as WebHandler from "../../src/mount/WebHandler.ts"

export const own = "+8801712345678"
export const other = "+8801812345678"

const { paths } = OpenApi.fromApi(LoginApi)

const readAnswer = Schema.decodeUnknownOption(
  Schema.toCodecJson(Schema.Union([Bodies.Waiting, Bodies.Idle])),
)

const isProblem = Schema.is(Bodies.Problem)

/** Fails if the document has no such answer. */
const expectDocumented = (path: string, method: string, { body, status }: Answer): void => {
  const found = paths[path]?.[method === "POST" ? "post" : "get"]
  if (found === undefined || status === 405 || method === "OPTIONS") return
  assert.property(found.responses, String(status), `${method} ${path}`)
  if (status >= 400) assert.isTrue(isProblem(body), `${path}: ${JSON.stringify(body)}`)
  else if (path !== "/check") {
    assert.isTrue(Option.isSome(readAnswer(body)), `${path}: ${JSON.stringify(body)}`)
  }
}

export interface Call {
  readonly method?: string | undefined
  /** Sent as JSON, unless it is text already. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body that a parser of the host has read. */
  readonly parsed?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Where the pages of the host are. */
export const host = "https://app.test"

/** A browser, which keeps cookies. */
export const browserAt = (handler: WebHandler.Handler, peer = "203.0.113.7", base = host) => {
  const jar = new Map<string, string>()
  const call = Effect.fnUntraced(function* (path: string, given: Call = {}) {
    const { body, headers = {}, method = body === undefined ? "GET" : "POST" } = given
    const request = new Request(`${base}/login${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(jar.size === 0
          ? {}
          : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    RequestContext.attach(request, { body: given.parsed })
    const served = fromWeb(request).modify({ remoteAddress: Option.some(peer) })
    const response = yield* handler.pipe(
      Effect.provideService(HttpServerRequest, served),
      Effect.scoped,
    )
    const web = HttpServerResponse.toWeb(response)
    const text = yield* Effect.promise(() => web.text())
    for (const cookie of Object.values(Cookies.fromSetCookie(web.headers.getSetCookie()).cookies)) {
      if (cookie.value === "") jar.delete(cookie.name)
      else jar.set(cookie.name, cookie.valueEncoded)
    }
    const answer: Answer = { status: web.status, headers: web.headers, body: parsed(text) }
    expectDocumented(path, method, answer)
    return answer
  })
  return {
    jar,
    call,
    start: (phoneNumber: string) => call("/start", { body: { phoneNumber } }),
    check: (code: string, more: object = {}) => call("/check", { body: { code, ...more } }),
  }
}

/** A login of an organization, and the numbers that it has signed in. */
export const serve = Effect.fnUntraced(function* (
  options: Partial<Login.Options> & { readonly id?: string } = {},
) {
  const { organization } = yield* TestEngine.open({ id: options.id })
  return yield* serveFor(organization, options)
})

/** The same for an organization that exists. */
export const serveFor = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { id: _, ...options }: Partial<Login.Options> & { readonly id?: string } = {},
) {
  const verified: Array<Login.VerifiedLogin> = []
  const handler = yield* Login.make({
    organization,
    country: "BD",
    onVerified: (one) =>
      Effect.sync(() => {
        verified.push(one)
        return HttpServerResponse.setCookieUnsafe(
          HttpServerResponse.jsonUnsafe({ user: one.phoneNumber }),
          "session",
          "of-the-host",
        )
      }),
    ...options,
  })
  return { organization, handler, verified, browser: browserAt(handler) }
})

/** The texts that a number has got, newest first. */
export const textsTo = (phoneNumber: string) =>
  SimulatedGateway.use((gateway) =>
    Effect.map(gateway.journal(phoneNumber), (all) => all.map(({ text }) => text)),
  )

export const codeTo = TestEngine.latestCode

/** A code that is not the right one. */
export const wrongFor = (code: string): string =>
  code.replace(/^\d/, (digit) => `${9 - Number(digit)}`)

/** The cookie of the login in an answer. */
export const cookieIn = ({ headers }: Answer): string =>
  headers.getSetCookie().find((one) => one.includes("countersign-")) ?? "none"
