import { afterAll, assert, beforeAll, test } from "vitest"
import { assertBehindPassword, signIn } from "../../../test/support/passwordSignIn.ts"
import { at, type Quickstart } from "../../../test/support/Quickstart.ts"
import { databases } from "./support/onServer.ts"

const { close, start } = databases()
let quickstart: Quickstart

beforeAll(async () => {
  quickstart = await start()
})

afterAll(close)

/** The cookie of a browser that has signed in. */
const session = async (): Promise<string> => {
  const { cookie = "" } = await signIn(quickstart.dashboardUrl, quickstart.dashboardPassword)
  return cookie
}

test("the dashboard asks for the password that was printed", async () => {
  assert.include(quickstart.output(), `Password  ${quickstart.dashboardPassword}`)
  await assertBehindPassword(quickstart.dashboardUrl, quickstart.dashboardPassword)
})

test("an operator sees every organization, and the inbox", async () => {
  const headers = { cookie: await session() }
  const api = `${quickstart.dashboardUrl}/api`
  const host = at(await (await fetch(`${api}/session`, { headers })).json(), "host")
  assert.deepInclude(host, { inboxUrl: "/inbox", production: false })
  const answer = await fetch(`${api}/organizations`, { headers })
  const organizations = at(await answer.json(), "organizations")
  assert.deepStrictEqual(
    Array.isArray(organizations) ? organizations.map((one) => at(one, "id")) : undefined,
    ["acme", "globex", "initech"],
  )
  await quickstart.call("/verify", { body: { phone_number: "+8801712300001" } })
  const found = await fetch(`${api}/organizations/acme/messages?phoneNumber=%2B8801712300001`, {
    headers,
  })
  assert.strictEqual(at(await found.json(), "messages", 0, "status"), "delivered")
})

test("changes from a page of another site are refused", async () => {
  const change = async (headers: Record<string, string>) => {
    const answer = await fetch(`${quickstart.dashboardUrl}/api/organizations/acme/api-keys`, {
      method: "POST",
      headers: { cookie: await session(), "content-type": "application/json", ...headers },
      body: JSON.stringify({ name: "made in the dashboard" }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  assert.strictEqual((await change({ "sec-fetch-site": "cross-site" })).status, 403)
  assert.strictEqual((await change({})).status, 403)
  const made = await change({ "sec-fetch-site": "same-origin" })
  assert.strictEqual(made.status, 200)
  assert.match(JSON.stringify(made.body), /csk_/)
})
