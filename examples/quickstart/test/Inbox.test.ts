import { request as httpRequest } from "node:http"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { at, type Quickstart } from "../../../test/support/Quickstart.ts"
import { isOwnHost } from "../src/Inbox.ts"
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
    assert.containsAllKeys(body, ["id", "to", "channel", "sender", "text", "at", "outcome"])
    assert.strictEqual(Object.keys(Object(body)).length, 7)
    assert.deepInclude(body, {
      to: "+8801712000001",
      channel: "whatsapp",
      sender: "acme-whatsapp",
      text: "Hello",
      outcome: "delivered",
    })
    const written = String(at(body, "at"))
    assert.match(written, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.isTrue(Date.parse(written) >= before && Date.parse(written) <= Date.now())
  })

  test("is newest first", async () => {
    await message("8801712000002", "one")
    await message("8801712000002", "two")
    await message("8801712000003", "three")
    assert.deepStrictEqual(texts(await get("?to=8801712000002")), ["two", "one"])
    assert.deepStrictEqual(texts(await get("")).slice(0, 3), ["three", "two", "one"])
  })

  test("takes a number as people write it", async () => {
    await message("8801712000004", "found")
    for (const to of ["8801712000004", "+8801712000004", "%2B8801712000004", "%208801712000004"]) {
      assert.deepStrictEqual(texts(await get(`?to=${to}`)), ["found"], to)
    }
    assert.deepStrictEqual(await get("?to=8801799999999"), [])
    assert.deepStrictEqual(await get("?to=nobody"), [])
  })

  test("has the code that the service itself shows nowhere", async () => {
    const sent = await quickstart.call("/verify", { body: { phone_number: "+8801712000005" } })
    const [text] = texts(await get("?to=+8801712000005"))
    const code = /^\d{6}/.exec(String(text))?.[0]
    assert.isDefined(code)
    const request_id = at(sent.body, "data", "request_id")
    const checked = await quickstart.call("/verify/check", { body: { request_id, code } })
    assert.strictEqual(at(checked.body, "data", "status"), "verified")
  })

  test("gives a text as it was sent", async () => {
    const text = `<script>alert("x")</script> & 'quotes' \u2028 ওটিপি`
    await message("8801712000006", text)
    assert.deepStrictEqual(texts(await get("?to=8801712000006")), [text])
  })
})

describe("the inbox", () => {
  test("is a page that may load nothing from anywhere", async () => {
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

  test("is read only", async () => {
    for (const path of ["", "/messages", "/events"]) {
      const answer = await fetch(`${quickstart.inboxUrl}${path}`, { method: "POST", body: "{}" })
      assert.strictEqual(answer.status, 405)
      assert.strictEqual(answer.headers.get("allow"), "GET")
      assert.containsAllKeys(await answer.json(), ["error"])
    }
  })

  test("does not answer to a name that somebody else has pointed here", async () => {
    for (const path of ["/inbox", "/inbox/messages", "/inbox/events"]) {
      assert.strictEqual(await getAs("rebound.example:3000", path), 421)
    }
    assert.strictEqual(await getAs("localhost:3000", "/inbox/messages"), 200)
  })

  test("does not let other web sites read", async () => {
    const answer = await fetch(`${quickstart.inboxUrl}/messages`, {
      headers: { origin: "http://other.example" },
    })
    assert.isNull(answer.headers.get("access-control-allow-origin"))
  })

  test("has nothing below it that is not there", async () => {
    for (const path of ["/nothing", "/../package.json", "/page.js"]) {
      const answer = await fetch(`${quickstart.inboxUrl}${path}`)
      assert.strictEqual(answer.status, 404)
      assert.deepStrictEqual(await answer.json(), { error: "Not found" })
    }
  })
})

test.each([
  ["127.0.0.1:3000", "127.0.0.1", true],
  ["localhost", "127.0.0.1", true],
  ["LOCALHOST:80", "127.0.0.1", true],
  ["shop.localhost:3000", "127.0.0.1", true],
  ["[::1]:3000", "127.0.0.1", true],
  ["192.168.1.5:3000", "0.0.0.0", true],
  ["devbox.lan:3000", "devbox.lan", true],
  ["devbox.lan:3000", "0.0.0.0", false],
  ["rebound.example", "127.0.0.1", false],
  ["127.0.0.1.rebound.example", "127.0.0.1", false],
  ["localhost.rebound.example", "127.0.0.1", false],
  ["rebound.example#localhost", "127.0.0.1", false],
  ["", "127.0.0.1", false],
  [undefined, "127.0.0.1", false],
] as const)("Host %s, when listening on %s: %s", (header, listeningOn, expected) => {
  assert.strictEqual(isOwnHost(header, listeningOn), expected)
})

test("the stream starts with what there is, and goes on with what comes", async () => {
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
