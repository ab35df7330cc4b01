/** What the endpoints of the plugin do for an attacker. docs/guides/frameworks/better-auth.md names the attacks. */
import { assert, describe, test } from "vitest"
import { countersign, type CountersignOptions } from "../src/index.ts"
import {
  type Browser,
  origin,
  otherNumber,
  phoneNumber,
  startApp,
  startEngine,
} from "./support/app.ts"

const start = async (options: CountersignOptions = {}) => {
  const host = await startEngine()
  const plugin = countersign(host.engine, { clock: host.clock, ...options })
  return { ...host, ...(await startApp({ plugins: [plugin] })) }
}

type Started = Awaited<ReturnType<typeof start>>

const begin = async (
  { browser, gateway }: Pick<Started, "browser" | "gateway">,
  to = phoneNumber,
) => {
  const page = browser()
  await page.call("/countersign/start", { body: { phoneNumber: to } })
  return { page, code: gateway.latestCode(to) }
}

const check = (page: Browser, code: string) => page.call("/countersign/check", { body: { code } })

const outcome = ({ body, status }: Awaited<ReturnType<typeof check>>) => [status, body["code"]]

/** A code that is wrong for sure. */
const wrong = (code: string): string =>
  code.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10))

describe("guesses", () => {
  test("three wrong codes end a request, and then the right one fails", async () => {
    const host = await start()
    const { code, page } = await begin(host)
    const first = await check(page, wrong(code))
    assert.deepInclude(first.body, { code: "wrong_code", attemptsRemaining: 2 })
    assert.deepStrictEqual(outcome(await check(page, wrong(code))), [400, "wrong_code"])
    assert.deepStrictEqual(outcome(await check(page, wrong(code))), [429, "attempts_exhausted"])
    assert.deepStrictEqual(outcome(await check(page, code)), [429, "attempts_exhausted"])
    assert.isUndefined(await page.user())
    assert.isEmpty(await host.rows("session"))
  })
})

describe("replay", () => {
  test("a code signs in once, also with the cookie of before", async () => {
    const host = await start()
    const { code, page } = await begin(host)
    const cookies = [...page.cookies]
    assert.strictEqual((await check(page, code)).status, 200)
    assert.deepStrictEqual(outcome(await check(page, code)), [404, "request_not_found"])
    const thief = host.browser()
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    assert.deepStrictEqual(outcome(await check(thief, code)), [409, "already_consumed"])
    assert.deepStrictEqual(outcome(await check(thief, wrong(code))), [409, "already_consumed"])
    assert.lengthOf(await host.rows("session"), 1)
  })

  test("of two tabs with the right code, one signs in", async () => {
    const host = await start()
    const { code, page } = await begin(host)
    const tabs = await Promise.all([check(page, code), check(page, code)])
    assert.deepStrictEqual(tabs.map(({ status }) => status).toSorted(), [200, 409])
    assert.lengthOf(await host.rows("session"), 1)
  })
})

