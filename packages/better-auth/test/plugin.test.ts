import { assert, describe, test } from "vitest"
import { countersign, type CountersignOptions as PluginOptions } from "../src/index.ts"
import { otherNumber, phoneNumber, startApp, startEngine } from "./support/app.ts"

const start = async (options: PluginOptions = {}) => {
  const host = await startEngine()
  const app = await startApp({
    plugins: [countersign(host.engine, { clock: host.clock, ...options })],
  })
  return { ...host, ...app }
}

test("a number signs up, and signs in to the same user from another browser", async () => {
  const { browser, gateway, rows } = await start()
  const first = browser()
  const started = await first.call("/countersign/start", { body: { phoneNumber } })
  assert.strictEqual(started.status, 200)
  assert.deepInclude(started.body, {
    status: "waiting",
    phoneNumber,
    channel: "sms",
    codeLength: 6,
    attemptsRemaining: 3,
  })
  assert.strictEqual(started.headers.get("cache-control"), "no-store")
  const code = gateway.latestCode(phoneNumber)
  const checked = await first.call("/countersign/check", { body: { code, phoneNumber } })
  assert.strictEqual(checked.status, 200)
  console.log(JSON.stringify(checked.body), [...first.cookies], JSON.stringify(started.body))
  console.log(await first.user(), await rows("verification"))
})
