import { afterEach, assert, beforeEach, test } from "vitest"
import { type App, operator, startApp } from "./support/startApp.ts"
import { visiting } from "./support/visiting.ts"

let app: App
beforeEach(async () => {
  app = await startApp()
})
afterEach(() => app.stop())

/** The cookie of a user who has typed the number, and perhaps the code. */
const cookieOf = async (phoneNumber: string, isSignedIn: boolean): Promise<string> => {
  const user = visiting(app.origin)
  await user.post("/login/start", { phoneNumber })
  if (isSignedIn) await user.post("/login/verify", { code: app.code(phoneNumber) })
  return user.cookie()
}

const open = async (path: string, cookie: string, accept: string) => {
  const headers = { cookie, accept }
  const answer = await fetch(`${app.origin}/dashboard${path}`, { headers, redirect: "manual" })
  return { status: answer.status, location: answer.headers.get("location"), answer }
}

test("an operator who has signed in uses the dashboard, and the audit has the name", async () => {
  const cookie = await cookieOf(operator, true)
  const page = await open("/", cookie, "text/html")
  assert.strictEqual(page.status, 200)
  assert.match(await page.answer.text(), /<div id="root">/)
  const created = await fetch(`${app.origin}/dashboard/api/organizations/default/api-keys`, {
    method: "POST",
    headers: { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" },
    body: JSON.stringify({ name: "of the dashboard" }),
  })
  assert.strictEqual(created.status, 200)
  const { items: entries } = await app.countersign.audit.list({ limit: 1 })
  assert.deepInclude(entries[0], { actor: "olga", action: "api_key.created" })
})

test.each([
  ["a visitor", undefined],
  ["an operator without a code", { phoneNumber: operator, isSignedIn: false }],
  ["another user", { phoneNumber: "+8801712000002", isSignedIn: true }],
])("%s is led to the sign-in, and the API is closed", async (_who, user) => {
  const cookie = user === undefined ? "" : await cookieOf(user.phoneNumber, user.isSignedIn)
  const page = await open("/messages", cookie, "text/html")
  assert.deepStrictEqual([page.status, page.location], [303, "/"])
  const api = await open("/api/organizations", cookie, "application/json")
  assert.strictEqual(api.status, 401)
})
