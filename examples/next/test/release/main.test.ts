import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../../../../test/support/chromium.ts"
import {
  beginPost,
  closed,
  codeFor,
  type Example,
  runExample,
  startExample,
  wrong,
} from "../../../../test/support/Example.ts"
import { temporaryDatabases } from "../../../../test/support/temporaryDatabases.ts"
import { cookieName, openSessions } from "../../src/sessions.ts"

const make = temporaryDatabases()

/** How long Next may take to compile everything, on a machine that is busy with other tests. */
const buildMillis = 240_000

const quiet = { NEXT_TELEMETRY_DISABLED: "1" }
const built = { ...quiet, NODE_ENV: "production", PRINT_CODES: "true" }
const operator = "+8801712500009"
const COUNTERSIGN_SECRET = "a secret for tests, and for nothing else"

test(
  "starts without a build",
  async () => {
    const app = await startExample("next", { env: quiet })
    try {
      const page = await fetch(app.origin)
      assert.strictEqual(page.status, 200)
      assert.include(await page.text(), "Phone number, with its country code outside of Bangladesh")
      // On a database in a folder.
      assert.strictEqual((await fetch(`${app.origin}/api/v2/balance`)).status, 401)
    } finally {
      assert.strictEqual((await app.stop()).code, 0)
    }
  },
  buildMillis,
)

