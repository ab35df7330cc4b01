import { afterAll, assert, describe, test } from "vitest"
import { at, runQuickstart } from "../../../test/support/Quickstart.ts"
import { databases } from "./support/onServer.ts"

const { close, start } = databases()

afterAll(close)

describe("with NODE_ENV=production", () => {
  test("the inbox is never served: the quickstart does not start", async () => {
    const { code, stderr, stdout } = await runQuickstart({ env: { NODE_ENV: "production" } })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^The quickstart cannot run: .*INBOX_IN_PRODUCTION=true/)
    assert.strictEqual(stdout, "")
  })

  test("the inbox and test numbers are served if their settings allow them", async () => {
    const quickstart = await start({
      env: {
        NODE_ENV: "production",
        INBOX_IN_PRODUCTION: "true",
        TEST_NUMBERS: "+8801711111111=730164,+8801722222222=730165:not-on-whatsapp",
        TEST_NUMBERS_IN_PRODUCTION: "true",
      },
    })
    const ask = async (path: string, method = "GET") =>
      (await fetch(`${quickstart.inboxUrl}${path}`, { method })).status
    assert.strictEqual(await ask("/latest-code?to=8801711111111"), 404)
    assert.strictEqual(await ask("/messages?to=8801711111111&limit=1"), 200)
    assert.strictEqual(await ask("/messages/msg_0/report?status=never", "POST"), 404)
    assert.strictEqual(await ask("/messages", "DELETE"), 200)

    const sent = await quickstart.call("/verify", { body: { phone_number: "+8801711111111" } })
    assert.strictEqual(sent.status, 200)
    const request_id = at(sent.body, "data", "request_id")
    const body = { request_id, code: "730164" }
    const checked = await quickstart.call("/verify/check", { body })
    assert.strictEqual(at(checked.body, "data", "status"), "verified")
    const log = at((await quickstart.call("/messages?limit=1")).body, "data", 0)
    assert.deepInclude(log, { status: "delivered", price: "0.00" })
    assert.match(String(at(log, "gatewayId")), /^test_msg_/)
    // Not a phone of the inbox: the message did not go to the simulated gateway.
    assert.strictEqual(await ask("/latest-code?to=8801711111111"), 404)
    const refused = await quickstart.call("/verify", {
      body: { phone_number: "+8801722222222", channel: "whatsapp" },
    })
    assert.strictEqual(refused.status, 400)
    assert.notInclude(quickstart.output(), "730164")
  })
})
