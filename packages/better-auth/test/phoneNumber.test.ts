/** The callbacks for better-auth's own phone-number plugin. */
import type { BetterAuthOptions } from "better-auth"
import { phoneNumber as phoneNumberPlugin } from "better-auth/plugins/phone-number"
import { assert, describe, test } from "vitest"
import { type CommonOptions, countersignPhoneNumber } from "../src/index.ts"
import { type Browser, otherNumber, phoneNumber, startApp, startEngine } from "./support/app.ts"

const start = async (options: CommonOptions = {}, auth: BetterAuthOptions = {}) => {
  const host = await startEngine()
  const plugin = phoneNumberPlugin({
    ...countersignPhoneNumber(host.engine, options),
    // Its own codes differ from ours by their length.
    otpLength: 4,
    signUpOnVerification: { getTempEmail: (number) => `${number.slice(1)}@example.com` },
  })
  const app = await startApp({
    emailAndPassword: {
      enabled: true,
      password: {
        hash: (text) => Promise.resolve(text),
        verify: (input) => Promise.resolve(input.hash === input.password),
      },
    },
    ...auth,
    plugins: [plugin],
  })
  return { ...host, ...app }
}

const send = (page: Browser, to = phoneNumber) =>
  page.call("/phone-number/send-otp", { body: { phoneNumber: to } })

const verify = (page: Browser, code: string, to = phoneNumber) =>
  page.call("/phone-number/verify", { body: { phoneNumber: to, code } })

const outcome = ({ body, status }: Awaited<ReturnType<typeof send>>) => [status, body["code"]]

test("a number signs up with our code, and with none of better-auth's", async () => {
  const { browser, gateway, rows } = await start()
  const page = browser()
  assert.strictEqual((await send(page)).status, 200)
  const [stored] = await rows("verification")
  const [own = ""] = String(stored?.["value"]).split(":")
  assert.deepStrictEqual(outcome(await verify(page, own)), [400, "wrong_code"])
  const code = gateway.latestCode(phoneNumber)
  assert.notInclude(JSON.stringify(await rows("verification")), code)
  const verified = await verify(page, code)
  assert.strictEqual(verified.status, 200)
  assert.deepInclude(await page.user(), { phoneNumber, phoneNumberVerified: true })
  assert.isEmpty(await rows("verification"))
})

describe("the request of a browser", () => {
  test("is sent again by each send-otp while it is open, with the same code", async () => {
    const { browser, clock, engine, gateway } = await start()
    const page = browser()
    await send(page)
    const early = await send(page)
    assert.deepStrictEqual(outcome(early), [429, "rate_limited"])
    assert.strictEqual(early.headers.get("retry-after"), "30")
    await clock.advance("31 seconds")
    assert.strictEqual((await send(page)).status, 200)
    const codes = gateway.messages(phoneNumber).map(({ code }) => code)
    assert.lengthOf(codes, 2)
    assert.lengthOf(new Set(codes), 1)
    assert.lengthOf((await engine.verifications.list()).items, 1)
    assert.strictEqual((await verify(page, gateway.latestCode(phoneNumber))).status, 200)
  })

  test("is followed by a new one after it has ended", async () => {
    const { browser, clock, gateway } = await start()
    const page = browser()
    await send(page)
    for (const _ of [1, 2, 3]) await verify(page, "wrong")
    assert.strictEqual((await send(page)).status, 200)
    await clock.advance("6 minutes")
    const expired = await verify(page, gateway.latestCode(phoneNumber))
    assert.deepStrictEqual(outcome(expired), [410, "request_expired"])
    assert.strictEqual((await send(page)).status, 200)
    assert.strictEqual((await verify(page, gateway.latestCode(phoneNumber))).status, 200)
  })

  test("is one of five for a number in an hour", async () => {
    const { browser, clock } = await start()
    const page = browser()
    for (const _ of [1, 2, 3, 4, 5]) {
      assert.strictEqual((await send(page)).status, 200)
      await clock.advance("6 minutes")
    }
    const refused = await send(page)
    assert.deepStrictEqual(outcome(refused), [429, "rate_limited"])
    assert.strictEqual((await send(page, otherNumber)).status, 200)
  })

  test("is known where better-auth answers before the send ends", async () => {
    const tasks: Array<Promise<unknown>> = []
    const { browser, clock, gateway } = await start(
      {},
      {
        advanced: {
          disableCSRFCheck: false,
          backgroundTasks: { handler: (task) => void tasks.push(task) },
        },
      },
    )
    const page = browser()
    const answered = await send(page)
    assert.strictEqual(answered.status, 200)
    assert.include(answered.headers.get("set-cookie"), "countersign_login=")
    await Promise.all(tasks)
    await clock.advance("6 minutes")
    await send(page)
    await Promise.all(tasks)
    assert.lengthOf(gateway.messages(phoneNumber), 2)
    assert.strictEqual((await verify(page, gateway.latestCode(phoneNumber))).status, 200)
  })

  test("is not ended by a stranger who requests a newer code for the number", async () => {
    const { browser, gateway } = await start()
    const [victim, stranger] = [browser(), browser()]
    await send(victim)
    const code = gateway.latestCode(phoneNumber)
    await send(stranger)
    assert.deepStrictEqual(outcome(await verify(stranger, code)), [400, "wrong_code"])
    assert.deepStrictEqual(outcome(await verify(browser(), code)), [404, "request_not_found"])
    assert.strictEqual((await verify(victim, code)).status, 200)
  })
})

