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
import { at } from "../../../test/support/Quickstart.ts"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"
import { makeApp } from "../src/app.ts"

const { close, make } = temporaryDatabases()
afterAll(close)

const post = async (app: Example, path: string, body: unknown) => {
  const response = await fetch(`${app.origin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json()
  return { status: response.status, body: answer }
}

describe("on PostgreSQL", () => {
  let app: Example

  beforeAll(async () => {
    app = await startExample("hono", { env: { DATABASE_URL: await make() } })
  })
  afterAll(() => app?.stop())

  test("confirms a number", async () => {
    const phoneNumber = "+8801712400001"
    const sent = await post(app, "/numbers", { phoneNumber })
    assert.strictEqual(sent.status, 202)
    assert.deepInclude(sent.body, { expiresInSeconds: 300 })
    const requestId = at(sent.body, "requestId")
    const code = await codeFor(app, phoneNumber)
    assert.deepStrictEqual(await post(app, "/numbers/confirm", { requestId, code: wrong(code) }), {
      status: 400,
      body: {
        code: "wrong_code",
        error: "The code is wrong; attempts left: 2",
        attemptsRemaining: 2,
      },
    })
    const confirmed = await post(app, "/numbers/confirm", { requestId, code })
    assert.strictEqual(confirmed.status, 200)
    assert.deepInclude(confirmed.body, { phoneNumber })
  })

  test.each([
    ["/numbers", {}, "phoneNumber"],
    ["/numbers", { phoneNumber: 8801712 }, "phoneNumber"],
    ["/numbers", [], "phoneNumber"],
    ["/numbers/confirm", { requestId: "vrf_0" }, "code"],
    ["/numbers/confirm", null, "requestId, code"],
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
    const sent = await post(app, "/numbers", { phoneNumber: "(01712) 400-020" })
    assert.strictEqual(sent.status, 202)
    const code = await codeFor(app, "+8801712400020")
    const confirmed = await post(app, "/numbers/confirm", {
      requestId: at(sent.body, "requestId"),
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
    const unknown = await post(app, "/numbers/confirm", { requestId: "vrf_0", code: "123456" })
    assert.strictEqual(unknown.status, 404)
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
  const ask = async (path: string, body: unknown): Promise<unknown> => {
    const request = { method: "POST", headers, body: JSON.stringify(body) }
    return (await app.fetch(new Request(`https://example.com${path}`, request))).json()
  }
  const phoneNumber = "+8801712400007"
  const requestId = at(await ask("/numbers", { phoneNumber }), "requestId")
  const [code] = /\d{6}/.exec(printed[0] ?? "") ?? []
  assert.deepInclude(await ask("/numbers/confirm", { requestId, code }), { phoneNumber })
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

test("works the same on a database in a folder", async () => {
  const app = await startExample("hono")
  try {
    const phoneNumber = "+8801712400005"
    const { body } = await post(app, "/numbers", { phoneNumber })
    const code = await codeFor(app, phoneNumber)
    const requestId = at(body, "requestId")
    assert.strictEqual((await post(app, "/numbers/confirm", { requestId, code })).status, 200)
  } finally {
    assert.strictEqual((await app.stop()).code, 0)
  }
})

test.each(["SIGTERM", "SIGINT"] as const)(
  "answers what is under way at %s, and ends with code 0",
  async (signal) => {
    const app = await startExample("hono", { env: { DATABASE_URL: await make() } })
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
  ["with a pepper that could be guessed", { PEPPER: "short" }, /pepper: .* at least 32 characters/],
])("does not start %s, and says why in one sentence", async (_, env, reason) => {
  const { code, stderr, stdout } = await runExample("hono", { env })
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, /^hono cannot run: .+\n$/)
  assert.match(stderr, reason)
})
