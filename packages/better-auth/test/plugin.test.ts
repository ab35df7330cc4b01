/** What the endpoints of the plugin do for an honest visitor. */
import type { Gateway } from "countersign"
import { assert, describe, test } from "vitest"
import { countersign, type CountersignOptions } from "../src/index.ts"
import { otherNumber, phoneNumber, startApp, startEngine } from "./support/app.ts"

const start = async (options: CountersignOptions = {}) => {
  const host = await startEngine()
  const plugin = countersign(host.engine, { clock: host.clock, ...options })
  return { ...host, ...(await startApp({ plugins: [plugin] })) }
}

describe("sign-in", () => {
  test("a number signs up, and signs in to the same user from another browser", async () => {
    const { browser, clock, gateway, rows } = await start()
    const first = browser()
    const started = await first.call("/countersign/start", { body: { phoneNumber } })
    assert.strictEqual(started.status, 200)
    assert.strictEqual(started.headers.get("cache-control"), "no-store")
    const { expiresAt, now, resendAt, ...others } = started.body
    assert.deepStrictEqual(others, {
      status: "waiting",
      phoneNumber,
      channel: "sms",
      codeLength: 6,
      resendsRemaining: 3,
      attemptsRemaining: 3,
    })
    const seconds = [resendAt, expiresAt].map((time) =>
      Math.round((Date.parse(String(time)) - Date.parse(String(now))) / 1000),
    )
    assert.deepStrictEqual(seconds, [30, 300])

    const body = { code: gateway.latestCode(phoneNumber), phoneNumber }
    const checked = await first.call("/countersign/check", { body })
    assert.strictEqual(checked.status, 200)
    assert.deepInclude(checked.body["user"], { phoneNumber, phoneNumberVerified: true, name: "" })
    assert.deepStrictEqual(await first.user(), checked.body["user"])
    assert.deepStrictEqual([...first.cookies.keys()], ["better-auth.session_token"])

    await clock.advance("1 minute")
    const second = browser()
    await second.call("/countersign/start", { body: { phoneNumber } })
    await second.call("/countersign/check", { body: { code: gateway.latestCode(phoneNumber) } })
    assert.deepStrictEqual(await second.user(), await first.user())
    assert.lengthOf(await rows("user"), 1)
  })

  test("numbers in national form are read in the country of the option", async () => {
    const { browser, gateway } = await start({ country: "BD" })
    const page = browser()
    const national = "০১৭১২-৩৪৫৬৭৮"
    const started = await page.call("/countersign/start", { body: { phoneNumber: national } })
    assert.strictEqual(started.body["phoneNumber"], phoneNumber)
    const body = { code: gateway.latestCode(phoneNumber), phoneNumber: "01712 345678" }
    assert.strictEqual((await page.call("/countersign/check", { body })).status, 200)
  })

  test("the host chooses the fields of new users, and the length and the life of codes", async () => {
    const { browser, gateway } = await start({
      codeLength: 8,
      expiresIn: "10 minutes",
      newUser: (number) => ({ email: "new@example.com", name: `…${number.slice(-2)}` }),
    })
    const page = browser()
    const started = await page.call("/countersign/start", { body: { phoneNumber } })
    assert.strictEqual(started.body["codeLength"], 8)
    const code = gateway.latestCode(phoneNumber)
    assert.match(code, /^\d{8}$/)
    const checked = await page.call("/countersign/check", { body: { code } })
    assert.deepInclude(checked.body["user"], { email: "new@example.com", name: "…78" })
  })

  test("an address of the default contains no number, and receives no mail", async () => {
    const { browser, gateway } = await start()
    const page = browser()
    await page.call("/countersign/start", { body: { phoneNumber } })
    await page.call("/countersign/check", { body: { code: gateway.latestCode(phoneNumber) } })
    const user = await page.user()
    assert.match(JSON.stringify(user), /"email":"[0-9a-f-]{36}@phone\.invalid"/)
  })
})

