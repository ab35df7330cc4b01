import { createCountersign, developmentGateway } from "countersign"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import {
  beginPost,
  closed,
  codeFor,
  type Example,
  runExample,
  startExample,
  wrong,
} from "../../../test/support/Example.ts"
import { browsing } from "../../../test/support/browsing.ts"
import { startVendor } from "../../../test/support/fakeVendor.ts"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"
import { makeApp } from "../src/app.ts"

const { close, make } = temporaryDatabases()
afterAll(close)

const noCode = { code: "no_code", error: "Ask for a code first." }
const PEPPER = "a pepper for tests, and for nothing else"

/** What a visitor without cookies is answered. */
const post = async (app: Example, path: string, body: unknown) => {
  const answer = await browsing(app.origin).post(path, body)
  return { status: answer.status, body: answer.body }
}

describe("on PostgreSQL", () => {
  let app: Example

  beforeAll(async () => {
    app = await startExample("hono", { env: { DATABASE_URL: await make(), PEPPER } })
  })
  afterAll(() => app?.stop())

  test("confirms a number", async () => {
    const phoneNumber = "+8801712400001"
    const visitor = browsing(app.origin)
    const sent = await visitor.post("/numbers", { phoneNumber })
    // The request stays on the server.
    assert.deepStrictEqual([sent.status, sent.body], [202, { expiresInSeconds: 300 }])
    assert.match(
      sent.headers.get("set-cookie") ?? "",
      /^number=[\w-]{36}; .*HttpOnly; SameSite=Lax/,
    )
    const code = await codeFor(app, phoneNumber)
    const refused = await visitor.post("/numbers/confirm", { code: wrong(code) })
    assert.deepStrictEqual(
      [refused.status, refused.body],
      [
        400,
        {
          code: "wrong_code",
          error: "The code is wrong; attempts left: 2",
          attemptsRemaining: 2,
        },
      ],
    )
    const stranger = await browsing(app.origin).post("/numbers/confirm", { code })
    assert.deepStrictEqual([stranger.status, stranger.body], [409, noCode])
    const cookie = visitor.cookie()
    const confirmed = await visitor.post("/numbers/confirm", { code })
    assert.strictEqual(confirmed.status, 200)
    assert.deepInclude(confirmed.body, { phoneNumber })
    const again = await browsing(app.origin, cookie).post("/numbers/confirm", { code })
    assert.strictEqual(again.status, 409)
  })

  test("sends the code again, but not at once", async () => {
    const phoneNumber = "+8801712400010"
    const visitor = browsing(app.origin)
    assert.strictEqual((await visitor.post("/numbers/resend", {})).status, 409)
    await visitor.post("/numbers", { phoneNumber })
    const early = await visitor.post("/numbers/resend", {})
    const seconds = Number(early.headers.get("retry-after"))
    assert.isTrue(seconds > 20 && seconds <= 30, String(seconds))
    assert.strictEqual(early.status, 429)
    assert.deepInclude(early.body, { code: "cooldown", retryAfterSeconds: seconds })
  })

  test.each([
    ["/numbers", {}, "phoneNumber"],
    ["/numbers", { phoneNumber: 8801712 }, "phoneNumber"],
    ["/numbers", [], "phoneNumber"],
    ["/numbers/confirm", {}, "code"],
    ["/numbers/confirm", null, "code"],
  ])("answers a post to %s of %j with what is missing", async (path, body, missing) => {
    assert.deepStrictEqual(await post(app, path, body), {
      status: 400,
      body: { code: "invalid_body", error: `Missing: ${missing}` },
    })
  })

  test("answers what is no JSON with 400", async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(`${app.origin}/numbers`, { method: "POST", headers, body: "{" })
    assert.strictEqual(response.status, 400)
  })

  test("reads a number in national form, and a code with a space", async () => {
    const visitor = browsing(app.origin)
    const sent = await visitor.post("/numbers", { phoneNumber: "(01712) 400-020" })
    assert.strictEqual(sent.status, 202)
    const code = await codeFor(app, "+8801712400020")
    const confirmed = await visitor.post("/numbers/confirm", {
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    assert.strictEqual(confirmed.status, 200)
    assert.deepInclude(confirmed.body, { phoneNumber: "+8801712400020" })
  })

  test.each(["", "12", "01712-400021 ext. 5", "+8800000000000"])(
    "answers a number of %j with what is wrong",
    async (phoneNumber) => {
      const message = "must be a phone number"
      assert.deepStrictEqual(await post(app, "/numbers", { phoneNumber }), {
        status: 400,
        body: {
          code: "invalid_request",
          error: `phoneNumber ${message}`,
          details: { phoneNumber: [{ code: "not_phone_number", params: {}, message }] },
        },
      })
    },
  )

  test.each([undefined, "application/json"])(
    "answers a post without a body with 400, of the type %s",
    async (type) => {
      const headers = type === undefined ? {} : { "content-type": type }
      const response = await fetch(`${app.origin}/numbers`, { method: "POST", headers })
      assert.strictEqual(response.status, 400)
    },
  )

  test("passes on what the engine refuses", async () => {
    const phoneNumber = "+8801712400004"
    const statuses = []
    for (let count = 0; count < 6; count++) {
      statuses.push((await post(app, "/numbers", { phoneNumber })).status)
    }
    assert.deepStrictEqual(statuses, [202, 202, 202, 202, 202, 429])
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ phoneNumber })
    const refused = await fetch(`${app.origin}/numbers`, { method: "POST", headers, body })
    const { retryAfterSeconds } = await refused.json()
    assert.strictEqual(refused.headers.get("retry-after"), String(retryAfterSeconds))
  })

  test("has the engine's interface beside its own routes", async () => {
    const refused = await fetch(`${app.origin}/api/v2/balance`)
    assert.strictEqual(refused.status, 401)
    assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
    const manual = await fetch(`${app.origin}/api/v2/docs`)
    assert.strictEqual(manual.status, 200)
    assert.strictEqual((await fetch(`${app.origin}/nothing`)).status, 404)
  })
})

