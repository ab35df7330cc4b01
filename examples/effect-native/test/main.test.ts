import { Client } from "pg"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import {
  beginPost,
  closed,
  codeFor,
  type Example,
  runExample,
  startExample,
  wrong,
} from "../../../test/support/Example.ts"
import { assertBehindPassword } from "../../../test/support/passwordSignIn.ts"
import { at } from "../../../test/support/Quickstart.ts"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"

const make = temporaryDatabases()

const secrets = {
  COUNTERSIGN_SECRET: "a secret for tests, and for nothing else",
  TOKEN_SECRET: "a secret for tests, and for nothing else",
}

const DASHBOARD_PASSWORD = "a password for tests"

interface Answer {
  readonly status: number
  readonly body: unknown
}

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: await response.json(),
})

const post = async (app: Example, path: string, body: unknown): Promise<Answer> =>
  answerOf(
    await fetch(`${app.origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  )

const get = async (app: Example, path: string, bearer?: string): Promise<Answer> =>
  answerOf(
    await fetch(`${app.origin}${path}`, {
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    }),
  )

/** The id of a request whose code is on its way. */
const start = async (app: Example, phoneNumber: string): Promise<string> =>
  String(at((await post(app, "/login", { phoneNumber })).body, "requestId"))

/** The spans that have been printed, by their name. */
const spans = ({ stdout }: Example, name: string): ReadonlyArray<unknown> =>
  stdout()
    .split("\n")
    .filter((line) => line.startsWith(`{"span":${JSON.stringify(name)}`))
    .map((line) => JSON.parse(line))

describe("on PostgreSQL", () => {
  let app: Example
  let env: Readonly<Record<string, string>>

  beforeAll(async () => {
    env = { DATABASE_URL: await make(), SPANS: "true", DASHBOARD_PASSWORD, ...secrets }
    app = await startExample("effect-native", { env })
  })
  afterAll(() => app?.stop())

  test("signs in through the application's own interface", async () => {
    const number = "+8801712200001"
    const requestId = await start(app, number)
    const code = await codeFor(app, number)
    assert.deepStrictEqual(await post(app, "/login/verify", { requestId, code: wrong(code) }), {
      status: 400,
      body: { _tag: "WrongCode", attemptsRemaining: 2 },
    })
    const verified = await post(app, "/login/verify", { requestId, code })
    assert.strictEqual(verified.status, 200)
    const user = { id: at(verified.body, "user", "id"), phoneNumber: number, signIns: 1 }
    assert.deepStrictEqual(at(verified.body, "user"), user)
    const token = String(at(verified.body, "token"))
    assert.deepStrictEqual(await get(app, "/me", token), { status: 200, body: user })

    // The next time it is the same user.
    const again = await start(app, number)
    const second = await post(app, "/login/verify", {
      requestId: again,
      code: await codeFor(app, number, 2),
    })
    assert.deepStrictEqual(at(second.body, "user"), { ...user, signIns: 2 })
  })

  test("shows the dashboard behind its password", () =>
    assertBehindPassword(`${app.origin}/dashboard`, DASHBOARD_PASSWORD))

  test("reads a number in national form, and a code with a space", async () => {
    const requestId = await start(app, "01712-200021")
    const code = await codeFor(app, "+8801712200021")
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`
    const { body, status } = await post(app, "/login/verify", { requestId, code: typed })
    assert.strictEqual(status, 200)
    assert.strictEqual(at(body, "user", "phoneNumber"), "+8801712200021")
  })

  test.each([undefined, "", "x", "x.y", "eyJ1c2VySWQiOiIxIn0.AAAA", "a.b.c"])(
    "rejects the token %s",
    async (token) => {
      assert.deepStrictEqual(await get(app, "/me", token), {
        status: 401,
        body: { _tag: "NotSignedIn" },
      })
    },
  )

  test("names errors in its own words", async () => {
    const reason = "must be a phone number, such as 01712-345678 or +880 1712-345678"
    for (const phoneNumber of ["", "12", "01712-200020 ext. 5", "+8800000000000"]) {
      assert.deepStrictEqual(await post(app, "/login", { phoneNumber }), {
        status: 400,
        body: { _tag: "InvalidNumber", reason },
      })
    }
    const empty = await fetch(`${app.origin}/login`, { method: "POST" })
    assert.strictEqual(empty.status, 400)
    const unknown = { requestId: "vrf_0", code: "123456" }
    const spent = { status: 410, body: { _tag: "CodeSpent" } }
    assert.deepStrictEqual(await post(app, "/login/verify", unknown), spent)

    const number = "+8801712200002"
    const requestId = await start(app, number)
    const code = wrong(await codeFor(app, number))
    const attempts = []
    for (let count = 0; count < 3; count++) {
      attempts.push((await post(app, "/login/verify", { requestId, code })).status)
    }
    assert.deepStrictEqual(attempts, [400, 400, 410])
    for (let count = 0; count < 5; count++) await post(app, "/login", { phoneNumber: number })
    assert.deepStrictEqual(await post(app, "/login", { phoneNumber: number }), {
      status: 429,
      body: { _tag: "TooManyCodes" },
    })
  })

  test("signs in once with one code, even if the code is sent again", async () => {
    const number = "+8801712200003"
    const requestId = await start(app, number)
    const code = await codeFor(app, number)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post(app, "/login/verify", { requestId, code })),
    )
    assert.deepStrictEqual(
      answers.map(({ status }) => status).toSorted(),
      [200, 410, 410, 410, 410, 410],
    )
    // A verified request accepts any code. That must not sign in a second time.
    const later = await post(app, "/login/verify", { requestId, code: wrong(code) })
    assert.strictEqual(later.status, 410)
  })

  test("shows the engine's spans below those of its requests", async () => {
    const number = "+8801712200004"
    const requestId = await start(app, number)
    await post(app, "/login/verify", { requestId, code: await codeFor(app, number) })
    await eventually(() => {
      const [check] = spans(app, "Verifications.verify").slice(-1)
      const [request] = spans(app, "POST").slice(-1)
      const [signIn] = spans(app, "Users.signIn").slice(-1)
      assert.isString(at(check, "traceId"))
      assert.strictEqual(at(check, "traceId"), at(request, "traceId"))
      assert.strictEqual(at(check, "parent"), at(request, "spanId"))
      assert.strictEqual(at(signIn, "parent"), at(request, "spanId"))
    })
  })

  test("writes the engine's events to its own log, without numbers and codes", async () => {
    const number = "+8801712200005"
    const requestId = await start(app, number)
    const code = await codeFor(app, number)
    await post(app, "/login/verify", { requestId, code })
    const log = () =>
      app
        .stdout()
        .split("\n")
        .filter((line) => /^timestamp=|^\{"span"/.test(line))
        .join("\n")
    await eventually(() => assert.match(log(), /message=Verified organization=effect-native/))
    for (const secret of [number, code, ...Object.values(secrets)]) assert.notInclude(log(), secret)
  })

  test("has one client, and keeps its tables beside those of the engine", async () => {
    const database = new Client({ connectionString: env["DATABASE_URL"] })
    await database.connect()
    try {
      const connected = await database.query(
        `SELECT DISTINCT application_name AS name FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND backend_type = 'client backend'`,
      )
      assert.deepStrictEqual(connected.rows, [{ name: "effect-native" }])
      const schemas = await database.query(
        `SELECT DISTINCT table_schema AS name FROM information_schema.tables
         WHERE table_schema IN ('countersign', 'public') ORDER BY name`,
      )
      assert.deepStrictEqual(schemas.rows, [{ name: "countersign" }, { name: "public" }])
    } finally {
      await database.end()
    }
  })

  test("serves the engine's interface and its own from one router", async () => {
    const made = await runExample("effect-native", { args: ["src/createKey.ts"], env })
    const key = /^csk_live_\w+$/m.exec(made.stdout)?.[0]
    assert.strictEqual(made.code, 0)
    assert.deepStrictEqual(await get(app, "/api/v2/balance", key), {
      status: 200,
      body: { success: true, data: { balance: 0, currency: "BDT" } },
    })
    assert.strictEqual((await get(app, "/api/v2/balance")).status, 401)
    const own = await get(app, "/openapi.json")
    assert.sameMembers(Object.keys(Object(at(own.body, "paths"))), [
      "/login",
      "/login/verify",
      "/me",
    ])
  })
})

