import * as RequestContext from "@countersign/http/mount/RequestContext"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "vitest"
import * as Inbox from "../src/effect.ts"
import { ask, askJson, send } from "./support/phones.ts"
import { test, testsOver } from "../../../test/support/testsOver.ts"

const layer = Inbox.layer()

const phones = testsOver(layer)

const to = "+8801712345678"

/** One number: with and without its plus, which a URL may turn into a space. */
const spellings = [
  "8801712345678",
  "+8801712345678",
  "%2B8801712345678",
  "%208801712345678",
  "+880 1712-345678",
  "৮৮০১৭১২৩৪৫৬৭৮",
  "+৮৮০১৭১২৩৪৫৬৭৮",
  "%2B৮৮০১৭১২৩৪৫৬৭৮",
]

const texts = (query: string) =>
  Effect.map(askJson(`/messages${query}`), ({ body }) =>
    Array.isArray(body) ? body.map((one: Inbox.InboxMessage) => one.text) : body,
  )

const newest = Effect.map(askJson("/messages?limit=1"), ({ body }) =>
  Array.isArray(body) ? Object(body[0]) : undefined,
)

const post = (path: string, headers: Record<string, string> = {}) =>
  askJson(path, { method: "POST", headers })

describe("GET /messages", () => {
  phones.effect("has every member of a message", function* () {
    const id = yield* send({ to, text: "Hello", channel: "whatsapp" })
    const { body, status } = yield* askJson("/messages")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body, [
      {
        id,
        to,
        channel: "whatsapp",
        sender: "8809600000000",
        text: "Hello",
        code: null,
        at: "1970-01-01T00:00:00.000Z",
        outcome: "delivered",
        segments: null,
        price: "0.00",
        currency: "BDT",
        open: false,
      },
    ])
  })

  phones.effect(
    "lists the newest message first, to one number or to all, up to the limit",
    function* () {
      for (const text of ["one", "two"]) yield* send({ to, text })
      yield* send({ to: "+8801812345678", text: "three" })
      assert.deepStrictEqual(yield* texts(""), ["three", "two", "one"])
      assert.deepStrictEqual(yield* texts("?limit=2"), ["three", "two"])
      for (const spelling of spellings) {
        assert.deepStrictEqual(yield* texts(`?to=${spelling}`), ["two", "one"], spelling)
      }
      assert.deepStrictEqual(yield* texts("?to=unknown"), [])
    },
  )

  phones.effect("returns a text exactly as it was sent, and counts its segments", function* () {
    const text = `<script>alert("x")</script> & 'quotes' \u2028 ওটিপি`
    yield* send({ text })
    yield* send({ text: "{".repeat(81) })
    const { body } = yield* askJson("/messages")
    const segments = Array.isArray(body) ? body.map((one: Inbox.InboxMessage) => one.segments) : []
    assert.deepStrictEqual(yield* texts("?limit=500"), ["{".repeat(81), text])
    assert.deepStrictEqual(segments, [
      { encoding: "GSM-7", count: 2 },
      { encoding: "UCS-2", count: 1 },
    ])
  })

  phones.effect.each(["0", "501", "-1", "1.5", "x"])("is 400 for the limit %s", function* (limit) {
    const { body, status } = yield* askJson(`/messages?limit=${limit}`)
    assert.strictEqual(status, 400)
    assert.deepStrictEqual(body, { error: "limit must be a whole number from 1 to 500" })
  })
})

describe("GET /latest-code", () => {
  phones.effect("returns the newest code to a number", function* () {
    yield* send({ to, code: "1111" })
    const id = yield* send({ to, code: "2222" })
    yield* send({ to, text: "no code" })
    const answer = { code: "2222", id, to, at: "1970-01-01T00:00:00.000Z" }
    for (const spelling of spellings) {
      const found = yield* askJson(`/latest-code?to=${spelling}`)
      assert.deepStrictEqual(found, { status: 200, body: answer }, spelling)
    }
    const after = yield* askJson(`/latest-code?to=${to}&after=${id}`)
    assert.deepStrictEqual(after, {
      status: 404,
      body: { error: "No code was sent to this number" },
    })
  })

  phones.effect("waits for a code, 60 seconds at most", function* () {
    const fork = (wait: string) =>
      Effect.forkChild(askJson(`/latest-code?to=${to}&wait=${wait}`), { startImmediately: true })
    const [short, long] = [yield* fork("0.5"), yield* fork("999")]
    yield* TestClock.adjust(499)
    assert.isUndefined(short.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(short)).status, 404)
    yield* TestClock.adjust(59_499)
    assert.isUndefined(long.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(long)).status, 404)
    const late = yield* fork("60")
    yield* send({ to, code: "3333" })
    assert.strictEqual((yield* Fiber.join(late)).status, 200)
  })

  phones.effect.each([
    ["", /^to must be/],
    ["?to=", /^to must be/],
    ["?to=unknown", /^to must be/],
    [`?to=${to}&wait=x`, /^wait must be/],
    [`?to=${to}&wait=-1`, /^wait must be/],
  ] as const)("is 400 for %j", function* ([query, expected]) {
    const { body, status } = yield* askJson(`/latest-code${query}`)
    assert.strictEqual(status, 400)
    assert.match(String(Object(body).error), expected)
  })
})

