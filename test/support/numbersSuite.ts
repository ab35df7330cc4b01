/**
 * What an example app with the routes `/numbers` does on every framework. One call registers the tests.
 */
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { browsing } from "./browsing.ts"
import {
  beginPost,
  closed,
  codeFor,
  type Example,
  runExample,
  startExample,
  wrong,
} from "./Example.ts"
import { startVendor } from "./fakeVendor.ts"
import { assertBehindPassword } from "./passwordSignIn.ts"
import { temporaryDatabases } from "./temporaryDatabases.ts"

const DASHBOARD_PASSWORD = "a password for tests"
export const COUNTERSIGN_SECRET = "a secret for tests, and for nothing else"

/** The answer to a visitor without cookies. */
export const postAlone = async (app: Example, path: string, body: unknown) => {
  const answer = await browsing(app.origin).post(path, body)
  return { status: answer.status, body: answer.body }
}

/** Tests of a running app. */
const appTests = (running: () => Example): void => {
  test("confirms a number", async () => {
    const app = running()
    const phoneNumber = "+8801712300001"
    const visitor = browsing(app.origin)
    const sent = await visitor.post("/numbers/start", { phoneNumber })
    assert.strictEqual(sent.status, 200)
    const { expiresAt } = Object(sent.body)
    assert.deepInclude(sent.body, { status: "waiting", phoneNumber })
    assert.closeTo(Date.parse(expiresAt) - Date.now(), 300_000, 60_000)
    assert.match(
      sent.headers.get("set-cookie") ?? "",
      /^countersign-number=1\..*HttpOnly; SameSite=Lax$/,
    )
    const code = await codeFor(app, phoneNumber)
    const refused = await visitor.post("/numbers/check", { code: wrong(code) })
    assert.deepStrictEqual(
      [refused.status, refused.body],
      [
        400,
        {
          code: "wrong_code",
          message: "Wrong code",
          attemptsRemaining: 2,
        },
      ],
    )
    const stranger = await browsing(app.origin).post("/numbers/check", { code })
    assert.strictEqual(stranger.status, 404)
    assert.deepInclude(stranger.body, { code: "request_not_found" })
    const cookie = visitor.cookie()
    const confirmed = await visitor.post("/numbers/check", { code })
    assert.strictEqual(confirmed.status, 200)
    assert.deepInclude(confirmed.body, { phoneNumber })
    const again = await browsing(app.origin, cookie).post("/numbers/check", { code })
    assert.strictEqual(again.status, 409)
  })

  test("sends the code again, but not at once", async () => {
    const app = running()
    const phoneNumber = "+8801712300010"
    const visitor = browsing(app.origin)
    assert.strictEqual((await visitor.post("/numbers/resend", {})).status, 404)
    await visitor.post("/numbers/start", { phoneNumber })
    const early = await visitor.post("/numbers/resend", {})
    const seconds = Number(early.headers.get("retry-after"))
    assert.isTrue(seconds > 0 && seconds <= 30, String(seconds))
    assert.strictEqual(early.status, 429)
    assert.deepInclude(early.body, { code: "rate_limited", retryAfterSeconds: seconds })
  })

  test("reads a number in national form, and a code with a space", async () => {
    const app = running()
    const visitor = browsing(app.origin)
    const sent = await visitor.post("/numbers/start", { phoneNumber: "(01712) 300-020" })
    assert.strictEqual(sent.status, 200)
    const code = await codeFor(app, "+8801712300020")
    const confirmed = await visitor.post("/numbers/check", {
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    assert.strictEqual(confirmed.status, 200)
    assert.deepInclude(confirmed.body, { phoneNumber: "+8801712300020" })
  })

  test.each(["", "12", "01712-300021 ext. 5", "+8800000000000"])(
    "answers a number of %j with its problem",
    async (phoneNumber) => {
      const { body, status } = await postAlone(running(), "/numbers/start", { phoneNumber })
      assert.strictEqual(status, 400)
      assert.deepInclude(body, { code: "invalid_request" })
      assert.hasAllKeys(Object(body).details, ["phoneNumber"])
    },
  )

  test.each([
    [undefined, 415],
    ["application/json", 400],
  ])("answers a post without a body, of the type %s, with %i", async (type, status) => {
    const app = running()
    const headers = type === undefined ? {} : { "content-type": type }
    const response = await fetch(`${app.origin}/numbers/start`, { method: "POST", headers })
    assert.strictEqual(response.status, status)
  })

  test("returns the engine's refusals", async () => {
    const app = running()
    const phoneNumber = "+8801712300004"
    const statuses = []
    for (let count = 0; count < 6; count++) {
      statuses.push((await postAlone(app, "/numbers/start", { phoneNumber })).status)
    }
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429])
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ phoneNumber })
    const refused = await fetch(`${app.origin}/numbers/start`, { method: "POST", headers, body })
    const { retryAfterSeconds } = await refused.json()
    assert.strictEqual(refused.headers.get("retry-after"), String(retryAfterSeconds))
  })

  test("shows the dashboard behind its password", () =>
    assertBehindPassword(`${running().origin}/dashboard`, DASHBOARD_PASSWORD))

  test("serves the engine's interface next to its own routes", async () => {
    const app = running()
    const refused = await fetch(`${app.origin}/api/v2/balance`)
    assert.strictEqual(refused.status, 401)
    assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
    const manual = await fetch(`${app.origin}/api/v2/docs`)
    assert.strictEqual(manual.status, 200)
    assert.strictEqual((await fetch(`${app.origin}/nothing`)).status, 404)
  })
}

