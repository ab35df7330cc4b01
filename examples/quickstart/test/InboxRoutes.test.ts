import { assert, beforeAll, afterAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { at, type Quickstart } from "../../../test/support/Quickstart.ts"
import { isOwnHost, isOwnOrigin } from "../src/InboxRoutes.ts"
import { databases } from "./support/onServer.ts"

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

test.each([
  [undefined, "127.0.0.1:3000", true],
  ["http://127.0.0.1:3000", "127.0.0.1:3000", true],
  ["http://localhost:3000", "LOCALHOST:3000", true],
  ["http://[::1]:3000", "[::1]:3000", true],
  ["http://127.0.0.1:3001", "127.0.0.1:3000", false],
  ["http://other.example", "127.0.0.1:3000", false],
  ["http://127.0.0.1:3000.other.example", "127.0.0.1:3000", false],
  ["null", "127.0.0.1:3000", false],
  ["", "127.0.0.1:3000", false],
] as const)("Origin %s, at %s: %s", (origin, host, expected) => {
  assert.strictEqual(isOwnOrigin(origin, host), expected)
})

const { close, start } = databases()
let quickstart: Quickstart

beforeAll(async () => {
  quickstart = await start()
})

afterAll(close)

interface Answer {
  readonly status: number
  readonly body: unknown
}

const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
  const answer = await fetch(`${quickstart.inboxUrl}${path}`, init)
  return { status: answer.status, body: await answer.json() }
}

const verify = (phone_number: string) => quickstart.call("/verify", { body: { phone_number } })

const send = (to: string, text = "Hello") =>
  quickstart.call("/messages", { body: { to, message: text } })

/** The newest message to a number, as the inbox has it. */
const newest = async (to: string): Promise<unknown> => at((await ask(`/messages?to=${to}`)).body, 0)

const report = async (to: string, query: string, init: RequestInit = {}): Promise<Answer> => {
  const id = String(at(await newest(to), "id"))
  return ask(`/messages/${id}/report?${query}`, { method: "POST", ...init })
}

/** The newest entry of the log, in short. */
const logged = async (): Promise<string> => {
  const { body } = await quickstart.call("/messages?limit=1")
  return `${String(at(body, "data", 0, "status"))} ${String(at(body, "data", 0, "price"))}`
}

/** One number: with and without its plus, which a URL may turn into a space. */
const spellings = [
  "8801712100002",
  "+8801712100002",
  "%2B8801712100002",
  "%208801712100002",
  "৮৮০১৭১২১০০০০২",
  "+৮৮০১৭১২১০০০০২",
  "%2B৮৮০১৭১২১০০০০২",
]

describe("GET /inbox/latest-code", () => {
  test("returns the newest code to a number, which is the valid one", async () => {
    await verify("+8801712100001")
    const sent = await verify("+8801712100001")
    await send("8801712100001", "no code")
    const { body, status } = await ask("/latest-code?to=8801712100001")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(Object.keys(Object(body)).toSorted(), ["at", "code", "id", "to"])
    assert.strictEqual(at(body, "to"), "+8801712100001")
    assert.match(String(at(body, "id")), /^msg_/)
    const code = at(body, "code")
    const request_id = at(sent.body, "data", "request_id")
    const checked = await quickstart.call("/verify/check", { body: { request_id, code } })
    assert.strictEqual(checked.status, 200)
  })

  test("accepts a number in any spelling", async () => {
    await verify("+8801712100002")
    for (const to of spellings) {
      assert.strictEqual((await ask(`/latest-code?to=${to}`)).status, 200, to)
    }
  })

  test("waits for a number in Bangla digits", async () => {
    const waiting = ask("/latest-code?to=৮৮০১৭১২১০০০০৭&wait=60")
    await verify("+8801712100007")
    assert.strictEqual(at((await waiting).body, "to"), "+8801712100007")
  })

  test("is 404 if no code was sent, even if another message was", async () => {
    await send("8801712100003", "123456 is a number in a text")
    const { body, status } = await ask("/latest-code?to=8801712100003")
    assert.strictEqual(status, 404)
    assert.deepStrictEqual(body, { error: "No code was sent to this number" })
  })

  test("waits for a code until it comes or the wait ends", async () => {
    const waiting = ask("/latest-code?to=8801712100004&wait=60")
    await verify("+8801712100005")
    await send("8801712100004", "no code")
    await verify("+8801712100004")
    const { body, status } = await waiting
    assert.strictEqual(status, 200)
    assert.strictEqual(at(body, "to"), "+8801712100004")
    assert.deepStrictEqual((await ask("/latest-code?to=8801712100004&wait=60")).body, body)
  })

  test("is 404 when the wait is over", async () => {
    const { status } = await ask("/latest-code?to=8801712100006&wait=1")
    assert.strictEqual(status, 404)
  })

  test.each([
    ["", /^to must be/],
    ["?to=", /^to must be/],
    ["?to=8801712100006&wait=x", /^wait must be/],
    ["?to=8801712100006&wait=-1", /^wait must be/],
    ["?to=8801712100006&wait=0.5", /^wait must be/],
  ])("is 400 for %j", async (query, expected) => {
    const { body, status } = await ask(`/latest-code${query}`)
    assert.strictEqual(status, 400)
    assert.match(String(at(body, "error")), expected)
  })
})