describe("built", () => {
  let app: Example
  let env: Readonly<Record<string, string>>

  beforeAll(async () => {
    const next = join(import.meta.dirname, "../../node_modules/next/dist/bin/next")
    const options = { args: [next, "build"], env: quiet, startMillis: buildMillis }
    const build = await runExample("next", options)
    assert.strictEqual(build.code, 0, build.stdout + build.stderr)
    env = {
      ...built,
      DATABASE_URL: await make(),
      COUNTERSIGN_SECRET,
      OPERATORS: `olga=${operator}`,
    }
    app = await startExample("next", { env })
  }, buildMillis + 60_000)
  afterAll(() => app?.stop())

  const key = async (): Promise<string> => {
    const made = await runExample("next", { args: ["src/createKey.ts"], env })
    assert.match(made.stdout, /^csk_live_\w+\n$/)
    return made.stdout.trim()
  }

  test("serves the engine's interface through its route handler", async () => {
    const headers = { authorization: `Bearer ${await key()}`, "content-type": "application/json" }
    const ask = async (method: string, path: string, body?: unknown) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      return fetch(`${app.origin}/api/v2${path}`, { method, headers, ...sent })
    }
    const balance = await ask("GET", "/balance")
    assert.deepStrictEqual(await balance.json(), {
      success: true,
      data: { balance: 0, currency: "BDT" },
    })
    const message = { to: "8801712500001", message: "Hello" }
    assert.strictEqual((await ask("POST", "/messages", message)).status, 200)
    assert.strictEqual((await ask("POST", "/messages", {})).status, 422)
    const log = await ask("GET", "/messages?limit=1")
    assert.deepInclude(await log.json(), {
      pagination: { page: 1, limit: 1, total: 1, total_pages: 1 },
    })
    const refused = await ask("DELETE", "/balance")
    assert.deepStrictEqual(
      [refused.status, refused.headers.get("allow")],
      [405, "GET, HEAD, OPTIONS"],
    )
    assert.strictEqual((await ask("GET", "/nothing")).status, 404)
  })

  test("shows the dashboard to operators who have signed in", async () => {
    const sessions = await openSessions(env["DATABASE_URL"], "")
    const open = async (phoneNumber: string, requestId: string | null, path: string) => {
      const id = await sessions.create({ phoneNumber, requestId }, Date.now())
      const headers = { cookie: `${cookieName}=${id}`, accept: "text/html" }
      return fetch(`${app.origin}/dashboard${path}`, { headers, redirect: "manual" })
    }
    assert.strictEqual((await open(operator, null, "")).headers.get("location"), "./dashboard/")
    const page = await open(operator, null, "/messages")
    assert.strictEqual(page.status, 200)
    const [, script = ""] = /src="([^"]+\.js)"/.exec(await page.text()) ?? []
    const asset = await fetch(new URL(script, `${app.origin}/dashboard/messages`))
    assert.strictEqual(asset.status, 200)
    assert.strictEqual((await open(operator, null, "/")).status, 200)
    assert.strictEqual((await open(operator, null, "/api/organizations")).status, 200)
    for (const [phoneNumber, requestId] of [
      [operator, "vrf_1"],
      ["+8801712500010", null],
    ] as const) {
      const refused = await open(phoneNumber, requestId, "/")
      assert.deepStrictEqual([refused.status, refused.headers.get("location")], [303, "/"])
    }
    assert.strictEqual((await fetch(`${app.origin}/dashboard/api/organizations`)).status, 401)
    await sessions.close()
  })

  describe("in a browser", () => {
    let browser: Browser
    /** Why this cannot run. It is then reported as skipped, never as passed. */
    let missing: string | undefined

    beforeAll(async () => {
      missing = await missingBrowser()
      if (missing === undefined) browser = await openBrowser()
    }, installMillis + 60_000)
    afterAll(() => browser?.close())

    test("its actions sign in and sign out", async ({ skip }) => {
      if (missing !== undefined) return skip(missing)
      const page = await browser.newPage()
      const press = (name: string) => page.getByRole("button", { name }).click()
      await page.goto(app.origin)
      await page.getByLabel("Phone number").fill("12")
      await press("Send me a code")
      await page.getByRole("alert").getByText("Please enter a phone number").waitFor()
      await page.getByLabel("Phone number").fill("+8801712500002")
      await press("Send me a code")
      await page.getByText("We have sent a code to +8801712500002.").waitFor()

      const code = await codeFor(app, "+8801712500002")
      await page.getByLabel("Code from the message").fill(wrong(code))
      await press("Sign in")
      await page.getByRole("alert").getByText("That is not the code. Tries left: 2.").waitFor()
      await page.getByLabel("Code from the message").fill(code)
      await press("Sign in")
      await page.getByText("You are signed in as +8801712500002.").waitFor()
      // The cookie is an id and nothing else: the request stays on the server.
      const [cookie] = await page.context().cookies()
      assert.match(cookie?.value ?? "", /^[\w-]{43}$/)

      await page.reload()
      await page.getByText("You are signed in as +8801712500002.").waitFor()
      assert.strictEqual(await page.evaluate(() => document.cookie), "")
      await press("Sign out")
      await page.getByLabel("Phone number").waitFor()
      assert.deepStrictEqual(await page.context().cookies(), [])
      await page.close()
    })

    test("sends the code again after a while only", async ({ skip }) => {
      if (missing !== undefined) return skip(missing)
      const page = await browser.newPage()
      const press = (name: string) => page.getByRole("button", { name }).click()
      await page.goto(app.origin)
      await page.getByLabel("Phone number").fill("+8801712500005")
      await press("Send me a code")
      await press("Send the code again")
      const alert = page.getByRole("alert")
      await alert.getByText(/Please try again in \d+ seconds/).waitFor()
      await page.getByLabel("Code from the message").fill(await codeFor(app, "+8801712500005"))
      await press("Sign in")
      await page.getByText("You are signed in as +8801712500005.").waitFor()
      await page.close()
    })

    test("its forms work before any script has loaded", async ({ skip }) => {
      if (missing !== undefined) return skip(missing)
      const page = await browser.newPage({ javaScriptEnabled: false })
      const press = (name: string) => page.getByRole("button", { name }).click()
      await page.goto(app.origin)
      await page.getByLabel("Phone number").fill("01712-500004")
      await press("Send me a code")
      const code = await codeFor(app, "+8801712500004")
      await page.getByLabel("Code from the message").fill(wrong(code))
      await press("Sign in")
      await page.getByRole("alert").getByText("That is not the code. Tries left: 2.").waitFor()
      await page.getByLabel("Code from the message").fill(code)
      await press("Sign in")
      await page.getByText("You are signed in as +8801712500004.").waitFor()
      await page.close()
    })
  })

  test.each(["SIGTERM", "SIGINT"] as const)(
    "answers pending requests at %s, and exits with code 0",
    async (signal) => {
      const authorization = `Bearer ${await key()}`
      const other = await startExample("next", { env })
      try {
        const finish = await beginPost(
          `${other.origin}/api/v2/verify`,
          { phone_number: "+8801712500003" },
          { authorization },
        )
        assert.strictEqual((await fetch(`${other.origin}/ready`)).status, 200)
        other.signal(signal)
        other.signal(signal)
        await closed(other.origin)
        assert.strictEqual((await finish()).status, 200)
        assert.strictEqual((await other.ended).code, 0)
      } finally {
        await other.stop()
      }
    },
  )

  test("does not start in production without its secrets", async () => {
    const { code, stderr } = await runExample("next", { env: { ...quiet, NODE_ENV: "production" } })
    assert.strictEqual(code, 1)
    assert.include(stderr, "next cannot run: secret is missing: in production")
  })
})
