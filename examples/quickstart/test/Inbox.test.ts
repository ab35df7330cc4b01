import { it } from "@effect/vitest"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import { MessageId, OrganizationId } from "@countersign/core/domain/Ids"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { request as httpRequest } from "node:http"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { at, type Quickstart } from "../../../test/support/Quickstart.ts"
import { Delivery } from "../src/Delivery.ts"
import { Inbox } from "../src/Inbox.ts"
import { databases } from "./support/onServer.ts"

const { close, start } = databases()
let quickstart: Quickstart

beforeAll(async () => {
  quickstart = await start()
})

afterAll(close)

const get = async (query: string): Promise<unknown> =>
  (await fetch(`${quickstart.inboxUrl}/messages${query}`)).json()

const message = (to: string, text: string, more: Record<string, string> = {}) =>
  quickstart.call("/messages", { body: { to, message: text, ...more } })

const texts = (messages: unknown): ReadonlyArray<unknown> =>
  Array.isArray(messages) ? messages.map((one) => at(one, "text")) : []

/** Like fetch, which does not let its caller choose a Host. */
const getAs = (host: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(quickstart.inboxUrl)
    httpRequest({ hostname, port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .once("error", reject)
      .end()
  })

describe("GET /inbox/messages", () => {
  test("has every member of a message", async () => {
    const before = Date.now()
    await message("8801712000001", "Hello", { channel: "whatsapp" })
    const [first, ...others] = texts(await get("?to=8801712000001"))
    assert.deepStrictEqual([first, others], ["Hello", []])
    const body = at(await get("?to=8801712000001"), 0)
    const written = String(at(body, "at"))
    assert.match(String(at(body, "id")), /^msg_/)
    assert.deepStrictEqual(body, {
      id: at(body, "id"),
      to: "+8801712000001",
      channel: "whatsapp",
      sender: "acme-whatsapp",
      text: "Hello",
      code: null,
      at: written,
      outcome: "delivered",
      segments: null,
      price: "0.00",
      currency: "BDT",
      open: false,
    })
    assert.match(written, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.isTrue(Date.parse(written) >= before && Date.parse(written) <= Date.now())
  })

  test("lists the newest message first", async () => {
    await message("8801712000002", "one")
    await message("8801712000002", "two")
    await message("8801712000003", "three")
    assert.deepStrictEqual(texts(await get("?to=8801712000002")), ["two", "one"])
    assert.deepStrictEqual(texts(await get("")).slice(0, 3), ["three", "two", "one"])
  })

  test("accepts a number with separators and in any digits", async () => {
    await message("8801712000004", "found")
    for (const to of ["8801712000004", "+8801712000004", "%2B8801712000004", "%208801712000004"]) {
      assert.deepStrictEqual(texts(await get(`?to=${to}`)), ["found"], to)
    }
    assert.deepStrictEqual(await get("?to=8801799999999"), [])
    assert.deepStrictEqual(await get("?to=unknown"), [])
  })

  test("shows the code, which the service itself never shows", async () => {
    const sent = await quickstart.call("/verify", {
      body: { phone_number: "+8801712000005", locale: "bn-bd" },
    })
    const newest = at(await get("?to=+8801712000005"), 0)
    const code = at(newest, "code")
    assert.isTrue(String(at(newest, "text")).startsWith(`${String(code)} `))
    const request_id = at(sent.body, "data", "request_id")
    const checked = await quickstart.call("/verify/check", { body: { request_id, code } })
    assert.strictEqual(at(checked.body, "data", "status"), "verified")
  })

  test.each([
    ["a".repeat(160), "GSM-7", 1],
    ["a".repeat(161), "GSM-7", 2],
    ["{".repeat(80), "GSM-7", 1],
    ["{".repeat(81), "GSM-7", 2],
    ["ক".repeat(70), "UCS-2", 1],
    ["ক".repeat(71), "UCS-2", 2],
  ] as const)("counts what %s takes: %s, %i", async (text, encoding, count) => {
    await message("8801712000008", text)
    const newest = at(await get("?to=8801712000008"), 0)
    assert.deepStrictEqual(at(newest, "segments"), { encoding, count })
    assert.strictEqual(at(newest, "price"), "0.50")
  })

  test("returns no more messages than the limit", async () => {
    for (const text of ["one", "two", "three"]) await message("8801712000009", text)
    assert.deepStrictEqual(texts(await get("?to=8801712000009&limit=2")), ["three", "two"])
    assert.deepStrictEqual(texts(await get("?limit=1")), ["three"])
    for (const limit of ["0", "501", "-1", "1.5", "x"]) {
      const answer = await fetch(`${quickstart.inboxUrl}/messages?limit=${limit}`)
      assert.strictEqual(answer.status, 400)
      assert.match(String(at(await answer.json(), "error")), /limit must be a whole number/)
    }
  })

  test("returns a text exactly as it was sent", async () => {
    const text = `<script>alert("x")</script> & 'quotes' \u2028 ওটিপি`
    await message("8801712000006", text)
    assert.deepStrictEqual(texts(await get("?to=8801712000006")), [text])
  })
})

describe("the inbox", () => {
  test("serves a page whose policy forbids foreign content", async () => {
    const [one, two] = await Promise.all([
      fetch(quickstart.inboxUrl),
      fetch(quickstart.inboxUrl.replace("/inbox", "/")),
    ])
    const policy = one.headers.get("content-security-policy") ?? ""
    assert.match(policy, /^default-src 'none'; script-src 'nonce-[\w+/]{22}=='; style-src 'nonce-/)
    assert.match(one.headers.get("content-type") ?? "", /^text\/html/)
    assert.strictEqual(one.headers.get("cache-control"), "no-store")
    // The front door leads to the same page, whose nonce is another one.
    assert.strictEqual(two.url, quickstart.inboxUrl)
    assert.notStrictEqual(two.headers.get("content-security-policy"), policy)
    const html = await one.text()
    const [, nonce = ""] = /'nonce-([^']+)'/.exec(policy) ?? []
    assert.strictEqual(html.split(`nonce="${nonce}"`).length, 3)
    assert.notMatch(html, /\{\{nonce|https?:\/\/(?!www\.w3\.org\/2000\/svg)| src=|@import/)
  })

  test.each([
    ["POST", "", "GET"],
    ["DELETE", "", "GET"],
    ["POST", "/messages", "GET, DELETE"],
    ["PUT", "/messages", "GET, DELETE"],
    ["POST", "/latest-code?to=8801712000001", "GET"],
    ["POST", "/events", "GET"],
    ["DELETE", "/messages/msg_1/report", "POST"],
    ["OPTIONS", "/messages/msg_1/report", "POST"],
  ])("does not take %s on %s, where there is %s", async (method, path, allow) => {
    const answer = await fetch(`${quickstart.inboxUrl}${path}`, { method })
    assert.strictEqual(answer.status, 405)
    assert.strictEqual(answer.headers.get("allow"), allow)
    assert.containsAllKeys(await answer.json(), ["error"])
  })

  test("rejects a foreign host name that points to this server", async () => {
    for (const path of [
      "/inbox",
      "/inbox/messages",
      "/inbox/events",
      "/inbox/latest-code?to=8801712000001",
      "/inbox/messages/msg_1/report?status=never",
    ]) {
      assert.strictEqual(await getAs("rebound.example:3000", path), 421)
    }
    assert.strictEqual(await getAs("localhost:3000", "/inbox/messages"), 200)
  })

  test("does not let other web sites read it", async () => {
    const answer = await fetch(`${quickstart.inboxUrl}/messages`, {
      headers: { origin: "http://other.example" },
    })
    assert.isNull(answer.headers.get("access-control-allow-origin"))
  })

  test("answers 404 to unknown paths below it", async () => {
    for (const path of ["/nothing", "/../package.json", "/page.js"]) {
      const answer = await fetch(`${quickstart.inboxUrl}${path}`)
      assert.strictEqual(answer.status, 404)
      assert.deepStrictEqual(await answer.json(), { error: "Not found" })
    }
  })
})

test("the stream sends the existing messages first, then new ones", async () => {
  await message("8801712000007", "before")
  const leaving = new AbortController()
  const answer = await fetch(`${quickstart.inboxUrl}/events`, { signal: leaving.signal })
  assert.strictEqual(answer.headers.get("content-type"), "text/event-stream")
  let received = ""
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) received += decoder.decode(chunk, { stream: true })
  })().catch(() => {})
  const events = () =>
    [...received.matchAll(/^event: (\w+)\ndata: ([^\n]*)\n\n/gm)].map(([, name, data = ""]) => ({
      name,
      data: JSON.parse(data),
    }))
  const outcomes = () =>
    events().flatMap(({ data, name }) =>
      name === "message" && at(data, "to") === "+8801555000105" ? [at(data, "outcome")] : [],
    )
  await eventually(() => assert.isNotEmpty(events()))
  assert.match(received, /^retry: \d+\n/)
  const [snapshot] = events()
  assert.strictEqual(snapshot?.name, "snapshot")
  assert.strictEqual(at(snapshot?.data, 0, "text"), "before")
  await message("8801555000105", "after")
  await eventually(() => assert.deepStrictEqual(outcomes(), ["accepted", "delivered"]))
  leaving.abort()
  await reading
})

