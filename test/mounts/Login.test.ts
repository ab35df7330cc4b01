/**
 * A login on every framework, as a host writes it, and on two nodes over one database.
 */
import { countersignExpress } from "@countersign/express"
import {
  createCountersign,
  type CountersignOptions,
  developmentGateway,
  type LoginOptions,
  type Mount,
} from "countersign"
import { createLogin, incomingMessageOf } from "countersign/login"
import { getRequestListener } from "@hono/node-server"
import express, { type Request as ExpressRequest } from "express"
import session from "express-session"
import type { IncomingMessage, RequestListener } from "node:http"
import { afterAll, assert, describe, it } from "vitest"
import { mountsAt, quietEngine, serving } from "../support/adminMounts.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"

const gateway = developmentGateway(() => undefined)

const countersign = await quietEngine({ gateways: [gateway] })
afterAll(() => countersign.dispose())

let numbers = 0

/** A number that no other test has. */
const phone = (): string => `+88017${String(12_000_000 + ++numbers)}`

/** A browser, which keeps cookies. */
const browsing = (base: string) => {
  const jar = new Map<string, string>()
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    const text = await response.text()
    const answer: unknown = text === "" ? undefined : JSON.parse(text)
    return { status: response.status, body: answer }
  }
  return { call, jar }
}

const path = "/account/sign-in"

type Serve = (login: Mount) => RequestListener | Promise<RequestListener>

const mounts: Readonly<Record<string, Serve>> = {
  ...mountsAt(path),
  fetch: ({ handle }) =>
    getRequestListener((request) => handle(request, { clientAddress: "203.0.113.7" })),
  node: ({ listener }) => listener,
}

const options: LoginOptions = {
  country: "BD",
  basePath: path,
  onVerified: ({ phoneNumber }, request) =>
    Response.json(
      { phoneNumber, path: new URL(request.url).pathname },
      { headers: { "set-cookie": "session=1; HttpOnly" } },
    ),
}

describe("the login", () => {
  it.each(Object.entries(mounts))("signs in on %s", async (_, mount) => {
    using server = await serving(await mount(createLogin(countersign, options)))
    const { call, jar } = browsing(new URL(path, server.base).href)
    const phoneNumber = phone()
    const started = await call("/start", { phoneNumber: `0${phoneNumber.slice(4)}` })
    assert.deepInclude(started.body, { status: "waiting", phoneNumber })
    assert.deepInclude((await call("/state")).body, { attemptsRemaining: 3 })
    assert.strictEqual((await call("/check", { code: "wrong" })).status, 400)
    assert.strictEqual((await call("/check", {})).status, 400)
    const large = { code: "1".repeat(20_000) }
    assert.deepInclude(await call("/check", large), { status: 413 })
    const code = gateway.latestCode(phoneNumber)
    assert.deepStrictEqual(await call("/check", { code, phoneNumber }), {
      status: 200,
      body: { phoneNumber, path: `${path}/check` },
    })
    assert.deepStrictEqual([...jar], [["session", "1"]])
    assert.strictEqual((await call("/check", { code })).status, 404)
    assert.deepStrictEqual((await call("/cancel", {})).body, { status: "idle" })
    assert.deepStrictEqual(Object((await call("/openapi.json")).body).servers, [{ url: path }])
  })

  it("gives the session of Express a new id, and the host reads it from Node's request", async () => {
    const isExpress = (request: IncomingMessage): request is ExpressRequest => "session" in request
    const login = createLogin(countersign, {
      onVerified: async ({ phoneNumber }, request) => {
        const incoming = incomingMessageOf(request)
        assert(isExpress(incoming), "is the request of Express")
        const { promise, reject, resolve } = Promise.withResolvers<void>()
        incoming.session.regenerate((error: unknown) => (error ? reject(error) : resolve()))
        await promise
        Object.assign(incoming.session, { phoneNumber })
        return new Response(null, { status: 204 })
      },
    })
    const app = express()
      .use(session({ secret: "of a test", resave: false, saveUninitialized: true }))
      .use(express.json())
      .use("/login", countersignExpress(login))
      .get("/me", (request, response) => {
        response.json({ signedIn: Object(request.session).phoneNumber ?? null })
      })
    using server = await serving(app)
    const { origin } = new URL(server.base)
    const { call, jar } = browsing(origin)
    const phoneNumber = phone()
    await call("/login/start", { phoneNumber })
    const before = jar.get("connect.sid")
    assert.deepStrictEqual((await call("/me")).body, { signedIn: null })
    const code = gateway.latestCode(phoneNumber)
    assert.strictEqual((await call("/login/check", { code })).status, 204)
    assert.deepStrictEqual((await call("/me")).body, { signedIn: phoneNumber })
    assert.deepStrictEqual([...jar.keys()], ["connect.sid"])
    assert.notStrictEqual(jar.get("connect.sid"), before)
  })
})

describe("two nodes on one PostgreSQL", () => {
  const database = temporaryDatabases()

  it("accept each other's cookies, and a race for one code signs in once", async () => {
    const settings: CountersignOptions = {
      database: await database(),
      secret: "a secret for tests, and only for tests",
      gateways: [gateway],
      log: () => undefined,
    }
    const verified: Array<string> = []
    const nodes = [await createCountersign(settings), await createCountersign(settings)]
    const fetches = nodes.map(
      (node) =>
        createLogin(node, {
          onVerified: ({ phoneNumber }) => {
            verified.push(phoneNumber)
            return Response.json({})
          },
        }).fetch,
    )
    const post = (node: number, to: string, body: object, cookie = "") =>
      fetches[node]?.(
        new Request(`https://app.test/login${to}`, {
          method: "POST",
          headers: { "content-type": "application/json", cookie },
          body: JSON.stringify(body),
        }),
      ) ?? assert.fail("no such node")
    const phoneNumber = phone()
    const started = await post(0, "/start", { phoneNumber })
    const [cookie = ""] = started.headers.getSetCookie()
    const own = cookie.split(";", 1)[0]
    const again = await post(1, "/start", { phoneNumber }, own)
    assert.deepStrictEqual([again.status, gateway.messages(phoneNumber).length], [200, 1])
    const code = gateway.latestCode(phoneNumber)
    const tabs = await Promise.all(
      Array.from({ length: 8 }, (_, at) => post(at % 2, "/check", { code }, own)),
    )
    assert.deepStrictEqual(verified, [phoneNumber])
    assert.deepStrictEqual(
      tabs.map(({ status }) => status).toSorted(),
      [200, 409, 409, 409, 409, 409, 409, 409],
    )
    await Promise.all(nodes.map((node) => node.dispose()))
  })
})