describe("another browser", () => {
  test("the code of a victim is worth nothing in another browser", async () => {
    const host = await start()
    const { code, page } = await begin(host)
    assert.deepStrictEqual(outcome(await check(host.browser(), code)), [404, "request_not_found"])
    const attacker = await begin(host, otherNumber)
    assert.deepStrictEqual(outcome(await check(attacker.page, code)), [400, "wrong_code"])
    assert.strictEqual((await check(page, code)).status, 200)
  })

  test("a stranger who requests a newer code for the same number does not end the victim's", async () => {
    const host = await start()
    const victim = await begin(host)
    const stranger = await begin(host)
    await check(stranger.page, wrong(stranger.code))
    assert.strictEqual((await check(victim.page, victim.code)).status, 200)
  })

  test("a cookie that is forged, or of another purpose, is no cookie", async () => {
    const host = await start()
    const { code, page } = await begin(host)
    const [[name, value] = ["", ""]] = page.cookies
    const signature = value.lastIndexOf(".") + 1
    const swapped = value[signature] === "A" ? "B" : "A"
    const forged = host.browser()
    forged.cookies.set(name, value.slice(0, signature) + swapped + value.slice(signature + 1))
    assert.deepStrictEqual(outcome(await check(forged, code)), [404, "request_not_found"])
    forged.cookies.set(name, value.slice(0, signature - 1))
    assert.deepStrictEqual(outcome(await check(forged, code)), [404, "request_not_found"])

    const { page: signedIn } = await begin(host, otherNumber)
    await check(signedIn, host.gateway.latestCode(otherNumber))
    signedIn.cookies.set(name.replace("login", "link"), value)
    const state = await signedIn.call("/countersign/state?purpose=link")
    assert.deepStrictEqual(state.body, { status: "idle" })
    const linked = await signedIn.call("/countersign/link", { body: { code } })
    assert.deepStrictEqual(outcome(linked), [404, "request_not_found"])
  })

  test("the cookie is signed, and out of reach of scripts and of other sites", async () => {
    const host = await startEngine()
    const { browser } = await startApp({
      plugins: [countersign(host.engine)],
      advanced: { disableCSRFCheck: false, useSecureCookies: true },
    })
    const { headers } = await browser().call("/countersign/start", { body: { phoneNumber } })
    const cookie = headers.get("set-cookie") ?? ""
    assert.match(cookie, /^__Secure-better-auth\.countersign_login=/)
    for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Max-Age=3600"]) {
      assert.include(cookie, `; ${attribute}`)
    }
    assert.notInclude(cookie, phoneNumber.slice(1))
  })
})

describe("another number", () => {
  test("a page that shows another number than the code's gets number_changed, and keeps its attempts", async () => {
    const host = await start()
    const { code, page } = await begin(host)
    const body = { code, phoneNumber: otherNumber }
    const changed = await page.call("/countersign/check", { body })
    assert.deepStrictEqual(outcome(changed), [409, "number_changed"])
    assert.strictEqual((await page.call("/countersign/state")).body["attemptsRemaining"], 3)
    assert.strictEqual((await check(page, code)).status, 200)
  })

  test("requests cannot set the number of a user", async () => {
    const host = await startEngine()
    const app = await startApp({
      plugins: [countersign(host.engine)],
      emailAndPassword: { enabled: true, password: { hash: (text) => Promise.resolve(text) } },
    })
    const page = app.browser()
    const user = { email: "a@example.com", name: "A", password: "long enough" }
    const withNumber = await page.call("/sign-up/email", { body: { ...user, phoneNumber } })
    assert.strictEqual(withNumber.status, 400)
    assert.strictEqual((await page.call("/sign-up/email", { body: user })).status, 200)
    const updated = await page.call("/update-user", { body: { phoneNumber } })
    assert.strictEqual(updated.status, 400)
    const verified = await page.call("/update-user", { body: { phoneNumberVerified: true } })
    assert.strictEqual(verified.status, 400)
    const rows = JSON.stringify(await app.rows("user"))
    assert.notInclude(rows, phoneNumber)
  })

  test("a number that a stranger has claimed is taken from them when its owner signs in", async () => {
    const { auth, ...host } = await start()
    const { internalAdapter } = await auth.$context
    const fields = { email: "stranger@example.com", name: "Stranger", phoneNumber }
    const stranger = await internalAdapter.createUser(fields, { method: "email" })
    const { code, page } = await begin(host)
    const checked = await check(page, code)
    assert.deepInclude(checked.body["user"], { phoneNumber, phoneNumberVerified: true })
    assert.notDeepInclude(checked.body["user"], { id: stranger.id })
    const claimants = (await host.rows("user")).filter(({ id }) => id === stranger.id)
    assert.deepStrictEqual(
      claimants.map((user) => user["phoneNumber"]),
      [null],
    )
  })
})

