/** How a user who is signed in gets a number. */
import { assert, test } from "vitest"
import { countersign } from "../src/index.ts"
import { type Browser, otherNumber, phoneNumber, startApp, startEngine } from "./support/app.ts"

const start = async () => {
  const host = await startEngine()
  const app = await startApp({
    plugins: [countersign(host.engine, { clock: host.clock })],
    // The user of the session is in a cookie, which a link has to renew.
    session: { cookieCache: { enabled: true, maxAge: 300 } },
  })
  const signIn = async (page: Browser, to: string) => {
    await page.call("/countersign/start", { body: { phoneNumber: to } })
    const code = host.gateway.latestCode(to)
    return page.call("/countersign/check", { body: { code } })
  }
  const startLink = async (page: Browser, to: string) => {
    await page.call("/countersign/start", { body: { phoneNumber: to, purpose: "link" } })
    return host.gateway.latestCode(to)
  }
  return { ...host, ...app, signIn, startLink }
}

const link = (page: Browser, code: string) => page.call("/countersign/link", { body: { code } })

test("a user who is signed in changes the number, and signs in with it", async () => {
  const { browser, rows, signIn, startLink } = await start()
  const page = browser()
  await signIn(page, phoneNumber)
  const code = await startLink(page, otherNumber)
  const { body: state } = await page.call("/countersign/state?purpose=link")
  assert.deepInclude(state, { status: "waiting", phoneNumber: otherNumber })
  const linked = await link(page, code)
  assert.strictEqual(linked.status, 200)
  assert.deepInclude(linked.body["user"], { phoneNumber: otherNumber, phoneNumberVerified: true })
  assert.deepStrictEqual(await page.user(), linked.body["user"])

  const { body } = await signIn(browser(), otherNumber)
  assert.deepStrictEqual(body["user"], linked.body["user"])
  assert.lengthOf(await rows("user"), 1)
})

test("a visitor who is not signed in links nothing", async () => {
  const { browser, gateway } = await start()
  const body = { phoneNumber, purpose: "link" }
  const started = await browser().call("/countersign/start", { body })
  const linked = await link(browser(), "123456")
  for (const { body, status } of [started, linked]) {
    assert.deepStrictEqual([status, body["code"]], [401, "UNAUTHORIZED"])
  }
  assert.isEmpty(gateway.messages())
})

test("a code to link does not sign in, and a code to sign in does not link", async () => {
  const { browser, gateway, signIn, startLink } = await start()
  const page = browser()
  await signIn(page, phoneNumber)
  const code = await startLink(page, otherNumber)
  const checked = await page.call("/countersign/check", { body: { code } })
  assert.deepStrictEqual([checked.status, checked.body["code"]], [404, "request_not_found"])

  await page.call("/countersign/cancel", { body: { purpose: "link" } })
  await page.call("/countersign/start", { body: { phoneNumber: otherNumber } })
  const linked = await link(page, gateway.latestCode(otherNumber))
  assert.deepStrictEqual([linked.status, linked.body["code"]], [404, "request_not_found"])
})

test("the number of another user is not taken", async () => {
  const { browser, clock, signIn, startLink } = await start()
  await signIn(browser(), otherNumber)
  const page = browser()
  await signIn(page, phoneNumber)
  await clock.advance("1 minute")
  const linked = await link(page, await startLink(page, otherNumber))
  assert.deepStrictEqual([linked.status, linked.body["code"]], [409, "number_in_use"])
  assert.deepInclude(await page.user(), { phoneNumber })
})

test("a code that was sent for one user does not link the number to the next", async () => {
  const { browser, rows, signIn, startLink } = await start()
  const page = browser()
  await signIn(page, phoneNumber)
  const code = await startLink(page, otherNumber)
  await signIn(page, "+8801912345678")
  const linked = await link(page, code)
  assert.deepStrictEqual([linked.status, linked.body["code"]], [409, "user_changed"])
  assert.notInclude(JSON.stringify(await rows("user")), otherNumber)

  const own = await startLink(page, otherNumber)
  await signIn(page, "+8801612345678")
  const next = await startLink(page, otherNumber)
  assert.notStrictEqual(next, own)
  assert.strictEqual((await link(page, next)).status, 200)
})

test("a number that another user has only claimed is taken from them", async () => {
  const { auth, browser, rows, signIn, startLink } = await start()
  const { internalAdapter } = await auth.$context
  const fields = { email: "stranger@example.com", name: "Stranger", phoneNumber: otherNumber }
  await internalAdapter.createUser(fields, { method: "email" })
  const page = browser()
  await signIn(page, phoneNumber)
  assert.strictEqual((await link(page, await startLink(page, otherNumber))).status, 200)
  const numbers = (await rows("user")).map((user) => user["phoneNumber"])
  assert.deepStrictEqual(numbers, [null, otherNumber])
})