describe("the number", () => {
  test("of the code is the one that signs in, not that of the body", async () => {
    const { browser, gateway, rows } = await start()
    const page = browser()
    await send(page)
    const code = gateway.latestCode(phoneNumber)
    const other = await verify(page, code, otherNumber)
    assert.deepStrictEqual(outcome(other), [409, "number_changed"])
    assert.isEmpty(await rows("user"))
    assert.strictEqual((await verify(page, code)).status, 200)
  })

  test("is refused in another form than E.164, by which better-auth would not find the user", async () => {
    const { browser, gateway } = await start({ country: "BD" })
    const refused = await send(browser(), "01712-345678")
    assert.strictEqual(refused.status, 400)
    assert.isEmpty(gateway.messages())
  })

  test("is refused without the validator as well", async () => {
    const { engine, gateway } = await startEngine()
    const { sendOTP } = countersignPhoneNumber(engine)
    const { browser } = await startApp({ plugins: [phoneNumberPlugin({ sendOTP })] })
    const refused = await send(browser(), "+880 1712-345678")
    assert.nestedPropertyVal(refused.body, "details.phoneNumber[0].code", "not_e164")
    assert.isEmpty(gateway.messages())
  })
})

describe("a password reset", () => {
  const withPassword = async () => {
    const app = await start()
    const { internalAdapter, version } = await app.auth.$context
    const fields = { email: "a@example.com", name: "A", phoneNumber, phoneNumberVerified: true }
    const { id } = await internalAdapter.createUser(fields, { method: "phone-number" })
    const password = "the old password"
    await internalAdapter.createAccount({
      userId: id,
      providerId: "credential",
      accountId: id,
      password,
    })
    const request = (page: Browser, to = phoneNumber) =>
      page.call("/phone-number/request-password-reset", { body: { phoneNumber: to } })
    const reset = (page: Browser, otp: string) =>
      page.call("/phone-number/reset-password", {
        body: { phoneNumber, otp, newPassword: "the new password" },
      })
    const asks = version.localeCompare("1.7.8", "en", { numeric: true }) >= 0
    return { ...app, asks, request, reset, version }
  }

  test("takes a code of its own: one to sign in does not reset, and the other way round", async () => {
    const { asks, browser, gateway, logged, request, reset, version } = await withPassword()
    const page = browser()
    await send(page)
    const login = gateway.latestCode(phoneNumber)
    if (!asks) {
      await request(page)
      assert.strictEqual(gateway.latestCode(phoneNumber), login)
      assert.include(logged.join(), `needs better-auth 1.7.8, and this is ${version}`)
      return
    }
    assert.deepStrictEqual(outcome(await reset(page, login)), [404, "request_not_found"])
    await request(page)
    const code = gateway.latestCode(phoneNumber)
    assert.deepStrictEqual(outcome(await verify(page, code)), [400, "wrong_code"])
    assert.deepStrictEqual(outcome(await reset(page, login)), [400, "wrong_code"])
    assert.strictEqual((await reset(page, code)).status, 200)
    const body = { phoneNumber, password: "the new password" }
    assert.strictEqual((await page.call("/sign-in/phone-number", { body })).status, 200)
  })

  test("answers a number without an account, and one whose limit is reached, alike", async () => {
    const { browser, gateway, logged, request } = await withPassword()
    const page = browser()
    const answers = [await request(page), await request(page), await request(page, otherNumber)]
    for (const { body, status } of answers) {
      assert.deepStrictEqual([status, body], [200, { status: true }])
    }
    assert.notInclude(logged.join(), phoneNumber)
    assert.isEmpty(gateway.messages(otherNumber))
  })
})

test("our limits hold on the server, where better-auth has none, and keep their answer", async () => {
  const { engine } = await startEngine({ limits: { sendsPerClient: { max: 1, per: "1 hour" } } })
  const client = (headers: Headers) => headers.get("x-device") ?? undefined
  const plugin = phoneNumberPlugin(countersignPhoneNumber(engine, { client }))
  const { auth } = await startApp({ plugins: [plugin] })
  const headers = new Headers({ "x-device": "one" })
  await auth.api.sendPhoneNumberOTP({ body: { phoneNumber }, headers })
  const second = auth.api.sendPhoneNumberOTP({ body: { phoneNumber: otherNumber }, headers })
  const error = await second.then(
    () => assert.fail("it has succeeded"),
    (error: unknown) => error,
  )
  assert.nestedPropertyVal(error, "body.code", "rate_limited")
  assert.nestedPropertyVal(error, "headers.retry-after", "3600")
})

test("an unknown option is refused at the start", async () => {
  const { engine } = await startEngine()
  const misspelt: object = { signUp: true }
  assert.throws(() => countersignPhoneNumber(engine, misspelt), /signUp is not an option/)
})