describe("enumeration", () => {
  test("a start answers alike for a number with an account and without one", async () => {
    const host = await start({ signUp: false })
    const { internalAdapter } = await host.auth.$context
    const fields = { email: "a@example.com", name: "A", phoneNumber, phoneNumberVerified: true }
    await internalAdapter.createUser(fields, { method: "phone-number" })
    const shape = async (to: string) => {
      const page = host.browser()
      const { body, headers, status } = await page.call("/countersign/start", {
        body: { phoneNumber: to },
      })
      const guess = await check(page, wrong(host.gateway.latestCode(to)))
      return [status, Object.keys(body), [...headers.keys()], guess.status, guess.body]
    }
    assert.deepStrictEqual(await shape(phoneNumber), await shape(otherNumber))
    // Only the owner of the number learns it.
    const { code, page } = await begin(host, otherNumber)
    assert.deepStrictEqual(outcome(await check(page, code)), [403, "sign_up_disabled"])
    assert.lengthOf(await host.rows("user"), 1)
  })
})

describe("pumping", () => {
  test("better-auth limits each path for an address, and says how long to wait", async () => {
    const host = await startEngine()
    const plugin = countersign(host.engine, { rateLimit: { window: 60, max: 2 } })
    const { browser } = await startApp({ plugins: [plugin], rateLimit: { enabled: true } })
    const headers = { "x-forwarded-for": "203.0.113.7" }
    const call = (path: string) => browser().call(`/countersign${path}`, { body: {}, headers })
    const statuses = [await call("/resend"), await call("/resend"), await call("/resend")]
    assert.deepStrictEqual(
      statuses.map(({ status }) => status),
      [404, 404, 429],
    )
    assert.strictEqual((await call("/cancel")).status, 200)
  })

  test("the limits of the engine hold where better-auth's do not: on the server", async () => {
    const { engine } = await startEngine({ limits: { sendsPerClient: { max: 1, per: "1 hour" } } })
    const client = (headers: Headers) => headers.get("x-device") ?? undefined
    const { auth } = await startApp({ plugins: [countersign(engine, { client })] })
    const headers = new Headers({ "x-device": "one" })
    await auth.api.countersignStart({ body: { phoneNumber }, headers })
    const second = auth.api.countersignStart({ body: { phoneNumber: otherNumber }, headers })
    const error = await second.then(
      () => assert.fail("it has succeeded"),
      (error: unknown) => error,
    )
    assert.deepInclude(error, { status: "TOO_MANY_REQUESTS", statusCode: 429 })
    assert.nestedPropertyVal(error, "body.code", "rate_limited")
    assert.nestedPropertyVal(error, "headers.retry-after", "3600")
  })

  test("the address that better-auth finds is the client of the limits", async () => {
    const { engine } = await startEngine({ limits: { sendsPerClient: { max: 1, per: "1 hour" } } })
    const { browser } = await startApp({ plugins: [countersign(engine)] })
    const send = (address: string, to: string) =>
      browser().call("/countersign/start", {
        body: { phoneNumber: to },
        headers: { "x-forwarded-for": address },
      })
    assert.strictEqual((await send("203.0.113.7", phoneNumber)).status, 200)
    assert.strictEqual((await send("203.0.113.7", otherNumber)).status, 429)
    assert.strictEqual((await send("203.0.113.8", otherNumber)).status, 200)
  })
})

describe("another site", () => {
  test.each([
    ["with a cookie", { origin: "https://evil.example", cookie: "a=b" }],
    ["without a cookie", { origin: "https://evil.example" }],
    ["by a form", { origin: "null", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
  ])("its page sends no code %s", async (_, headers) => {
    const { browser, gateway } = await start()
    const sent = await browser().call("/countersign/start", { body: { phoneNumber }, headers })
    assert.strictEqual(sent.status, 403)
    assert.isEmpty(gateway.messages())
  })

  test("a body that a form could send is refused", async () => {
    const { browser, gateway } = await start()
    const headers = { "content-type": "text/plain", origin }
    const sent = await browser().call("/countersign/start", {
      body: JSON.stringify({ phoneNumber }),
      headers,
    })
    assert.isAtLeast(sent.status, 400)
    assert.isEmpty(gateway.messages())
  })
})

test("nothing of a code is stored by better-auth", async () => {
  const host = await start()
  const { code, page } = await begin(host)
  await check(page, wrong(code))
  assert.isEmpty(await host.rows("verification"))
})
