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
    app = await startExample("fastify", { env: { DATABASE_URL: await make() } })
  })
  afterAll(() => app?.stop())

  test("confirms a number", async () => {
    const phoneNumber = "+8801712300001"
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

  test("sends the text in the language that was asked for", async () => {
    const phoneNumber = "+8801712300002"
    const { body } = await post(app, "/numbers", { phoneNumber, locale: "bn-bd" })
    assert.match(String(at(body, "requestId")), /^vrf_/)
    assert.match(app.stdout(), /sms to \+8801712300002: .*\p{Script=Bengali}/u)
  })

  test.each([
    ["/numbers", {}],
    ["/numbers", { phoneNumber: "1".repeat(65) }],
    ["/numbers", null],
    ["/numbers", { phoneNumber: "+8801712300003", locale: "de" }],
    ["/numbers/confirm", { requestId: "vrf_0" }],
    ["/numbers/confirm", { requestId: "vrf_0", code: "" }],
  ])("lets the schema of %s refuse %j", async (path, body) => {
    const refused = await post(app, path, body)
    assert.strictEqual(refused.status, 400)
    assert.deepInclude(refused.body, { code: "FST_ERR_VALIDATION" })
  })

  test("reads a number in national form, and a code with a space", async () => {
    const sent = await post(app, "/numbers", { phoneNumber: "(01712) 300-020" })
    assert.strictEqual(sent.status, 202)
    const code = await codeFor(app, "+8801712300020")
    const confirmed = await post(app, "/numbers/confirm", {
      requestId: at(sent.body, "requestId"),
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    assert.strictEqual(confirmed.status, 200)
    assert.deepInclude(confirmed.body, { phoneNumber: "+8801712300020" })
  })

  test.each(["", "12", "01712-300021 ext. 5", "+8800000000000"])(
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
    const phoneNumber = "+8801712300004"
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

test("works the same on a database in a folder", async () => {
  const app = await startExample("fastify")
  try {
    const phoneNumber = "+8801712300005"
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
    const app = await startExample("fastify", { env: { DATABASE_URL: await make() } })
    try {
      const finish = await beginPost(`${app.origin}/numbers`, { phoneNumber: "+8801712300006" })
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
  const { code, stderr, stdout } = await runExample("fastify", { env })
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, /^fastify cannot run: .+\n$/)
  assert.match(stderr, reason)
})
