import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { inProduction, strongSecret } from "./support/production.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

const noDatabase = "postgres://127.0.0.1:1/none"

/** What is heard of a kind, the first time. */
const next = <T extends Countersign.Event["type"]>(engine: Countersign.Countersign, type: T) => {
  const heard = Promise.withResolvers<Extract<Countersign.Event, { readonly type: T }>>()
  const is = (
    event: Countersign.Event,
  ): event is Extract<Countersign.Event, { readonly type: T }> => event.type === type
  engine.subscribe((event) => {
    if (is(event)) heard.resolve(event)
  })
  return heard.promise
}

describe("rules against fraud", () => {
  it("deny codes to a prefix, raise an event, and keep the finding", async () => {
    const { engine } = await host({ verifications: { fraud: { maxSent: 2, action: "deny" } } })
    const suspected = next(engine, "fraud_suspected")
    const [one, other, third] = ["+8801911111111", "+8801911111112", "+8801911111113"]
    for (const phoneNumber of [one, other]) {
      await engine.verifications.send({ phoneNumber: phoneNumber ?? "" })
    }
    const denied = await failure(engine.verifications.send({ phoneNumber: third ?? "" }))
    assert.instanceOf(denied, Countersign.RateLimitedError)
    assert.strictEqual(denied.reason, "suspicion")
    await engine.verifications.send({ phoneNumber: "+8801711111111" })
    const { sequence, type, ...event } = await suspected
    const [found, ...none] = (await engine.fraud.findings()).items
    assert.isNumber(sequence)
    assert.deepStrictEqual([type, none], ["fraud_suspected", []])
    assert.deepStrictEqual(found, event)
    const { action, at, organization, prefix, reason } = event
    assert.deepStrictEqual(
      [organization, prefix, reason, action],
      ["default", "88019", "velocity", "deny"],
    )
    assert.instanceOf(at, Date)
    assert.deepStrictEqual((await engine.fraud.findings({ limit: 1 })).items, [event])
    await engine.dispose()
  })
})

describe("test numbers", () => {
  const testNumbers = { numbers: [{ phoneNumber: "+8801700000000", code: "123456" }] }

  it("have a fixed code, and receive no messages", async () => {
    const { engine, gateway } = await host({
      prices: { sms: "0.50" },
      limits: { sendsPerNumber: { max: 1, per: "1 minute" } },
      testNumbers: { ...testNumbers, bypassLimits: true },
    })
    const phoneNumber = "+8801700000000"
    const priceFor = async (to?: string) =>
      (await engine.messages.preview({ text: "x", phoneNumber: to })).price
    assert.deepStrictEqual([await priceFor(phoneNumber), await priceFor()], ["0.00", "0.50"])
    for (const _ of [1, 2, 3]) {
      const { requestId } = await engine.verifications.send({ phoneNumber })
      await engine.verifications.check({ requestId, code: "123456" })
    }
    assert.lengthOf(gateway.messages(), 0)
    assert.deepStrictEqual((await engine.account.balance()).balance, "0.00")
    await engine.dispose()
  })

  it("require permission in production, by NODE_ENV or the option", async () => {
    const strong = { secret: strongSecret }
    await inProduction(async () => {
      const refused = await failure(host({ ...strong, database: noDatabase, testNumbers }))
      assert.instanceOf(refused, Countersign.ConfigurationError)
      assert.match(refused.message, /testNumbers: are not for production/)
      const allowed = { ...testNumbers, allowInProduction: true }
      const started = await host({ ...strong, testNumbers: allowed })
      assert.isNotEmpty(started.lines.filter((line) => line.startsWith("warn: ")))
      await started.engine.dispose()
      const staging = await host({ ...strong, testNumbers, production: false })
      await staging.engine.dispose()
    })
    const nist = {
      verifications: { profile: "nist" },
      testNumbers: { ...testNumbers, allowInProduction: true },
    } as const
    await inProduction(async () => {
      const bypass = await failure(host({ ...strong, ...nist, database: noDatabase }))
      assert.instanceOf(bypass, Countersign.ConfigurationError)
      assert.match(bypass.message, /testNumbers: are not for production under the profile nist/)
    })
    const tried = await host(nist)
    await tried.engine.dispose()
    const said = { ...strong, testNumbers, production: true }
    const refused = await failure(host({ ...said, database: noDatabase }))
    assert.match(refused.message, /not for production/)
  })
})

it("a code that WhatsApp has refused is sent by SMS if the fallback is on", async () => {
  const refused = { status: "rejected", reason: "recipient", message: "no" } as const
  const whatsapp: Countersign.Gateway = { name: "chat", send: async () => refused }
  const sms = Countersign.developmentGateway()
  const { engine } = await host({
    gateways: { sms, whatsapp },
    verifications: { fallback: { whatsappFirst: true } },
  })
  const phoneNumber = phone()
  const { channel, requestId } = await engine.verifications.send({ phoneNumber })
  assert.strictEqual(channel, "sms")
  await engine.verifications.check({ requestId, code: sms.latestCode(phoneNumber) })
  const { items: messages } = await engine.messages.list()
  assert.deepStrictEqual(
    messages.map(({ channel, status }) => `${channel} ${status}`),
    ["sms delivered", "whatsapp rejected"],
  )
  await engine.dispose()
})