describe("POST /messages/{id}/report", () => {
  phones.effect.each([
    ["delivered", "delivered"],
    ["undelivered", "undelivered"],
    ["failed", "failed"],
  ] as const)("%s makes an open message %s, which is then final", function* ([status, outcome]) {
    const id = yield* send({ to: "+8801555000107" })
    assert.deepInclude(yield* newest, { outcome: "accepted", open: true })
    const reported = yield* post(`/messages/${id}/report?status=${status}`)
    assert.deepStrictEqual(reported, { status: 200, body: { status, after: 0 } })
    assert.deepInclude(yield* newest, { outcome, open: false })
    for (const query of ["status=delivered", "status=never", "status=delivered&after=5"]) {
      const again = yield* post(`/messages/${id}/report?${query}`)
      assert.strictEqual(again.status, 409)
      assert.match(String(Object(again.body).error), /final/)
    }
  })

  phones.effect("comes after the requested delay, and replaces the scheduled report", function* () {
    const id = yield* send({ to: "+8801555000103" })
    yield* post(`/messages/${id}/report?status=delivered&after=5`)
    yield* TestClock.adjust(4_999)
    assert.deepInclude(yield* newest, { outcome: "accepted" })
    yield* TestClock.adjust(1)
    assert.deepInclude(yield* newest, { outcome: "delivered" })
  })

  phones.effect(
    "with status=never cancels the scheduled report until another is requested",
    function* () {
      const id = yield* send({ to: "+8801555000103" })
      assert.strictEqual((yield* post(`/messages/${id}/report?status=never`)).status, 200)
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(yield* newest, { outcome: "accepted", open: true })
      yield* post(`/messages/${id}/report?status=delivered`)
      assert.deepInclude(yield* newest, { outcome: "delivered", open: false })
    },
  )

  phones.effect(
    "is 404 without such a message, and 400 for a query that cannot be meant",
    function* () {
      assert.strictEqual((yield* post("/messages/msg_0/report?status=delivered")).status, 404)
      const id = yield* send({ to: "+8801555000107" })
      for (const query of [
        "",
        "status=",
        "status=accepted",
        "status=delivered&after=3601",
        "status=never&after=x",
      ]) {
        assert.strictEqual((yield* post(`/messages/${id}/report?${query}`)).status, 400, query)
      }
    },
  )
})

phones.effect(
  "DELETE /messages empties the inbox, and a later report restores no message",
  function* () {
    yield* send({ to: "+8801555000105" })
    assert.deepStrictEqual(yield* askJson("/messages", { method: "DELETE" }), {
      status: 200,
      body: [],
    })
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* texts(""), [])
  },
)

describe("PUT /delivery", () => {
  phones.effect("sets when messages arrive", function* () {
    assert.deepStrictEqual((yield* askJson("/delivery")).body, { when: "at-once" })
    const set = yield* askJson("/delivery?when=by-hand", { method: "PUT" })
    assert.deepStrictEqual(set, { status: 200, body: { when: "by-hand" } })
    yield* send()
    assert.deepInclude(yield* newest, { outcome: "accepted", open: true })
  })

  phones.effect.each(["", "never", "0", "3601", "1.5", "-1"])("is 400 for %j", function* (when) {
    const { body, status } = yield* askJson(`/delivery?when=${when}`, { method: "PUT" })
    assert.strictEqual(status, 400)
    assert.match(String(Object(body).error), /^when must be at-once, by-hand, or a number/)
  })
})

