import * as Fs from "node:fs"
import { Client } from "pg"
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
import { browsing } from "../../../test/support/browsing.ts"

const { close, make } = temporaryDatabases()
afterAll(close)

/** The same for every process on a database. */
const PEPPER = "a pepper for tests, and for nothing else"

const noLogin = { error: "Please ask for a code first.", code: "no_login" }

describe("on PostgreSQL", () => {
  let app: Example
  let env: { readonly DATABASE_URL: string; readonly PEPPER: string }

  beforeAll(async () => {
    env = { DATABASE_URL: await make(), PEPPER }
    app = await startExample("express-postgres", { env })
  })
  afterAll(() => app?.stop())

  test("signs in with the right code, and signs out again", async () => {
    const user = browsing(app.origin)
    assert.deepStrictEqual((await user.get("/me")).body, { signedIn: false, phoneNumber: null })
    const started = await user.post("/login/start", { phoneNumber: "+880 1712-000001" })
    const pending = { signedIn: false, phoneNumber: "+8801712000001" }
    assert.deepStrictEqual([started.status, started.body], [200, pending])
    assert.deepStrictEqual((await user.get("/me")).body, pending)

    const before = user.cookie()
    const code = await codeFor(app, "+8801712000001")
    const verified = await user.post("/login/verify", {
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    const inside = { signedIn: true, phoneNumber: "+8801712000001" }
    assert.deepStrictEqual([verified.status, verified.body], [200, inside])
    assert.notStrictEqual(user.cookie(), before)
    // The cookie from before the sign-in gives no access.
    assert.deepInclude((await browsing(app.origin, before).get("/me")).body, { signedIn: false })

    const inUse = user.cookie()
    assert.strictEqual((await user.post("/logout", {})).status, 200)
    assert.deepInclude((await user.get("/me")).body, { signedIn: false })
    assert.deepInclude((await browsing(app.origin, inUse).get("/me")).body, { signedIn: false })
  })

  test("explains errors in words", async () => {
    const user = browsing(app.origin)
    const early = await user.post("/login/verify", { code: "123456" })
    assert.deepStrictEqual([early.status, early.body], [409, noLogin])
    const invalid = await user.post("/login/start", { phoneNumber: "12" })
    assert.strictEqual(invalid.status, 400)
    assert.deepInclude(invalid.body, { code: "invalid_request" })

    await user.post("/login/start", { phoneNumber: "+8801712000002" })
    const code = wrong(await codeFor(app, "+8801712000002"))
    const answers = []
    for (const attempt of [code, code, code, code]) {
      const { body, status } = await user.post("/login/verify", { code: attempt })
      answers.push([status, body])
    }
    const exhausted = {
      code: "attempts_exhausted",
      error: "Too many wrong codes. Please ask for a new one.",
    }
    assert.deepStrictEqual(answers, [
      [
        400,
        { code: "wrong_code", error: "That is not the code. Tries left: 2.", attemptsRemaining: 2 },
      ],
      [
        400,
        { code: "wrong_code", error: "That is not the code. Tries left: 1.", attemptsRemaining: 1 },
      ],
      [429, exhausted],
      [429, exhausted],
    ])
    const empty = await user.post("/login/verify", {})
    assert.deepInclude(empty.body, { error: "Please enter the code from the message." })
  })

  test.each([
    ["01712-000020", "+8801712000020"],
    ["০১৭১২ ০০০০২১", "+8801712000021"],
    ["+880 (0)1712 000022", "+8801712000022"],
  ])("reads %j as %s", async (typed, phoneNumber) => {
    const { body, status } = await browsing(app.origin).post("/login/start", { phoneNumber: typed })
    assert.deepStrictEqual([status, body], [200, { signedIn: false, phoneNumber }])
  })

  test.each([{}, { phoneNumber: 8801712000023 }, { phoneNumber: "01712-000023 ext. 5" }, []])(
    "asks for a phone number where the body is %j",
    async (given) => {
      const { body, status } = await browsing(app.origin).post("/login/start", given)
      const error = "Please enter a phone number, as in 01712-345678 or +880 1712-345678."
      assert.deepStrictEqual([status, body], [400, { code: "invalid_request", error }])
    },
  )

  test("answers a post without a body with an error", async () => {
    for (const path of ["/login/start", "/login/verify"]) {
      const headers = { "content-type": "application/json" }
      const plain = await fetch(app.origin + path, { method: "POST" })
      assert.strictEqual(plain.status, 415)
      const empty = await fetch(app.origin + path, { method: "POST", headers })
      assert.strictEqual(empty.status, path === "/login/start" ? 400 : 409)
    }
  })

  test("limits pending codes for one number to five", async () => {
    const user = browsing(app.origin)
    const answers = []
    for (let count = 0; count < 6; count++) {
      answers.push(await user.post("/login/start", { phoneNumber: "+8801712000003" }))
    }
    const statuses = answers.map(({ status }) => status)
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429])
    assert.match(answers[5]?.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    // The sixth was refused, so the fifth is still good.
    const code = await codeFor(app, "+8801712000003", 5)
    assert.strictEqual((await user.post("/login/verify", { code })).status, 200)
  })

  test("sends the code again after a while, and only once for two clicks", async () => {
    const user = browsing(app.origin)
    const early = await user.post("/login/resend", {})
    assert.deepStrictEqual([early.status, early.body], [409, noLogin])
    await user.post("/login/start", { phoneNumber: "+8801712000008" })
    const { body, headers, status } = await user.post("/login/resend", {})
    const seconds = Number(headers.get("retry-after"))
    assert.isTrue(seconds > 0 && seconds <= 30, String(seconds))
    const error = `Please wait ${seconds} seconds before we send the code again.`
    const expected = { code: "cooldown", error, retryAfterSeconds: seconds }
    assert.deepStrictEqual([status, body], [429, expected])

    const database = new Client({ connectionString: env.DATABASE_URL })
    await database.connect()
    await database.query("UPDATE app_sessions SET sent_at = 0 WHERE phone_number = $1", [
      "+8801712000008",
    ])
    await database.end()
    const presses = [1, 2, 3].map(() => browsing(app.origin, user.cookie()))
    const answers = await Promise.all(presses.map((press) => press.post("/login/resend", {})))
    const winners = presses.filter((_, index) => answers[index]?.status === 200)
    assert.lengthOf(winners, 1)
    // The code of before belongs to a session that has ended.
    const first = await codeFor(app, "+8801712000008")
    assert.strictEqual((await user.post("/login/verify", { code: first })).status, 409)
    const code = await codeFor(app, "+8801712000008", 2)
    assert.deepInclude((await winners[0]?.post("/login/verify", { code }))?.body, {
      signedIn: true,
    })
  })

  test("signs in one browser with one code, even if the code is sent again", async () => {
    const user = browsing(app.origin)
    await user.post("/login/start", { phoneNumber: "+8801712000004" })
    const code = await codeFor(app, "+8801712000004")
    const twins = Array.from({ length: 8 }, () => browsing(app.origin, user.cookie()))
    const answers = await Promise.all(twins.map((twin) => twin.post("/login/verify", { code })))
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [200, 409, 409, 409, 409, 409, 409, 409])
  })

  test.each([
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ "content-type": "text/plain" }, 415],
    [{ "content-type": "application/x-www-form-urlencoded" }, 415],
    [{ "sec-fetch-site": "same-origin" }, 400],
  ])("answers a post with %j with %i", async (headers, status) => {
    const answer = await browsing(app.origin).post("/login/start", {}, headers)
    assert.strictEqual(answer.status, status)
  })

  test.each(["{", "[1", '"'])("answers a body of %s without internal details", async (body) => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(`${app.origin}/login/start`, { method: "POST", headers, body })
    assert.deepStrictEqual(
      [response.status, await response.json()],
      [400, { error: "The request cannot be read." }],
    )
  })

  test("recognizes a signed-in user in a second process", async () => {
    const user = browsing(app.origin)
    await user.post("/login/start", { phoneNumber: "+8801712000005" })
    await user.post("/login/verify", { code: await codeFor(app, "+8801712000005") })
    const second = await startExample("express-postgres", { env })
    try {
      const inside = { signedIn: true, phoneNumber: "+8801712000005" }
      assert.deepStrictEqual((await browsing(second.origin, user.cookie()).get("/me")).body, inside)
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
  const settings = { ...vendor.env, NODE_ENV: "production", DATABASE_URL: await make(), PEPPER }
  const app = await startExample("express-postgres", { env: settings })
  try {
    const user = browsing(app.origin)
    const sent = await user.post("/login/start", { phoneNumber: "+8801712000009" })
    assert.deepStrictEqual([sent.status, vendor.texts().length], [200, 1])
    const [code] = /\d{6}/.exec(vendor.texts()[0] ?? "") ?? []
    assert.deepInclude((await user.post("/login/verify", { code })).body, { signedIn: true })
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
        const user = browsing(app.origin)
        await user.post("/login/start", { phoneNumber: "+8801712000006" })
        const code = await codeFor(app, "+8801712000006")
        assert.strictEqual((await user.post("/login/verify", { code: wrong(code) })).status, 400)
        assert.strictEqual((await user.post("/login/verify", { code })).status, 200)
        assert.deepInclude((await user.get("/me")).body, { signedIn: true })
        await user.post("/logout", {})
        assert.deepInclude((await user.get("/me")).body, { signedIn: false })
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
      env: { DATABASE_URL: await make(), PEPPER },
    })
    try {
      const finish = await beginPost(`${app.origin}/login/start`, { phoneNumber: "+8801712000007" })
      app.signal(signal)
      app.signal(signal)
      await closed(app.origin)
      assert.strictEqual((await finish()).status, 200)
      const { code, stderr } = await app.ended
      assert.deepStrictEqual([code, stderr], [0, ""])
    } finally {
      await app.stop()
    }
  },
)

test.each([
  [{ NODE_ENV: "production" }, "configuration: pepper is missing: in production"],
  [{ DATABASE_URL: "postgres://127.0.0.1:1/none" }, "configuration: pepper is missing: with"],
  [{ RESEND_SECONDS: "soon" }, "RESEND_SECONDS has to be a whole number"],
  [{ TWILIO_ACCOUNT_SID: "AC01" }, "configuration: gateways: "],
  [{ NODE_ENV: "production", PEPPER }, "configuration: gateways: name one"],
  [{ PEPPER: "short" }, "configuration: pepper: a secret has at least 32 characters"],
  [{ DATABASE_URL: "postgres://user:secret@127.0.0.1:1/none", PEPPER }, "start: "],
])("does not start with %j, and names the reason", async (env, reason) => {
  const { code, stderr, stdout } = await runExample("express-postgres", { env })
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.include(stderr, "The app cannot run:")
  assert.include(stderr, reason)
  assert.notInclude(stderr, "secret@")
})
