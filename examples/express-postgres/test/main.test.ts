import * as Fs from "node:fs"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import {
  beginPost,
  closed,
  codeFor,
  type Example,
  runExample,
  startExample,
  temporaryFolder,
  wrong,
} from "../../../test/support/Example.ts"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"
import { startVendor } from "../../../test/support/fakeVendor.ts"
import { visiting } from "./support/visiting.ts"

const make = temporaryDatabases()

/** The same for every process on a database. */
const COUNTERSIGN_SECRET = "a secret for tests, and for nothing else"

const signedIn = (phoneNumber: string): string => `You are signed in as <bdi>${phoneNumber}</bdi>.`

describe("on PostgreSQL", () => {
  let app: Example
  let env: { readonly DATABASE_URL: string; readonly COUNTERSIGN_SECRET: string }

  beforeAll(async () => {
    env = { DATABASE_URL: await make(), COUNTERSIGN_SECRET }
    app = await startExample("express-postgres", { env })
  })
  afterAll(() => app?.stop())

  test("signs in with the right code, and signs out again", async () => {
    const phoneNumber = "+8801712000001"
    const user = visiting(app.origin)
    const started = await user.post("/login/start", { phoneNumber: "+880 1712-000001" })
    assert.deepStrictEqual([started.status, started.headers.get("location")], [303, "/"])
    const waiting = await user.get("/")
    assert.include(waiting.text, `We have sent a code to <bdi>${phoneNumber}</bdi> by SMS.`)

    const before = user.cookie()
    const code = await codeFor(app, phoneNumber)
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`
    assert.strictEqual((await user.post("/login/verify", { code: typed })).status, 303)
    assert.include((await user.get("/")).text, signedIn(phoneNumber))
    assert.notStrictEqual(user.cookie(), before)

    const inUse = user.cookie()
    assert.strictEqual((await user.post("/logout")).status, 303)
    assert.strictEqual(user.cookie(), "")
    // Neither cookie gives access any more, and the code is used up.
    for (const cookie of [before, inUse]) {
      const thief = visiting(app.origin, cookie)
      assert.notInclude((await thief.get("/")).text, phoneNumber)
      assert.strictEqual((await thief.post("/login/verify", { code })).status, 404)
      assert.notInclude((await thief.get("/")).text, phoneNumber)
    }
  })

  test("answers errors with their status", async () => {
    const user = visiting(app.origin)
    for (const path of ["verify", "resend", "cancel"]) {
      assert.strictEqual((await user.post(`/login/${path}`)).status, 404)
    }
    assert.strictEqual((await user.post("/login/start")).status, 400)
    await user.post("/login/start", { phoneNumber: "+8801712000002" })
    const early = await user.post("/login/resend", { channel: "sms" })
    assert.strictEqual(early.status, 429)
    assert.match(early.headers.get("retry-after") ?? "", /^[1-9]\d?$/)
    const code = wrong(await codeFor(app, "+8801712000002"))
    const statuses = []
    for (const attempt of ["", code, code, code, code]) {
      statuses.push((await user.post("/login/verify", { code: attempt })).status)
    }
    assert.deepStrictEqual(statuses, [400, 400, 400, 429, 429])
  })

  test.each([
    ["01712-000020", "+8801712000020"],
    ["০১৭১২ ০০০০২১", "+8801712000021"],
    ["+880 (0)1712 000022", "+8801712000022"],
  ])("reads %j as %s", async (phoneNumber, expected) => {
    const user = visiting(app.origin)
    assert.strictEqual((await user.post("/login/start", { phoneNumber })).status, 303)
    assert.include((await user.get("/")).text, expected)
  })

  test("keeps one code of a visitor pending, the newest", async () => {
    const phoneNumber = "+8801712000008"
    const user = visiting(app.origin)
    for (let count = 0; count < 7; count++) {
      assert.strictEqual((await user.post("/login/start", { phoneNumber })).status, 303)
    }
    const code = await codeFor(app, phoneNumber, 7)
    assert.strictEqual((await user.post("/login/verify", { code })).status, 303)
    assert.include((await user.get("/")).text, signedIn(phoneNumber))
  })

  test("signs in once with one code, even if it comes from eight tabs at once", async () => {
    const user = visiting(app.origin)
    await user.post("/login/start", { phoneNumber: "+8801712000004" })
    const code = await codeFor(app, "+8801712000004")
    const twins = Array.from({ length: 8 }, () => visiting(app.origin, user.cookie()))
    const answers = await Promise.all(twins.map((twin) => twin.post("/login/verify", { code })))
    const statuses = answers.map(({ status }) => status)
    assert.lengthOf(
      statuses.filter((status) => status === 303),
      1,
    )
    // The others came before the session of the code had ended, or after that.
    assert.includeMembers([303, 409, 404], statuses)
    const pages = await Promise.all(twins.map((twin) => twin.get("/")))
    const inside = pages.filter(({ text }) => text.includes(signedIn("+8801712000004")))
    assert.lengthOf(inside, 1)
  })

  test.each([
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "" }, 403],
    [{}, 400],
  ])("answers a form with %j with %i", async (headers, status) => {
    const answer = await visiting(app.origin).post("/login/start", {}, headers)
    assert.strictEqual(answer.status, status)
    assert.include(answer.headers.get("content-security-policy"), "script-src 'self'")
  })

  test.each([
    ["application/x-www-form-urlencoded", "phoneNumber=1".repeat(1_000), 413],
    ["application/x-www-form-urlencoded", "phoneNumber=1&phoneNumber=2", 400],
    ["application/x-www-form-urlencoded; charset=ebcdic", "phoneNumber=1", 415],
    ["application/json", '{"phoneNumber":"+8801712000009"}', 400],
  ])("answers a body of %s without internal details", async (type, body, status) => {
    const headers = { "content-type": type, origin: app.origin }
    const response = await fetch(`${app.origin}/login/start`, { method: "POST", headers, body })
    assert.strictEqual(response.status, status)
    assert.notMatch(await response.text(), /node_modules|Error:/)
  })

  test("chooses the language by the cookie, and before that by the browser", async () => {
    const page = async (headers: Record<string, string>) =>
      (await fetch(app.origin, { headers })).text()
    assert.include(await page({ "accept-language": "de, bn;q=0.8" }), '<html lang="bn">')
    assert.include(await page({ "accept-language": "de" }), '<html lang="en">')
    const user = visiting(app.origin)
    const chosen = await user.get("/?language=bn")
    assert.deepStrictEqual([chosen.status, chosen.headers.get("location")], [303, "/"])
    assert.include(await page({ cookie: user.cookie() }), '<html lang="bn">')
    assert.include(await page({ cookie: "language=de" }), '<html lang="en">')
  })

  test("recognizes a signed-in user in a second process", async () => {
    const user = visiting(app.origin)
    await user.post("/login/start", { phoneNumber: "+8801712000005" })
    await user.post("/login/verify", { code: await codeFor(app, "+8801712000005") })
    const second = await startExample("express-postgres", { env })
    try {
      const page = await visiting(second.origin, user.cookie()).get("/")
      assert.include(page.text, signedIn("+8801712000005"))
    } finally {
      await second.stop()
    }
  })

  test("serves the engine's interface to callers with a key", async () => {
    const made = await runExample("express-postgres", { args: ["src/createKey.ts"], env })
    assert.deepInclude(made, { code: 0 })
    assert.match(made.stdout, /^csk_live_\w+\n$/)
    const balance = (headers: Record<string, string>) =>
      fetch(`${app.origin}/api/v2/balance`, { headers })
    const answer = await balance({ authorization: `Bearer ${made.stdout.trim()}` })
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(await answer.json(), {
      success: true,
      data: { balance: 0, currency: "BDT" },
    })
    assert.strictEqual((await balance({})).status, 401)
  })
})

test("sends through the vendor that the environment configures, also in production", async () => {
  const vendor = await startVendor()
  const origin = "https://login.example.com"
  const settings = {
    ORIGIN: origin,
    NODE_ENV: "production",
    DATABASE_URL: await make(),
    COUNTERSIGN_SECRET,
  }
  const app = await startExample("express-postgres", { env: { ...vendor.env, ...settings } })
  try {
    const user = visiting(app.origin)
    const phoneNumber = "+8801712000009"
    assert.strictEqual((await user.post("/login/start", { phoneNumber })).status, 403)
    const sent = await user.post("/login/start", { phoneNumber }, { origin })
    assert.deepStrictEqual([sent.status, vendor.texts().length], [303, 1])
    assert.match(
      sent.headers.getSetCookie().join(),
      /^__Host-session=[^;]+; Max-Age=900; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    )
    const [, code] = /\n@login\.example\.com #(\d{6})$/.exec(vendor.texts()[0] ?? "") ?? []
    const verified = await user.post("/login/verify", { code: String(code) }, { origin })
    assert.strictEqual(verified.status, 303)
    const page = await user.get("/")
    assert.include(page.text, signedIn(phoneNumber))
    // This vendor has no WhatsApp.
    assert.notInclude(page.text, "WhatsApp")
    assert.notInclude(app.stdout(), String(code))
  } finally {
    await app.stop()
    await vendor.stop()
  }
})

describe("without a database", () => {
  test("keeps its data in a folder, and everything works the same", async () => {
    const dataDir = temporaryFolder()
    try {
      // The folder belongs to one process at a time, so the key comes first.
      const key = await runExample("express-postgres", { args: ["src/createKey.ts"], dataDir })
      assert.match(key.stdout, /^csk_live_\w+\n$/)
      const app = await startExample("express-postgres", { dataDir })
      try {
        const user = visiting(app.origin)
        await user.post("/login/start", { phoneNumber: "+8801712000006" })
        const code = await codeFor(app, "+8801712000006")
        assert.strictEqual((await user.post("/login/verify", { code: wrong(code) })).status, 400)
        assert.strictEqual((await user.post("/login/verify", { code })).status, 303)
        assert.include((await user.get("/")).text, signedIn("+8801712000006"))
        await user.post("/logout")
        assert.notInclude((await user.get("/")).text, "+8801712000006")
        const headers = { authorization: `Bearer ${key.stdout.trim()}` }
        assert.strictEqual((await fetch(`${app.origin}/api/v2/balance`, { headers })).status, 200)
      } finally {
        assert.strictEqual((await app.stop()).code, 0)
      }
    } finally {
      Fs.rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

test.each(["SIGTERM", "SIGINT"] as const)(
  "answers the pending login at %s, and exits with code 0",
  async (signal) => {
    const app = await startExample("express-postgres", {
      env: { DATABASE_URL: await make(), COUNTERSIGN_SECRET },
    })
    try {
      const { origin } = app
      const form = { "content-type": "application/x-www-form-urlencoded", origin }
      const finish = await beginPost(`${origin}/login/start`, "phoneNumber=01712-000007", form)
      assert.strictEqual((await fetch(`${origin}/ready`)).status, 200)
      app.signal(signal)
      app.signal(signal)
      await closed(app.origin)
      assert.strictEqual((await finish()).status, 303)
      const { code, stderr } = await app.ended
      assert.deepStrictEqual([code, stderr], [0, ""])
    } finally {
      await app.stop()
    }
  },
)

const ORIGIN = "https://login.example.com"

test.each([
  [{ NODE_ENV: "production" }, "ORIGIN has to be an address without a path"],
  [{ ORIGIN: "login.example.com" }, "ORIGIN has to be an address without a path"],
  [{ NODE_ENV: "production", ORIGIN }, "configuration: secret is missing: in production"],
  [{ DATABASE_URL: "postgres://127.0.0.1:1/none" }, "configuration: secret is missing: with"],
  [{ PROXIES: "many" }, "PROXIES has to be a whole number"],
  [{ TWILIO_ACCOUNT_SID: "AC01" }, "configuration: gateways: "],
  [{ NODE_ENV: "production", ORIGIN, COUNTERSIGN_SECRET }, "configuration: gateways: name one"],
  [{ COUNTERSIGN_SECRET: "short" }, "configuration: secret: a secret has at least 32 characters"],
  [{ DATABASE_URL: "postgres://user:secret@127.0.0.1:1/none", COUNTERSIGN_SECRET }, "start: "],
])("does not start with %j, and names the reason", async (env, reason) => {
  const { code, stderr, stdout } = await runExample("express-postgres", { env })
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.include(stderr, "The app cannot run:")
  assert.include(stderr, reason)
  assert.notInclude(stderr, "secret@")
})