describe("the page", () => {
  phones.effect("forbids foreign content, and has nothing inline", function* () {
    const answer = yield* ask("/inbox")
    const policy = answer.headers.get("content-security-policy") ?? ""
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.notMatch(policy, /unsafe|\*|https?:/)
    assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    const html = yield* Effect.promise(() => answer.text())
    assert.notMatch(html, /\{\{|https?:\/\/|<style|style=| on\w+=|<script(?! type="module" src=)/)
  })

  phones.effect.each([
    ["/inbox", undefined],
    ["/inbox/", undefined],
    ["/inbox/?a=b", undefined],
    ["/dev/in%20box", "/dev/in%20box"],
    ["/dev/inbox/", "/dev/inbox"],
    ["/", ""],
  ] as const)("finds its files from %s", function* ([path, basePath]) {
    const handler = yield* Inbox.make()
    const get = Effect.fnUntraced(function* (url: URL) {
      const request = new Request(url)
      if (basePath !== undefined) RequestContext.attach(request, { basePath })
      const response = yield* handler.pipe(
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(request),
        ),
        Effect.scoped,
      )
      return HttpServerResponse.toWeb(response)
    })
    const page = new URL(path, "http://localhost:3000")
    const html = yield* Effect.flatMap(get(page), (answer) => Effect.promise(() => answer.text()))
    const links = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link)
    const types = yield* Effect.forEach(new Set(links), (link) =>
      Effect.map(get(new URL(link, page)), ({ headers, status }) => {
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        return `${status} ${headers.get("content-type")}`
      }),
    )
    assert.deepStrictEqual(types, [
      "200 image/svg+xml; charset=utf-8",
      "200 text/css; charset=utf-8",
      "200 application/json",
      "200 text/javascript; charset=utf-8",
    ])
  })
})

test.effect.each([undefined, "/dev/inbox", "/"])(
  "layerRoutes serves %s and all below it",
  function* (basePath) {
    const { dispose, handler } = HttpRouter.toWebHandler(
      Layer.provide(Inbox.layerRoutes({ basePath }), layer),
      { disableLogger: true },
    )
    const get = (path: string) =>
      Effect.map(
        Effect.promise(() => handler(new Request(`http://localhost:3000${path}`))),
        ({ status }) => status,
      )
    const base = (basePath ?? "/inbox").replace(/\/$/, "")
    const found = yield* Effect.forEach(["", "/", "/page.js", "/messages?limit=1"], (path) =>
      get(`${base}${path}`),
    )
    assert.deepStrictEqual(found, [200, 200, 200, 200])
    assert.strictEqual(yield* get("/elsewhere"), 404)
    yield* Effect.promise(dispose)
  },
)

describe("a request", () => {
  phones.effect.each([
    ["POST", "", "GET"],
    ["DELETE", "/", "GET"],
    ["POST", "/messages", "GET, DELETE"],
    ["PUT", "/messages", "GET, DELETE"],
    ["POST", `/latest-code?to=${to}`, "GET"],
    ["POST", "/events", "GET"],
    ["POST", "/page.js", "GET"],
    ["DELETE", "/messages/msg_1/report", "POST"],
    ["OPTIONS", "/messages/msg_1/report", "POST"],
  ] as const)("%s on %j is 405, where there is %s", function* ([method, path, allow]) {
    const answer = yield* ask(`/inbox${path}`, { method })
    assert.strictEqual(answer.status, 405)
    assert.strictEqual(answer.headers.get("allow"), allow)
  })

  phones.effect.each(["/inbox/nothing", "/inboxes", "/package.json", "/inbox/messages/"])(
    "for %s is 404",
    function* (path) {
      assert.strictEqual((yield* ask(path)).status, 404)
    },
  )

  phones.effect.each([
    "",
    "/",
    "/page.js",
    "/messages",
    "/events",
    `/latest-code?to=${to}`,
    "/messages/msg_1/report?status=never",
    "/nothing",
  ])("to a foreign host name is 421 on %j", function* (path) {
    const headers = { host: "rebound.example:3000" }
    assert.strictEqual((yield* ask(`/inbox${path}`, { headers })).status, 421)
    const hosts = ["rebound.example"]
    assert.notStrictEqual((yield* ask(`/inbox${path}`, { headers }, { hosts })).status, 421)
  })

  phones.effect("that changes something is 403 from a page of another origin", function* () {
    const id = yield* send({ to: "+8801555000107" })
    const changes = [
      ["DELETE", "/messages"],
      ["PUT", "/delivery?when=by-hand"],
      ["POST", `/messages/${id}/report?status=delivered`],
    ] as const
    for (const [method, path] of changes) {
      for (const origin of ["http://other.example", "null"]) {
        assert.strictEqual((yield* askJson(path, { method, headers: { origin } })).status, 403)
      }
    }
    assert.deepInclude(yield* newest, { outcome: "accepted" })
    assert.deepStrictEqual((yield* askJson("/delivery")).body, { when: "at-once" })
    const own = { origin: "http://localhost:3000" }
    assert.strictEqual((yield* post(`/messages/${id}/report?status=delivered`, own)).status, 200)
    const foreign = yield* ask("/inbox/messages", { headers: { origin: "http://other.example" } })
    assert.isNull(foreign.headers.get("access-control-allow-origin"))
  })
})