test("GET /inbox/messages accepts a number in any spelling", async () => {
  await verify("+8801712100002")
  for (const to of spellings) {
    assert.strictEqual(at(await newest(to), "to"), "+8801712100002", to)
  }
})

describe("POST /inbox/messages/{id}/report", () => {
  test.each([
    ["delivered", "delivered", "delivered 0.50"],
    ["undelivered", "undelivered", "undelivered 0.00"],
    ["failed", "failed", "failed 0.00"],
  ])("%s makes an open message %s, and its log entry %s", async (status, outcome, log) => {
    const to = "8801555000107"
    await send(to)
    assert.deepInclude(await newest(to), { outcome: "accepted", open: true })
    assert.strictEqual(await logged(), "accepted 0.50")
    const answer = await report(to, `status=${status}`)
    assert.deepStrictEqual(answer, { status: 200, body: { status, after: 0 } })
    assert.deepInclude(await newest(to), { outcome, open: false })
    await eventually(async () => assert.strictEqual(await logged(), log))
  })

  test("comes after the requested delay, and replaces the scheduled report", async () => {
    const to = "8801555000103"
    await send(to)
    assert.strictEqual((await report(to, "status=delivered&after=1")).status, 200)
    assert.deepInclude(await newest(to), { outcome: "accepted", open: true })
    await eventually(async () => assert.deepInclude(await newest(to), { outcome: "delivered" }))
    await eventually(async () => assert.strictEqual(await logged(), "delivered 0.50"))
  })

  test("with status=never cancels the scheduled report until another is requested", async () => {
    const [silent, later] = ["8801555000103", "8801555000105"]
    await send(silent)
    assert.strictEqual((await report(silent, "status=never")).status, 200)
    // Both would be reported on after the same time, and this one was sent later.
    await send(later)
    await eventually(async () => assert.deepInclude(await newest(later), { outcome: "delivered" }))
    assert.deepInclude(await newest(silent), { outcome: "accepted", open: true })
    assert.strictEqual((await report(silent, "status=delivered")).status, 200)
    assert.deepInclude(await newest(silent), { outcome: "delivered", open: false })
  })

  test.each(["status=delivered", "status=undelivered", "status=never", "status=delivered&after=5"])(
    "%s says of a final message that it is final",
    async (query) => {
      await send("8801712100010")
      const { body, status } = await report("8801712100010", query)
      assert.strictEqual(status, 409)
      assert.match(String(at(body, "error")), /final/)
      assert.deepInclude(await newest("8801712100010"), { outcome: "delivered" })
    },
  )

  test("is 404 where there is no such message", async () => {
    const init = { method: "POST" }
    assert.strictEqual((await ask("/messages/msg_0/report?status=delivered", init)).status, 404)
  })

  test.each([
    "",
    "status=",
    "status=accepted",
    "status=delivered&after=3601",
    "status=never&after=x",
  ])("is 400 for %j", async (query) => {
    await send("8801712100011")
    assert.strictEqual((await report("8801712100011", query)).status, 400)
  })

  test("rejects requests from other origins", async () => {
    await send("8801555000107")
    for (const origin of ["http://other.example", "null"]) {
      const headers = { origin }
      assert.strictEqual(
        (await report("8801555000107", "status=delivered", { headers })).status,
        403,
      )
      assert.strictEqual((await ask("/messages", { method: "DELETE", headers })).status, 403)
    }
    assert.deepInclude(await newest("8801555000107"), { outcome: "accepted" })
    const { origin } = new URL(quickstart.inboxUrl)
    const own = { headers: { origin } }
    assert.strictEqual((await report("8801555000107", "status=delivered", own)).status, 200)
  })
})

test("DELETE /inbox/messages empties the inbox, and a later settlement does not restore a message", async () => {
  await verify("+8801712100020")
  await send("8801555000105")
  assert.deepStrictEqual(await ask("/messages", { method: "DELETE" }), { status: 200, body: [] })
  assert.deepStrictEqual(await ask("/messages"), { status: 200, body: [] })
  assert.strictEqual((await ask("/latest-code?to=8801712100020")).status, 404)
  await eventually(async () => assert.strictEqual(await logged(), "delivered 0.50"))
  assert.deepStrictEqual(await ask("/messages"), { status: 200, body: [] })
})
