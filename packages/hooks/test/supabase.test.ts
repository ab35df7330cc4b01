import { ConfigurationError } from "countersign"
import { Webhook } from "standardwebhooks"
import { assert, describe, it } from "vitest"
import { type SupabaseOptions, supabaseSmsHook } from "../src/index.ts"
import { host, phoneNumber, post } from "./support/host.ts"

const secretOf = (text: string): string => `v1,whsec_${Buffer.from(text).toString("base64")}`

const secret = secretOf("the secret of a hook, for tests")
const next = secretOf("the next secret of a hook, for tests")

const text: SupabaseOptions["text"] = ({ code, isMfa }) =>
  `${code} is your ${isMfa ? "2nd " : ""}code.`

interface Made {
  readonly uuid?: string
  readonly code?: string
  readonly sms?: object
  readonly user?: object
}

/** The fields that Supabase sends. */
const bodyOf = ({ code = "123456", sms, user, uuid = "8f2b" }: Made = {}): string =>
  JSON.stringify({
    metadata: { uuid, time: "2026-11-27T09:00:00Z", name: "send-sms", ip_address: "192.0.2.1" },
    user: { id: "0d8b", aud: "authenticated", phone: "8801712345678", ...user },
    sms: { otp: code, phone: "8801712345678", ...sms },
  })

let attempts = 0

/** Each attempt of Supabase has its own id. `standardwebhooks` signs it, with one or several secrets. */
const signed = (body: string, at: Date, ...secrets: ReadonlyArray<string>) => {
  attempts += 1
  const id = `msg_${attempts}`
  const signatures = secrets.map((one) => new Webhook(one.replace("v1,", "")).sign(id, at, body))
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": signatures.join(", "),
  }
}

const setUp = async (...given: Parameters<typeof host>) => {
  const { clock, engine, sent } = await host(...given)
  const hook = supabaseSmsHook(engine, { secrets: [secret, next], text, clock })
  const call = (body = bodyOf(), ...secrets: ReadonlyArray<string>) =>
    post(hook, body, signed(body, clock.now(), ...(secrets.length === 0 ? [secret] : secrets)))
  return { call, clock, engine, hook, sent }
}

const accepted = { status: 200, body: {} }

describe("the hook of Supabase", () => {
  it("carries the code once, however often Supabase repeats its request", async () => {
    const { call, sent } = await setUp()
    assert.deepStrictEqual(await call(), accepted)
    assert.deepStrictEqual(await Promise.all([call(), call()]), [accepted, accepted])
    assert.deepStrictEqual(sent(), [`${phoneNumber} 123456 is your code.`])
    assert.deepStrictEqual(await call(bodyOf({ uuid: "8f2c", sms: { sms_type: "mfa" } })), accepted)
    assert.strictEqual(sent().at(-1), `${phoneNumber} 123456 is your 2nd code.`)
  })

  it.each([
    ["the new number of a user", { sms: { phone: "" }, user: { new_phone: "8801812345678" } }],
    ["a number with a plus and dashes", { sms: { phone: "+880 1812-345678" } }],
  ])("finds %s", async (_, made) => {
    const { call, sent } = await setUp()
    assert.deepStrictEqual(await call(bodyOf(made)), accepted)
    assert.deepStrictEqual(sent(), ["+8801812345678 123456 is your code."])
  })

  it("recognizes a repeat of an older server by the code", async () => {
    const { call, sent } = await setUp()
    const of = (code: string) =>
      JSON.stringify({ user: { phone: "8801712345678" }, sms: { otp: code } })
    for (const code of ["123456", "123456", "654321"]) {
      assert.deepStrictEqual(await call(of(code)), accepted)
    }
    assert.lengthOf(sent(), 2)
  })

  it.each([
    ["the next secret", [next]],
    ["both secrets", [next, secret]],
    ["an unknown secret and a known one", [secretOf("of another project"), secret]],
  ])("accepts the signature of %s", async (_, secrets) => {
    const { call } = await setUp()
    assert.deepStrictEqual(await call(bodyOf(), ...secrets), accepted)
  })

  it("refuses a request that Supabase has not signed, or not now", async () => {
    const { clock, hook, sent } = await setUp()
    const body = bodyOf()
    const now = clock.now().getTime()
    const headers = signed(body, clock.now(), secret)
    const forged: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
      [body, {}],
      [body, signed(body, clock.now(), secretOf("of another project"))],
      [bodyOf({ code: "654321" }), headers],
      [body, { ...headers, "webhook-id": "msg_0" }],
      [body, { ...headers, "webhook-signature": "v1,AAAA v1," }],
      [body, signed(body, new Date(now - 301_000), secret)],
      [body, signed(body, new Date(now + 301_000), secret)],
    ]
    for (const [given, signature] of forged) {
      assert.strictEqual((await post(hook, given, signature)).status, 401)
    }
    assert.deepStrictEqual(sent(), [])
  })

  it("refuses what is no request of the hook", async () => {
    const { call, hook } = await setUp()
    assert.strictEqual((await call("{")).status, 400)
    assert.strictEqual((await call(JSON.stringify({ sms: {} }))).status, 400)
    assert.strictEqual(
      (await call(bodyOf({ sms: { phone: null }, user: { phone: "" } }))).status,
      400,
    )
    assert.strictEqual((await call("x".repeat(65_537))).status, 413)
    assert.strictEqual((await hook.fetch(new Request("https://example.com/"))).status, 405)
  })
})

describe("a refusal", () => {
  it("is an answer that Supabase shows, and the code is not sent later", async () => {
    const limits = { messagesPerOrganization: { max: 1, per: "1 minute" } } as const
    const { call, clock, engine, sent } = await setUp({ limits })
    await call()
    const refused = await call(bodyOf({ uuid: "8f2c" }))
    assert.strictEqual(refused.status, 200)
    assert.deepStrictEqual(refused.body, {
      error: { http_code: 429, message: "Rate limit exceeded" },
    })
    await clock.advance("2 minutes")
    assert.deepStrictEqual(await call(bodyOf({ uuid: "8f2c" })), refused)
    assert.lengthOf(sent(), 1)
    const { items } = await engine.refusals.list()
    assert.deepStrictEqual(
      items.map(({ code }) => code),
      ["rate_limited"],
    )
  })

  it("names what is wrong with a number, and hides what only an operator can mend", async () => {
    const { call, sent } = await setUp({ prices: { sms: "1" } })
    const status = async (body: string): Promise<unknown> =>
      Reflect.get(Object(Reflect.get(Object((await call(body)).body), "error")), "http_code")
    assert.strictEqual(await status(bodyOf({ uuid: "1", sms: { phone: "12" } })), 400)
    assert.strictEqual(await status(bodyOf({ uuid: "2" })), 503)
    assert.deepStrictEqual(sent(), [])
  })
})

describe("the options", () => {
  it.each([
    [
      { text },
      "supabaseSmsHook: secrets is missing; without it, strangers could send messages at your cost",
    ],
    [
      { text, secrets: "whsec" },
      "supabaseSmsHook: a secret has the form v1,whsec_…, as Supabase shows it",
    ],
    [
      { secrets: secret },
      "supabaseSmsHook: text must be a function, such as ({ code }) => `${code} is your code.`",
    ],
    [{ text, secret }, "supabaseSmsHook: secret is not an option; did you mean secrets?"],
  ])("%j are refused", async (options, message) => {
    const { engine } = await host()
    const make = (): unknown => Reflect.apply(supabaseSmsHook, undefined, [engine, options])
    assert.throws(make, ConfigurationError, message)
  })
})
