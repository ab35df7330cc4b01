/**
 * The admin API and the pages of a dashboard on every framework, as a host writes it.
 */
import { type AdminOptions, ConfigurationError, DisposedError } from "countersign"
import { countersignFastify } from "@countersign/fastify"
import Fastify from "fastify"
import { once } from "node:events"
import { get, IncomingMessage, request } from "node:http"
import { afterAll, assert, describe, it } from "vitest"
import { mounts, quietEngine, serving } from "../support/adminMounts.ts"

const page = { status: 200, headers: { "content-type": "text/html", "cache-control": "no-cache" } }

const asset = {
  status: 200,
  headers: { "content-type": "text/css", "cache-control": "public, max-age=31536000, immutable" },
}

const options: AdminOptions = {
  basePath: "/dashboard",
  authorize: ({ headers }, source) => {
    assert.isTrue(source instanceof Request || source instanceof IncomingMessage)
    return headers.get("authorization") === "secret"
      ? { actor: { id: "olga" }, roles: ["operator"] }
      : undefined
  },
  pages: {
    file: async (path) => {
      if (path === "/style-1.css") return { ...asset, body: "a{}" }
      return path === "/" || path === "/messages/7" ? { ...page, body: `<p>${path}` } : undefined
    },
    isPublic: (path) => path.endsWith(".css"),
  },
}

const authorization = "secret"

/** Opens a stream of events on a connection of its own. */
const follow = async (base: string): Promise<IncomingMessage> => {
  const path = `${base}/api/organizations/default/events/stream`
  const sent = get(path, { agent: false, headers: { authorization } })
  const [answer] = await once(sent, "response")
  assert.instanceOf(answer, IncomingMessage)
  return answer
}

const countersign = await quietEngine()
afterAll(() => countersign.dispose())