/** `more` registers the tests of one example, on the same running app. */
export const numbersSuite = (
  name: string,
  more: (running: () => Example) => void = () => {},
): void => {
  const make = temporaryDatabases()

  describe("on PostgreSQL", () => {
    let app: Example | undefined
    const running = (): Example => {
      assert.isDefined(app, `${name} does not run`)
      return app
    }
    beforeAll(async () => {
      const env = { DATABASE_URL: await make(), COUNTERSIGN_SECRET, DASHBOARD_PASSWORD }
      app = await startExample(name, { env })
    })
    afterAll(() => app?.stop())
    appTests(running)
    more(running)
  })

  test("sends through the vendor that the environment configures, also in production", async () => {
    const vendor = await startVendor()
    const settings = {
      ...vendor.env,
      NODE_ENV: "production",
      DATABASE_URL: await make(),
      COUNTERSIGN_SECRET,
    }
    const app = await startExample(name, { env: settings })
    try {
      const visitor = browsing(app.origin)
      assert.strictEqual(
        (await visitor.post("/numbers/start", { phoneNumber: "+8801712300009" })).status,
        200,
      )
      assert.lengthOf(vendor.texts(), 1)
      const [code] = /\d{6}/.exec(vendor.texts()[0] ?? "") ?? []
      assert.strictEqual((await visitor.post("/numbers/check", { code })).status, 200)
      assert.notInclude(app.stdout(), String(code))
    } finally {
      await app.stop()
      await vendor.stop()
    }
  })

  test("works the same on a database in a folder", async () => {
    const app = await startExample(name)
    try {
      const phoneNumber = "+8801712300005"
      const visitor = browsing(app.origin)
      await visitor.post("/numbers/start", { phoneNumber })
      // Without a password there is no dashboard.
      assert.strictEqual((await fetch(`${app.origin}/dashboard/`)).status, 404)
      const code = await codeFor(app, phoneNumber)
      assert.strictEqual((await visitor.post("/numbers/check", { code })).status, 200)
    } finally {
      assert.strictEqual((await app.stop()).code, 0)
    }
  })

  test.each(["SIGTERM", "SIGINT"] as const)(
    "answers pending requests at %s, and exits with code 0",
    async (signal) => {
      const app = await startExample(name, {
        env: { DATABASE_URL: await make(), COUNTERSIGN_SECRET },
      })
      try {
        const finish = await beginPost(`${app.origin}/numbers/start`, {
          phoneNumber: "+8801712300006",
        })
        assert.strictEqual((await fetch(`${app.origin}/ready`)).status, 200)
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
    ["in production without a secret and a gateway", { NODE_ENV: "production" }, /secret/],
    [
      "in production without a gateway",
      { NODE_ENV: "production", COUNTERSIGN_SECRET, DATA_DIR: "/" },
      /gateways/,
    ],
    [
      "with a secret that could be guessed",
      { COUNTERSIGN_SECRET: "short" },
      /secret: .* at least 32 characters/,
    ],
  ])("does not start %s, and names the reason in one sentence", async (_, env, reason) => {
    const { code, stderr, stdout } = await runExample(name, { env })
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(stderr, /^.+\n$/)
    assert.include(stderr, `${name} cannot run: `)
    assert.match(stderr, reason)
  })
}