describe("a wait for a code", () => {
  const message: GatewayMessage = {
    token: MessageId("msg_1"),
    ref: { organization: OrganizationId("acme"), sequence: 1 },
    purpose: "verification",
    channel: "sms",
    phoneNumber: PhoneNumber.fromE164("+8801712345678"),
    sender: "8809600000000",
    text: Redacted.make("730164 is your code"),
    code: Redacted.make("730164"),
  }
  const layer = Inbox.layer.pipe(
    Layer.provide(Delivery.layer("at-once")),
    Layer.provideMerge(SimulatedGateway.layer()),
  )
  const waiting = (to: string, millis: number) =>
    Effect.forkChild(
      Inbox.use((_) => _.latestCode(to, millis)),
      { startImmediately: true },
    )
  const send = (more: Partial<GatewayMessage> = {}) =>
    Gateway.use((_) => _.send({ ...message, ...more }))

  it.effect("ends with the code, and not before its time without one", () =>
    Effect.gen(function* () {
      const fiber = yield* waiting("8801712345678", 60_000)
      yield* send({
        token: MessageId("msg_2"),
        phoneNumber: PhoneNumber.fromE164("+8801812345678"),
      })
      yield* TestClock.adjust(59_999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* send()
      const code = yield* Fiber.join(fiber)
      assert.deepInclude(code, { code: "730164", id: "msg_1", to: "+8801712345678" })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("ends without one when its time is over, or the server stops", () =>
    Effect.gen(function* () {
      const over = yield* waiting("8801712345678", 60_000)
      yield* TestClock.adjust(60_000)
      assert.isUndefined(yield* Fiber.join(over))
      const stopped = yield* waiting("8801712345678", 60_000)
      yield* Inbox.use((_) => _.close)
      assert.isUndefined(yield* Fiber.join(stopped))
    }).pipe(Effect.provide(layer)),
  )
})