describe("the admin API", () => {
  it.each(Object.entries(mounts))("is served below its prefix on %s", async (_, mount) => {
    using server = await serving(await mount(countersign.admin(options)))
    const api = `${server.base}/api/organizations/default`
    const read = await fetch(`${api}/balance`, { headers: { authorization } })
    assert.deepStrictEqual(
      [read.status, await read.json()],
      [200, { balance: "0.00", held: "0.00", currency: "BDT" }],
    )
    const changed = await fetch(api, {
      method: "PATCH",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name: "ঢাকা" }),
    })
    assert.include(await changed.json(), { name: "ঢাকা" })
    const removed = await fetch(`${api}/webhooks/whk_1`, {
      method: "DELETE",
      headers: { authorization },
    })
    assert.strictEqual(removed.status, 404)
    assert.strictEqual((await fetch(`${api}/balance`)).status, 401)
    const { items: entries } = await countersign.audit.list({ limit: 1 })
    assert.strictEqual(entries[0]?.actor, "olga")
  })

  it.each(["user:word@admin.test", "user@", "a b", ""])(
    "authorizes a request whose Host is %j",
    async (host) => {
      using server = await serving(countersign.admin(options).listener)
      const sent = get(`${server.base}/api/session`, { headers: { authorization, host } })
      const [answer] = await once(sent, "response")
      assert.instanceOf(answer, IncomingMessage)
      answer.resume()
      assert.strictEqual(answer.statusCode, 200)
    },
  )

  it("answers only at the paths of its document", async () => {
    using server = await serving(countersign.admin(options).listener)
    const { port } = new URL(server.base)
    const of = "/organizations/default"
    for (const path of [
      `${of}/webhooks/..`,
      `${of}/webhooks/%2e%2e`,
      `/x/..${of}`,
      `/.${of}`,
      `${of};x=1/webhooks`,
      `${of}#/webhooks`,
      `/${of}`,
      `${of}/`,
    ]) {
      const sent = request({
        port,
        path: `/dashboard/api${path}`,
        method: "PATCH",
        headers: { authorization, "content-type": "application/json" },
      })
      sent.end("{}")
      const [answer] = await once(sent, "response")
      assert.instanceOf(answer, IncomingMessage)
      answer.resume()
      assert.strictEqual(answer.statusCode, 404, path)
    }
  })

  it.each(Object.entries(mounts))("has pages beside it on %s", async (_, mount) => {
    using server = await serving(await mount(countersign.admin(options)))
    const at = (path: string, headers = {}) =>
      fetch(`${server.base}${path}`, { headers, redirect: "manual" })
    const moved = await at("?a=1")
    assert.strictEqual(moved.status, 308)
    assert.strictEqual(moved.headers.get("location"), "./dashboard/?a=1")
    for (const path of ["/", "/messages/7"]) {
      assert.strictEqual((await at(path)).status, 401)
      const found = await at(path, { authorization })
      assert.strictEqual(await found.text(), `<p>${path}`)
      assert.strictEqual(found.headers.get("cache-control"), "no-cache")
      const policy = found.headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self'")
      assert.include(policy, "frame-ancestors 'none'; require-trusted-types-for 'script'")
      assert.notInclude(policy, "unsafe")
      assert.strictEqual(found.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(found.headers.get("referrer-policy"), "no-referrer")
    }
    const style = await at("/style-1.css")
    assert.deepStrictEqual(
      [style.status, style.headers.get("cache-control"), await style.text()],
      [200, asset.headers["cache-control"], "a{}"],
    )
    assert.strictEqual((await at("/style-2.css")).status, 404)
    assert.strictEqual((await at("/none", { authorization })).status, 404)
    const post = await fetch(`${server.base}/`, { method: "POST", headers: { authorization } })
    assert.strictEqual(post.status, 405)
    assert.strictEqual((await fetch(`${server.base}ed`)).status, 404)
  })

  it.each(Object.entries(mounts))("streams events on %s", async (_, mount) => {
    using server = await serving(await mount(countersign.admin(options)))
    const stop = new AbortController()
    const { body } = await fetch(`${server.base}/api/organizations/default/events/stream?after=0`, {
      headers: { authorization },
      signal: stop.signal,
    })
    let text = ""
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes("}\n\n")) break
    }
    assert.match(text, /^id: 1$/m)
    assert.match(text, /^data: \{.*"at":"\d{4}-.*\}$/m)
    stop.abort()
  })

  it.each(Object.entries(mounts))("lets a server close on %s", async (_, mount) => {
    await using own = await quietEngine()
    using served = await serving(await mount(own.admin(options)))
    const { base, server } = served
    const events = await follow(base)
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    own.endStreams()
    events.resume()
    await Promise.all([once(events, "end"), closed])
  })

  it("lets a Fastify app close", async () => {
    await using own = await quietEngine()
    const app = Fastify().register(countersignFastify(own.admin(options)), { prefix: "/dashboard" })
    const events = await follow(`${await app.listen()}/dashboard`)
    events.resume()
    await Promise.all([once(events, "end"), app.close()])
    assert.throws(() => own.admin(options), DisposedError)
  })

  it("refuses streams once the server stops", async () => {
    await using own = await quietEngine()
    own.endStreams()
    using server = await serving(own.admin(options).listener)
    const events = await follow(server.base)
    assert.deepStrictEqual([events.statusCode, events.headers["retry-after"]], [503, "5"])
    const read = await fetch(`${server.base}/api/session`, { headers: { authorization } })
    assert.strictEqual(read.status, 200)
  })

  it("is not made without authorize", () => {
    assert.throws(() => countersign.admin({}), ConfigurationError, "admin.authorize")
    const misspelled = { ...options, path: "/" }
    assert.throws(() => countersign.admin(misspelled), ConfigurationError, "admin.path")
  })

  it("ends its streams, and answers what is under way, when the engine ends", async () => {
    await using own = await quietEngine()
    const admin = own.admin(options)
    using server = await serving(admin.listener)
    const path = "/api/organizations/default/events/stream"
    const overNode = await fetch(`${server.base}${path}`, { headers: { authorization } })
    const overFetch = await admin.fetch(
      new Request(`http://admin.test/dashboard${path}`, { headers: { authorization } }),
    )
    // Waits for both at once: a stream that is cut before this test looks at it would be an unhandled rejection.
    const streams = Promise.allSettled([overNode.text(), overFetch.text()])
    const waiting = Promise.withResolvers<void>()
    const slow = own.admin({
      ...options,
      authorize: async () => {
        await waiting.promise
        return { actor: { id: "slow" }, roles: ["viewer"] }
      },
    })
    const answer = slow.fetch(
      new Request("http://admin.test/dashboard/api/organizations/default/balance"),
    )
    const disposed = own.dispose()
    waiting.resolve()
    assert.strictEqual((await answer).status, 200)
    await disposed
    const [cut, ended] = await streams
    assert.isDefined(cut)
    assert.strictEqual(ended?.status, "fulfilled")
    assert.throws(() => own.admin(options), DisposedError)
  })
})
