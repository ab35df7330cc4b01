/**
 * The inbox of a running quickstart. `packages/inbox` has the tests of the inbox itself.
 */
import { request as httpRequest } from "node:http"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { at, type Quickstart } from "../../../test/support/Quickstart.ts"
import { databases } from "./support/onServer.ts"

const { close, start } = databases()
let quickstart: Quickstart

beforeAll(async () => {
  quickstart = await start()
})

afterAll(close)

const ask = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${quickstart.inboxUrl}${path}`, init)
  return { status: answer.status, body: await answer.json() }
}

const verify = (phone_number: string, more: Record<string, string> = {}) =>
  quickstart.call("/verify", { body: { phone_number, ...more } })

const message = (to: string, text: string, more: Record<string, string> = {}) =>
  quickstart.call("/messages", { body: { to, message: text, ...more } })

/** The newest message to a number, as the inbox has it. */
const newest = async (to: string): Promise<unknown> => at((await ask(`/messages?to=${to}`)).body, 0)

/** The newest entry of the log, in short. */
const logged = async (): Promise<string> => {
  const { body } = await quickstart.call("/messages?limit=1")
  return `${String(at(body, "data", 0, "status"))} ${String(at(body, "data", 0, "price"))}`
}

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

describe("a message", () => {
  test("has its price in the inbox", async () => {
    await message("8801712000001", "Hello")
    await message("8801712000001", "Hello", { channel: "whatsapp" })
    const { body } = await ask("/messages?to=8801712000001")
    assert.deepInclude(at(body, 0), { sender: "acme-whatsapp", price: "0.00", currency: "BDT" })
    assert.deepInclude(at(body, 1), { sender: "8809612000101", price: "0.50", currency: "BDT" })
  })

  test("shows the code, which the service itself never shows", async () => {
    const sent = await verify("+8801712000005", { locale: "bn-bd" })
    const message = await newest("+8801712000005")
    const code = at(message, "code")
    assert.isTrue(String(at(message, "text")).startsWith(`${String(code)} `))
    const request_id = at(sent.body, "data", "request_id")
    const checked = await quickstart.call("/verify/check", { body: { request_id, code } })
    assert.strictEqual(at(checked.body, "data", "status"), "verified")
  })

  test.each([
    ["delivered", "delivered", "delivered 0.50"],
    ["undelivered", "undelivered", "undelivered 0.00"],
    ["failed", "failed", "failed 0.00"],
  ])("that is reported %s is %s, and its log entry %s", async (status, outcome, log) => {
    const to = "8801555000107"
    await message(to, "Hello")
    assert.strictEqual(await logged(), "accepted 0.50")
    const path = `/messages/${String(at(await newest(to), "id"))}/report?status=${status}`
    assert.strictEqual((await ask(path, { method: "POST" })).status, 200)
    assert.deepInclude(await newest(to), { outcome, open: false })
    await eventually(async () => assert.strictEqual(await logged(), log))
  })

  test("is settled although the inbox was emptied meanwhile", async () => {
    await message("8801555000105", "Hello")
    assert.deepStrictEqual(await ask("/messages", { method: "DELETE" }), { status: 200, body: [] })
    await eventually(async () => assert.strictEqual(await logged(), "delivered 0.50"))
    assert.deepStrictEqual((await ask("/messages")).body, [])
  })
})

test("a wait for a code ends when the code was sent", async () => {
  const waiting = ask("/latest-code?to=৮৮০১৭১২১০০০০৭&wait=60")
  await verify("+8801712100007")
  assert.strictEqual(at((await waiting).body, "to"), "+8801712100007")
})

test("the front door leads to the inbox", async () => {
  const answer = await fetch(quickstart.inboxUrl.replace("/inbox", "/"))
  assert.strictEqual(answer.url, quickstart.inboxUrl)
  assert.match(await answer.text(), /<title>Countersign inbox/)
})

test("a foreign host name that points to this server is rejected", async () => {
  assert.strictEqual(await getAs("rebound.example:3000", "/inbox/messages"), 421)
  assert.strictEqual(await getAs("localhost:3000", "/inbox/messages"), 200)
})

test("unknown paths answer 404", async () => {
  for (const path of ["/nothing", "/../package.json", "/page.html"]) {
    assert.deepStrictEqual(await ask(path), { status: 404, body: { error: "Not found" } })
  }
})