test("works the same on a database in a folder", async () => {
  const app = await startExample("effect-native", { env: secrets })
  try {
    const number = "+8801712200006"
    const requestId = await start(app, number)
    const code = await codeFor(app, number)
    const verified = await post(app, "/login/verify", { requestId, code })
    assert.strictEqual(verified.status, 200)
    const me = await get(app, "/me", String(at(verified.body, "token")))
    assert.deepInclude(me.body, { phoneNumber: number })
    // The test has no span collector, so the app makes no spans.
    assert.notInclude(app.stdout(), '{"span"')
  } finally {
    assert.strictEqual((await app.stop()).code, 0)
  }
})

test.each(["SIGTERM", "SIGINT"] as const)(
  "answers the pending login at %s, and exits with code 0",
  async (signal) => {
    const app = await startExample("effect-native", { env: { DATABASE_URL: await make() } })
    try {
      const finish = await beginPost(`${app.origin}/login`, { phoneNumber: "+8801712200007" })
      assert.strictEqual((await fetch(`${app.origin}/ready`)).status, 200)
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

test("does not print codes in production", async () => {
  const env = { NODE_ENV: "production", ...secrets, DATABASE_URL: await make() }
  const { code, stderr, stdout } = await runExample("effect-native", { env })
  assert.strictEqual(code, 1)
  assert.include(stdout + stderr, "NotForProduction")
})