describe("the code again", () => {
  test("the same number again sends nothing during the cooldown, and then the same code", async () => {
    const { browser, clock, gateway } = await start()
    const page = browser()
    const first = await page.call("/countersign/start", { body: { phoneNumber } })
    const again = await page.call("/countersign/start", { body: { phoneNumber } })
    assert.strictEqual(again.status, 200)
    assert.strictEqual(again.body["resendAt"], first.body["resendAt"])
    assert.lengthOf(gateway.messages(phoneNumber), 1)

    await clock.advance("31 seconds")
    const later = await page.call("/countersign/start", { body: { phoneNumber } })
    assert.strictEqual(later.body["resendsRemaining"], 2)
    const codes = gateway.messages(phoneNumber).map(({ code }) => code)
    assert.lengthOf(codes, 2)
    assert.lengthOf(new Set(codes), 1)
  })

  test("another number ends the request of the first one", async () => {
    const { browser, engine } = await start()
    const page = browser()
    await page.call("/countersign/start", { body: { phoneNumber } })
    await page.call("/countersign/start", { body: { phoneNumber: otherNumber } })
    const { items } = await engine.verifications.list()
    const states = items.map(({ phoneNumber, status }) => [phoneNumber, status])
    assert.deepStrictEqual(states, [
      [otherNumber, "pending"],
      [phoneNumber, "failed"],
    ])
  })

  test("another number that is refused leaves the first request as it was", async () => {
    const { browser, gateway } = await start()
    const page = browser()
    await page.call("/countersign/start", { body: { phoneNumber } })
    const refused = await page.call("/countersign/start", { body: { phoneNumber: "+8801" } })
    assert.strictEqual(refused.status, 400)
    const { body: state } = await page.call("/countersign/state")
    assert.deepInclude(state, { status: "waiting", phoneNumber })
    const body = { code: gateway.latestCode(phoneNumber) }
    assert.strictEqual((await page.call("/countersign/check", { body })).status, 200)
  })

  test("a resend during the cooldown says how long to wait", async () => {
    const { browser, clock } = await start()
    const page = browser()
    await page.call("/countersign/start", { body: { phoneNumber } })
    const early = await page.call("/countersign/resend", { body: {} })
    assert.strictEqual(early.status, 429)
    assert.deepInclude(early.body, { code: "rate_limited", retryAfterSeconds: 30 })
    assert.strictEqual(early.headers.get("retry-after"), "30")
    assert.strictEqual(early.headers.get("cache-control"), "no-store")

    await clock.advance("31 seconds")
    const body = { channel: "whatsapp" }
    const late = await page.call("/countersign/resend", { body })
    assert.deepInclude(late.body, { channel: "whatsapp", resendsRemaining: 2 })
  })

  test("after the last resend, the same number gets a new code", async () => {
    const { browser, clock, gateway } = await start()
    const page = browser()
    const sends = [0, 1, 2, 3, 4]
    for (const _ of sends) {
      const { status } = await page.call("/countersign/start", { body: { phoneNumber } })
      assert.strictEqual(status, 200)
      await clock.advance("31 seconds")
    }
    const codes = gateway.messages(phoneNumber).map(({ code }) => code)
    assert.lengthOf(codes, sends.length)
    const code = gateway.latestCode(phoneNumber)
    assert.strictEqual((await page.call("/countersign/check", { body: { code } })).status, 200)
  })
})

