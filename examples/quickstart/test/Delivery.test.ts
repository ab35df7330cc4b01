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

const ask = async (path: string, init: RequestInit = {}, { inboxUrl } = quickstart) => {
  const answer = await fetch(`${inboxUrl}${path}`, init)
  return { status: answer.status, body: await answer.json() }
}

const set = (when: string) => ask(`/delivery?when=${when}`, { method: "PUT" })

const send = (to: string, channel = "sms", { call } = quickstart) =>
  call("/messages", { body: { to, message: "Hello", channel } })

const newest = async (to: string, of = quickstart): Promise<unknown> =>
  at((await ask(`/messages?to=${to}&limit=1`, {}, of)).body, 0)

/** The newest entry of the log, in short. */
const logged = async (): Promise<string> => {
  const { body } = await quickstart.call("/messages?limit=1")
  return `${String(at(body, "data", 0, "status"))} ${String(at(body, "data", 0, "price"))}`
}

describe("PUT /inbox/delivery", () => {
  test("is at-once by default", async () => {
    const { body } = await ask("/delivery")
    assert.deepStrictEqual(body, { when: "at-once" })
    await send("8801712200001")
    assert.deepInclude(await newest("8801712200001"), { outcome: "delivered", open: false })
  })

  test.each(["sms", "whatsapp"])(
    "by-hand leaves a message over %s open until a button is pressed, or the mode is at-once again",
    async (channel) => {
      assert.deepStrictEqual(await set("by-hand"), { status: 200, body: { when: "by-hand" } })
      assert.deepStrictEqual((await ask("/delivery")).body, { when: "by-hand" })
      const to = "8801712200002"
      assert.strictEqual((await send(to, channel)).status, 200)
      const message = await newest(to)
      assert.deepInclude(message, { outcome: "accepted", open: true, channel })
      assert.match(await logged(), /^accepted /)
      await set("at-once")
      await send("8801712200003", channel)
      assert.deepInclude(await newest("8801712200003"), { outcome: "delivered" })
      // What was open stays open.
      assert.deepInclude(await newest(to), { outcome: "accepted", open: true })
      const path = `/messages/${String(at(message, "id"))}/report?status=undelivered`
      assert.strictEqual((await ask(path, { method: "POST" })).status, 200)
      assert.deepInclude(await newest(to), { outcome: "undelivered", open: false })
    },
  )

  test("a number of seconds delays delivery by that time", async () => {
    assert.deepStrictEqual(await set("1"), { status: 200, body: { when: 1 } })
    const to = "8801712200004"
    await send(to)
    assert.deepInclude(await newest(to), { outcome: "accepted", open: true })
    await eventually(async () => assert.deepInclude(await newest(to), { outcome: "delivered" }))
    await eventually(async () => assert.strictEqual(await logged(), "delivered 0.50"))
    await set("at-once")
  })

  test("does not change the special numbers that misbehave", async () => {
    await set("by-hand")
    await send("8801555000101")
    assert.deepInclude(await newest("8801555000101"), { outcome: "rejected" })
    await send("8801555000105")
    await eventually(async () =>
      assert.deepInclude(await newest("8801555000105"), { outcome: "delivered" }),
    )
    await send("8801555000106")
    assert.deepInclude(await newest("8801555000106"), { outcome: "accepted", open: true })
    await set("at-once")
  })

  test.each(["", "never", "0", "3601", "1.5", "-1"])("is 400 for %j", async (when) => {
    const { body, status } = await set(when)
    assert.strictEqual(status, 400)
    assert.match(String(at(body, "error")), /^when must be at-once, by-hand, or a number/)
    assert.deepStrictEqual((await ask("/delivery")).body, { when: "at-once" })
  })

  test("rejects requests from other origins", async () => {
    const init = { method: "PUT", headers: { origin: "http://other.example" } }
    assert.strictEqual((await ask("/delivery?when=by-hand", init)).status, 403)
    assert.deepStrictEqual((await ask("/delivery")).body, { when: "at-once" })
  })
})

test("DELIVERY sets the mode at the start", async () => {
  const own = await start({ env: { DELIVERY: "by-hand" } })
  assert.deepStrictEqual((await ask("/delivery", {}, own)).body, { when: "by-hand" })
  await send("8801712200005", "sms", own)
  assert.deepInclude(await newest("8801712200005", own), { outcome: "accepted", open: true })
})