it("numbers of other countries are refused with the reason", async () => {
  const { engine } = await host({ countries: ["BD"] })
  await engine.messages.send({ phoneNumber: "+8801712345678", text: "x" })
  const refused = await failure(engine.verifications.send({ phoneNumber: "+919876543210" }))
  assert.instanceOf(refused, Countersign.InvalidRequestError)
  assert.deepStrictEqual(refused.details, {
    phoneNumber: [Countersign.fieldProblem("country_not_served", {})],
  })
  await engine.dispose()
})

describe("prices", () => {
  const long = "a".repeat(161)

  it("are per segment if set so, and shown by a preview", async () => {
    const { engine, gateway } = await host({
      prices: { sms: "0.35", whatsapp: "0.90", per: "segment", currency: "BDT" },
    })
    assert.deepStrictEqual(await engine.messages.preview({ text: long }), {
      segments: { encoding: "gsm7", units: 161, segments: 2, remaining: 145 },
      price: "0.70",
      currency: "BDT",
    })
    assert.deepStrictEqual(await engine.messages.preview({ text: long, channel: "whatsapp" }), {
      segments: null,
      price: "0.90",
      currency: "BDT",
    })
    const empty = await failure(engine.messages.preview({ text: "" }))
    assert.instanceOf(empty, Countersign.InvalidRequestError)
    assert.lengthOf(gateway.messages(), 0)
    await engine.account.topUp({ amount: "1" })
    assert.strictEqual(
      (await engine.messages.send({ phoneNumber: phone(), text: long })).balance,
      "0.30",
    )
    await engine.dispose()
  })

  it("may depend on the organization", async () => {
    const { engine } = await host({
      prices: {
        of: ({ channel, organization, segments }) =>
          organization === "acme" ? `${segments}.25` : channel === "sms" ? "1" : "free",
      },
    })
    await engine.organizations.create({ id: "acme" })
    const preview = async (input: Partial<Countersign.PreviewMessage>) =>
      (await engine.messages.preview({ text: long, ...input })).price
    const { price } = await engine.organization("acme").messages.preview({ text: long })
    assert.strictEqual(price, "2.25")
    assert.strictEqual(await preview({}), "1.00")
    // What is no amount is a bug of the host.
    const bug = await failure(preview({ channel: "whatsapp" }))
    assert.instanceOf(bug, Countersign.InternalError)
    await engine.dispose()
  })
})

it("a gateway receives the code and its language, for its own templates", async () => {
  const { engine, gateway } = await host()
  const phoneNumber = phone()
  await engine.verifications.send({ phoneNumber, locale: "bn-bd" })
  await engine.messages.send({ phoneNumber: phoneNumber, text: "x" })
  const [message, verification] = gateway.messages(phoneNumber)
  assert.deepStrictEqual([message?.code, message?.locale], [undefined, undefined])
  assert.strictEqual(verification?.locale, "bn-bd")
  assert.include(verification?.text, verification?.code ?? assert.fail())
  await engine.dispose()
})

describe("invalid options", () => {
  const code = "7390284615"
  it.each([
    ["an invalid country", { countries: ["XX"] }, /^countries: XX is no country/],
    ["no country", { countries: [] }, /^countries: /],
    ["an invalid amount", { limits: { spendPerDay: "1,5" } }, /^limits: spendPerDay/],
    ["a negative cap", { limits: { spendPerDay: "-1" } }, /^limits: spendPerDay/],
    [
      "no window",
      { verifications: { fraud: { window: "0 seconds" } } },
      /^verifications\.fraud: window must be/,
    ],
    [
      "a share above 1",
      { verifications: { fraud: { minConversion: 2 } } },
      /^verifications\.fraud: minConversion/,
    ],
    ["two ways to say a price", { prices: { sms: "1", of: () => "1" } }, /^prices\.of/],
    [
      "a test number that is not served",
      {
        countries: ["BD"],
        testNumbers: { numbers: [{ phoneNumber: "+12025550123", code }] },
      },
      /^testNumbers: number 1 numbers of this country/,
    ],
    [
      "an invalid test code",
      { testNumbers: { numbers: [{ phoneNumber: "+8801700000000", code: `x${code}` }] } },
      /^testNumbers: number 1 must have a code/,
    ],
    [
      "no text",
      { verifications: { texts: { templates: [] } } },
      /^verifications\.texts: there is no template/,
    ],
    [
      "a text for some only",
      {
        verifications: {
          texts: { templates: [{ locale: "en-us", organization: "acme", text: () => "x" }] },
        },
      },
      /^verifications\.texts: No template of en-us names no organization/,
    ],
    [
      "an invalid domain",
      { verifications: { texts: { domain: "https://example.com" } } },
      /^verifications\.texts: A domain/,
    ],
    [
      "no patience",
      { verifications: { fallback: { reportWithin: "0 seconds" } } },
      /^verifications\.fallback: reportWithin must be/,
    ],
    [
      "one partition",
      { database: { url: noDatabase, partitions: 1 } },
      /^database\.partitions must/,
    ],
    ["no days for the audit", { retention: { audit: "0 days" } }, /^retention\.audit must/],
    ["no days for totals", { retention: { totals: "0 days" } }, /^retention\.totals must/],
    ["no days for findings", { retention: { findings: "0 days" } }, /^retention\.findings must/],
  ] satisfies ReadonlyArray<readonly [string, Partial<Countersign.CountersignOptions>, RegExp]>)(
    "are refused: %s",
    async (_, options, message) => {
      const error = await failure(host({ database: noDatabase, ...options }))
      assert.instanceOf(error, Countersign.ConfigurationError)
      assert.match(error.message, message)
      assert.notInclude(error.message, code)
    },
  )
})