describe("the state", () => {
  test("survives a reload, and a cancelled request is idle", async () => {
    const { browser, engine } = await start()
    const page = browser()
    assert.deepStrictEqual((await page.call("/countersign/state")).body, { status: "idle" })
    const { body: started } = await page.call("/countersign/start", { body: { phoneNumber } })
    const { now: _, ...waiting } = started
    const { body: state } = await page.call("/countersign/state")
    assert.deepInclude(state, waiting)

    const cancelled = await page.call("/countersign/cancel", { body: {} })
    assert.deepStrictEqual(cancelled.body, { status: "idle" })
    assert.deepStrictEqual((await page.call("/countersign/state")).body, { status: "idle" })
    const [request] = (await engine.verifications.list()).items
    assert.deepInclude(request, { status: "failed", reason: "cancelled" })
  })

  test("is idle after a cancel that another tab's check has overtaken", async () => {
    const { engine, gateway } = await startEngine()
    const overtaken = async (input: { readonly requestId: string }) => {
      const code = gateway.latestCode(phoneNumber)
      await engine.verifications.verify({ ...input, code, purpose: "login" })
      return engine.verifications.cancel(input)
    }
    const verifications = { ...engine.verifications, cancel: overtaken }
    const { browser } = await startApp({ plugins: [countersign({ verifications })] })
    const page = browser()
    await page.call("/countersign/start", { body: { phoneNumber } })
    const cancelled = await page.call("/countersign/cancel", { body: {} })
    assert.deepStrictEqual([cancelled.status, cancelled.body], [200, { status: "idle" }])
  })

  test("is idle after the code has expired", async () => {
    const { browser, clock, gateway } = await start()
    const page = browser()
    await page.call("/countersign/start", { body: { phoneNumber } })
    await clock.advance("6 minutes")
    assert.deepStrictEqual((await page.call("/countersign/state")).body, { status: "idle" })
    const body = { code: gateway.latestCode(phoneNumber) }
    const late = await page.call("/countersign/check", { body })
    assert.deepStrictEqual([late.status, late.body["code"]], [410, "request_expired"])
  })
})

describe("problems", () => {
  const rows = [
    ["/start", {}, "phoneNumber", "required"],
    ["/start", { phoneNumber: 1 }, "phoneNumber", "not_string"],
    ["/start", { phoneNumber: "none" }, "phoneNumber", "not_e164"],
    ["/start", { phoneNumber, channel: "fax" }, "channel", "unknown_channel"],
    ["/start", { phoneNumber, locale: "xx" }, "locale", "unknown_option"],
    ["/start", { phoneNumber, purpose: "pay" }, "purpose", "unknown_option"],
    ["/start", { phoneNumber, metadata: "{}" }, "metadata", "unknown_field"],
    ["/resend", { phoneNumber }, "phoneNumber", "unknown_field"],
    ["/check", {}, "code", "required"],
    ["/check", ["code"], "body", "not_object"],
    ["/cancel", { purpose: "" }, "purpose", "unknown_option"],
  ] as const

  test.each(rows)("%s refuses %j: %s %s", async (path, body, field, code) => {
    const { browser, gateway } = await start()
    const { body: problem, status } = await browser().call(`/countersign${path}`, { body })
    assert.strictEqual(status, 400)
    assert.strictEqual(problem["code"], "invalid_request")
    assert.nestedPropertyVal(problem, `details.${field}[0].code`, code)
    assert.isEmpty(gateway.messages())
  })

  test("an unknown option or country, and an engine that was not awaited, are refused at the start", async () => {
    const { engine } = await startEngine()
    // @ts-expect-error -- a promise has no verifications
    assert.throws(() => countersign(Promise.resolve(engine)), /await createCountersign/)
    const misspelt: object = { contry: "BD" }
    assert.throws(() => countersign(engine, { country: "XX" }), /^country: /)
    assert.throws(() => countersign(engine, misspelt), /contry is not an option.*country/)
  })

  test("the answer to a failed send has the cookie as well, because a code may arrive late", async () => {
    const refusing: Gateway = {
      name: "refusing",
      send: () => Promise.resolve({ status: "rejected", reason: "content", message: "no" }),
    }
    const { engine } = await startEngine({ gateways: [refusing] })
    const { browser, logged } = await startApp({ plugins: [countersign(engine)] })
    const page = browser()
    const started = await page.call("/countersign/start", { body: { phoneNumber } })
    assert.deepStrictEqual([started.status, started.body["code"]], [500, "sending_failed"])
    assert.deepStrictEqual([...page.cookies.keys()], ["better-auth.countersign_login"])
    assert.match(logged.join(), /countersign: sending_failed/)
    assert.deepStrictEqual((await page.call("/countersign/state")).body, { status: "idle" })
  })

  test("visitors are not told what only operators can mend; the log is", async () => {
    const { browser, engine, logged } = await start()
    await engine.dispose()
    const { body, status } = await browser().call("/countersign/start", { body: { phoneNumber } })
    assert.deepStrictEqual([status, body["code"]], [503, "unavailable"])
    assert.match(logged.join(), /countersign: disposed/)
    assert.notInclude(logged.join(), phoneNumber)
  })
})