test("is the same app without a server", async () => {
  const printed: Array<string> = []
  const shown = developmentGateway(({ text }) => void printed.push(text))
  await using countersign = await createCountersign({
    database: await make(),
    pepper: "a pepper for tests, and for nothing else",
    gateways: { sms: shown },
  })
  const app = makeApp({ countersign, clientAddress: () => "203.0.113.7" })
  const headers = { "content-type": "application/json" }
  const ask = (path: string, body: unknown, cookie = ""): Promise<Response> => {
    const request = { method: "POST", headers: { ...headers, cookie }, body: JSON.stringify(body) }
    return Promise.resolve(app.fetch(new Request(`https://example.com${path}`, request)))
  }
  const phoneNumber = "+8801712400007"
  const cookie = (await ask("/numbers", { phoneNumber })).headers.get("set-cookie") ?? ""
  const [code] = /\d{6}/.exec(printed[0] ?? "") ?? []
  const confirmed = await ask("/numbers/confirm", { code }, cookie.split(";")[0])
  assert.deepInclude(await confirmed.json(), { phoneNumber })
  assert.strictEqual((await app.request("/api/v2/balance")).status, 401)
})

test("hands the address of the client on, which allow lists go by", async () => {
  await using countersign = await createCountersign({
    database: await make(),
    pepper: "a pepper for tests, and for nothing else",
    gateways: { sms: developmentGateway() },
  })
  await countersign.organizations.configure("default", { allowList: ["203.0.113.0/24"] })
  const { key } = await countersign.apiKeys.create({ name: "for this test" })
  const send = async (address: string): Promise<number> => {
    const app = makeApp({ countersign, clientAddress: () => address })
    const { status } = await app.request("/api/v2/messages", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ to: "8801712400008", message: "Hello" }),
    })
    return status
  }
  assert.deepStrictEqual([await send("203.0.113.7"), await send("198.51.100.7")], [200, 403])
})

test("sends through the vendor whose settings are there, also in production", async () => {
  const vendor = await startVendor()
  const settings = { ...vendor.env, NODE_ENV: "production", DATABASE_URL: await make(), PEPPER }
  const app = await startExample("hono", { env: settings })
  try {
    const visitor = browsing(app.origin)
    assert.strictEqual(
      (await visitor.post("/numbers", { phoneNumber: "+8801712400009" })).status,
      202,
    )
    assert.lengthOf(vendor.texts(), 1)
    const [code] = /\d{6}/.exec(vendor.texts()[0] ?? "") ?? []
    assert.strictEqual((await visitor.post("/numbers/confirm", { code })).status, 200)
    assert.notInclude(app.stdout(), String(code))
  } finally {
    await app.stop()
    await vendor.stop()
  }
})

test("works the same on a database in a folder", async () => {
  const app = await startExample("hono", { env: { RESEND_SECONDS: "0" } })
  try {
    const phoneNumber = "+8801712400005"
    const visitor = browsing(app.origin)
    await visitor.post("/numbers", { phoneNumber })
    const first = await codeFor(app, phoneNumber)
    assert.strictEqual((await visitor.post("/numbers/resend", {})).status, 202)
    const code = await codeFor(app, phoneNumber, 2)
    // Only the newest code confirms.
    const old = await visitor.post("/numbers/confirm", { code: first === code ? "" : first })
    assert.strictEqual(old.status, 400)
    assert.strictEqual((await visitor.post("/numbers/confirm", { code })).status, 200)
  } finally {
    assert.strictEqual((await app.stop()).code, 0)
  }
})

test.each(["SIGTERM", "SIGINT"] as const)(
  "answers what is under way at %s, and ends with code 0",
  async (signal) => {
    const app = await startExample("hono", { env: { DATABASE_URL: await make(), PEPPER } })
    try {
      const finish = await beginPost(`${app.origin}/numbers`, { phoneNumber: "+8801712400006" })
      app.signal(signal)
      app.signal(signal)
      await closed(app.origin)
      assert.strictEqual((await finish()).status, 202)
      const { code, stderr } = await app.ended
      assert.deepStrictEqual([code, stderr], [0, ""])
    } finally {
      await app.stop()
    }
  },
)

test.each([
  ["in production without a pepper and a gateway", { NODE_ENV: "production" }, /pepper/],
  [
    "in production without a gateway",
    { NODE_ENV: "production", PEPPER, DATA_DIR: "/" },
    /gateways/,
  ],
  ["with a pepper that could be guessed", { PEPPER: "short" }, /pepper: .* at least 32 characters/],
])("does not start %s, and says why in one sentence", async (_, env, reason) => {
  const { code, stderr, stdout } = await runExample("hono", { env })
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, /^hono cannot run: .+\n$/)
  assert.match(stderr, reason)
})
