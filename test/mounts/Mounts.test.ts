/**
 * What the contract does not ask of a mount: paths, and a host that has ideas of its own.
 */
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import express, { type Express } from "express"
import type { HttpBindings } from "@hono/node-server"
import type { FastifyInstance } from "fastify"
import type { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { gzipSync } from "node:zlib"
import { serveExpress, serveFastify, serveHonoApp, serveListener } from "../support/mounts.ts"
import { test } from "../support/testsOver.ts"

const mounts = {
  express: serveExpress,
  fastify: serveFastify,
  hono: serveHonoApp,
  listener: serveListener,
}
const names = ["express", "fastify", "hono", "listener"] as const

const message = { to: "8801712345678", message: "hello" }

const Document = Schema.Struct({ servers: Schema.Array(Schema.Struct({ url: Schema.String })) })
const readDocument = Schema.decodeUnknownSync(Document)

/** An engine, and requests with a key of it. */
const prepared = Effect.gen(function* () {
  const services = yield* Layer.build(TestEngine.layer())
  const { key } = yield* Effect.provideContext(TestEngine.open(), services)
  const authorization = `Bearer ${Redacted.value(key)}`
  const post = (url: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const { headers, ...rest } = init
      const response = await fetch(url, {
        method: "POST",
        body: JSON.stringify(message),
        ...rest,
        headers: { authorization, "content-type": "application/json", ...headers },
      })
      return { status: response.status, text: await response.text() }
    })
  const get = (url: string) =>
    Effect.promise(async () => {
      const response = await fetch(url)
      return { status: response.status, text: await response.text() }
    })
  return { get, post, services }
})

describe.each(names)("%s", (name) => {
  test.live("mounts below any path, which its documents name", function* () {
    const { get, post, services } = yield* prepared
    for (const path of ["/v2", "/deep/er/api/v2"]) {
      const base = yield* Effect.provideContext(mounts[name]({ path }), services)
      assert.strictEqual((yield* post(`${base}/messages`)).status, 200, path)
      const document = yield* get(`${base}/openapi.json`)
      assert.deepStrictEqual(readDocument(JSON.parse(document.text)).servers, [{ url: path }])
      assert.include((yield* get(`${base}/docs`)).text, JSON.stringify(path))
      const unknown = yield* get(`${base}/nothing`)
      assert.strictEqual(unknown.status, 404)
      assert.deepStrictEqual(Object.keys(JSON.parse(unknown.text)), ["error"])
    }
  })

  test.live("mounts below a path with a parameter of any value", function* () {
    const { get, post, services } = yield* prepared
    const path = "/tenants/:tenant/v2"
    const pattern = yield* Effect.provideContext(mounts[name]({ path }), services)
    for (const tenant of ["one", "verify", "v2", "%3Cscript%3E"]) {
      const base = pattern.replace(":tenant", tenant)
      assert.strictEqual((yield* post(`${base}/messages`)).status, 200, tenant)
      assert.notInclude((yield* get(`${base}/docs`)).text, `/${decodeURIComponent(tenant)}/v2"<`)
    }
    assert.strictEqual((yield* get(`${pattern.replace("/v2", "/v3")}/balance`)).status, 404)
  })
})

const onExpress = { express: serveExpress, "the listener on express": serveListener }

describe.each(["express", "the listener on express"] as const)("%s", (name) => {
  const serving = Effect.fnUntraced(function* (prepare: (app: Express) => void) {
    const one = yield* prepared
    const base = yield* Effect.provideContext(onExpress[name]({ prepare }), one.services)
    return { ...one, base, origin: new URL(base).origin }
  })

  const parsers: Readonly<Record<string, (app: Express) => void>> = {
    "express.json": (app) => app.use(express.json()),
    "express.text": (app) => app.use(express.text({ type: "*/*" })),
    "express.raw": (app) => app.use(express.raw({ type: "*/*" })),
    "express.urlencoded": (app) => app.use(express.urlencoded()),
    "all of them": (app) => app.use(express.urlencoded(), express.json(), express.raw()),
  }

  test.live.each(Object.keys(parsers))("accepts a body that %s has read", function* (parser) {
    const { base, post } = yield* serving(parsers[parser] ?? assert.fail())
    assert.strictEqual((yield* post(`${base}/messages`)).status, 200)
    const lacking = yield* post(`${base}/messages`, { body: "{}" })
    assert.strictEqual(lacking.status, 422)
    assert.deepStrictEqual(Object.keys(JSON.parse(lacking.text).details), ["to", "message"])
    const list = yield* post(`${base}/messages`, { body: "[]" })
    assert.strictEqual(list.status, 422)
    const plain = yield* post(`${base}/messages`, { headers: { "content-type": "text/plain" } })
    assert.strictEqual(plain.status, 415)
    const long = JSON.stringify({ ...message, message: "x".repeat(70_000) })
    assert.strictEqual((yield* post(`${base}/messages`, { body: long })).status, 413)
  })

  test.live("accepts a body that express.json has decompressed", function* () {
    const { base, post } = yield* serving((app) => app.use(express.json()))
    const body = new Uint8Array(gzipSync(JSON.stringify(message)))
    const headers = { "content-encoding": "gzip" }
    assert.strictEqual((yield* post(`${base}/messages`, { body, headers })).status, 200)
  })

  test.live("leaves the host's own routes and refusals alone", function* () {
    const { base, get, origin, post } = yield* serving((app) => {
      app.use(express.json())
      app.get("/api/v2/own", (_, response) => void response.send("mine"))
      app.get("/", (_, response) => void response.send("home"))
    })
    assert.strictEqual((yield* get(`${origin}/`)).text, "home")
    assert.strictEqual((yield* get(`${base}/own`)).text, "mine")
    assert.strictEqual((yield* post(`${base}/messages`, { body: "{" })).status, 400)
  })
})

describe("the listener", () => {
  test.live("answers at its own base path if Express mounts it at the root", function* () {
    const { post, services } = yield* prepared
    const base = yield* Effect.provideContext(serveListener({ path: "/" }), services)
    assert.strictEqual((yield* post(`${base}api/v2/messages`)).status, 200)
  })
})

describe("a fetch handler", () => {
  test.live("answers only if the URL begins with the base path", function* () {
    const { services } = yield* prepared
    const { dispose, fetch, handle } = Http.toWebHandler(Layer.succeedContext(services))
    const request = (path: string) => new Request(`http://example.com${path}`)
    const rows = [
      ["/api/v2/balance", undefined, 401],
      ["/otp/balance", undefined, 404],
      ["/otp/balance", "/otp", 401],
      ["/api/v2/balance", "/otp", 404],
      // Of a framework that has removed its own path.
      ["/balance", "", 401],
      ["/balance", undefined, 404],
    ] as const
    for (const [path, basePath, status] of rows) {
      const answer =
        basePath === undefined ? fetch(request(path)) : handle(request(path), { basePath })
      const response = yield* Effect.promise(() => answer)
      assert.strictEqual(response.status, status, `${path} at ${basePath}`)
    }
    yield* Effect.promise(dispose)
  })
})

describe("fastify", () => {
  test.live("bypasses the host's parsers, and keeps its hooks and routes", function* () {
    const { get, post, services } = yield* prepared
    const seen: Array<string> = []
    const prepare = (app: FastifyInstance): void => {
      app.addHook("preHandler", async ({ url }) => void seen.push(url))
      app.post("/own", async ({ body }) => ({ body }))
      app.addContentTypeParser("text/own", { parseAs: "string" }, (_, body, done) =>
        done(null, body),
      )
    }
    const base = yield* Effect.provideContext(serveFastify({ prepare }), services)
    const { origin } = new URL(base)
    assert.strictEqual((yield* post(`${base}/messages`)).status, 200)
    const own = yield* post(`${origin}/own`)
    assert.deepStrictEqual(JSON.parse(own.text), { body: message })
    assert.strictEqual((yield* get(base)).status, 404)
    assert.deepStrictEqual(seen.slice(0, 2), ["/api/v2/messages", "/own"])
  })
})

describe("hono", () => {
  test.live(
    "accepts a body that the host has read, and leaves the host's routes alone",
    function* () {
      const { get, post, services } = yield* prepared
      const seen: Array<unknown> = []
      const prepare = (app: Hono<{ Bindings: HttpBindings }>): void => {
        app.use("/api/*", bodyLimit({ maxSize: 1_000_000 }))
        app.use("/api/*", async (context, next) => {
          if (context.req.method === "POST") seen.push(await context.req.json())
          await next()
        })
        app.get("/api/v2/own", (context) => context.text("mine"))
      }
      const base = yield* Effect.provideContext(serveHonoApp({ prepare }), services)
      assert.strictEqual((yield* post(`${base}/messages`)).status, 200)
      assert.deepStrictEqual(seen, [message])
      assert.strictEqual((yield* get(`${base}/own`)).text, "mine")
    },
  )
})
