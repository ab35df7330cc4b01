/**
 * One pass over the operations: every call accepts its whole input, and refuses unknown fields and values of
 * wrong types before it has an effect.
 */
import * as FastCheck from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { createCountersign, developmentGateway, InvalidRequestError } from "../src/index.ts"
import { secret } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

const sms = developmentGateway()
const engine = await createCountersign({
  database: "memory",
  secret,
  gateways: { sms, whatsapp: sms },
  log: () => {},
})
const phoneNumber = phone()
const { requestId } = await engine.verifications.send({ phoneNumber, purpose: "pay" })
const code = sms.latestCode(phoneNumber)
const { gatewayId } = await engine.messages.send({ phoneNumber, text: "x" })
const { batchId } = await engine.messages.sendMany({
  recipients: [phoneNumber],
  text: "x",
  sendAt: new Date(Date.now() + 86_400_000),
})
const { id: webhook } = await engine.webhooks.create({
  url: "https://example.com",
  isEnabled: false,
})
afterAll(() => engine.dispose())

const period = { from: new Date(0), to: new Date() }

/** A whole input of each call, with the names of all of its fields. */
const calls: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  "verifications.send": () => ({
    phoneNumber: phone(),
    channel: "sms",
    codeLength: 6,
    expiresIn: "5 minutes",
    locale: "en-us",
    client: "visitor",
    purpose: "login",
    metadata: { anything: 1 },
    payment: { amount: "1 BDT", payee: "Acme" },
    idempotencyKey: phone(),
  }),
  "verifications.check": () => ({ requestId, purpose: "pay", client: "visitor", code }),
  "verifications.resend": () => ({
    requestId,
    channel: "sms",
    client: "visitor",
    idempotencyKey: phone(),
  }),
  "verifications.cancel": () => ({ requestId }),
  "verifications.consume": () => ({
    requestId,
    purpose: "pay",
    audience: "orders",
    idempotencyKey: phone(),
  }),
  "verifications.verify": () => ({
    ...calls["verifications.consume"]?.(),
    code,
    client: "visitor",
  }),
  "verifications.get": () => ({ requestId }),
  "verifications.prepare": () => ({ phoneNumber, channel: "sms", orderKey: "k", purpose: "login" }),
  "verifications.dispatch": () => ({ requestId }),
  "verifications.list": () => ({ ...period, phoneNumber, statuses: ["pending"], limit: 5 }),
  "verifications.resetGuesses": () => ({ phoneNumber }),
  "messages.send": () => ({
    phoneNumber,
    text: "y",
    channel: "sms",
    class: "promotional",
    idempotencyKey: phone(),
  }),
  "messages.estimate": () => ({
    recipients: [phone()],
    text: "y",
    class: "promotional",
    channel: "sms",
    sendAt: new Date(0),
    expiresAt: new Date(4_000_000_000_000),
    pace: 5,
  }),
  "messages.sendMany": () => ({ ...calls["messages.estimate"]?.(), idempotencyKey: phone() }),
  "batches.get": () => ({ id: batchId }),
  "batches.list": () => ({ limit: 5 }),
  "batches.pause": () => ({ id: batchId }),
  "batches.resume": () => ({ id: batchId }),
  "batches.cancel": () => ({ id: batchId }),
  "messages.preview": () => ({ text: "y", channel: "sms", phoneNumber }),
  "messages.count": () => ({ ...period }),
  "messages.list": () => ({
    ...period,
    phoneNumber,
    statuses: ["delivered"],
    gateway: "development",
    limit: 5,
  }),
  "messages.get": () => ({ id: "msg" }),
  "messages.prepare": () => ({
    phoneNumber,
    text: "y",
    channel: "sms",
    class: "promotional",
    orderKey: "k",
    sendAt: new Date(),
    expiresAt: new Date(Date.now() + 60_000),
  }),
  "messages.dispatch": () => ({ id: "msg" }),
  "messages.getQueued": () => ({ id: "msg" }),
  "messages.listQueued": () => ({ limit: 5 }),
  "messages.cancel": () => ({ id: "msg" }),
  "messages.reschedule": () => ({ id: "msg", sendAt: new Date() }),
  "account.balance": () => ({}),
  "account.topUp": () => ({ amount: "1", note: "cash", paymentId: phone() }),
  "account.adjust": () => ({ amount: "1", note: "gift", paymentId: phone() }),
  "account.entries": () => ({ after: 0, limit: 5 }),
  "account.statement": () => ({ ...period }),
  "account.statementCsv": () => ({ ...period }),
  "apiKeys.create": () => ({
    name: "key",
    environment: "test",
    scopes: ["verify:check"],
    expiresAt: new Date(4_000_000_000_000),
  }),
  "apiKeys.list": () => ({ limit: 5 }),
  "apiKeys.revoke": () => ({ id: "key" }),
  "senders.create": () => ({
    kind: "masking",
    value: "ACME",
    status: "approved",
    isDefault: false,
    class: "promotional",
  }),
  "senders.update": () => ({
    id: "sms",
    kind: "non-masking",
    value: "8809600000001",
    status: "approved",
    isDefault: true,
  }),
  "senders.withdraw": () => ({ id: "sms" }),
  "senders.list": () => ({ limit: 5 }),
  "organizations.create": () => ({
    id: "other",
    name: "Other",
    allowList: [],
    limits: { attempts: 4 },
    balanceLowAt: "5",
    blockedPrefixes: [],
    allowedPrefixes: [],
    quietHours: { promotional: { from: "22:00", to: "08:00" } },
  }),
  "organizations.list": () => ({ limit: 5 }),
  "organizations.get": () => ({ id: "default" }),
  "organizations.suspend": () => ({ id: "default" }),
  "organizations.resume": () => ({ id: "default" }),
  "organizations.repairTime": () => ({ id: "default" }),
  "organizations.update": () => ({
    id: "default",
    name: "Default",
    resetLimits: ["attempts"],
    allowList: [],
    limits: {
      sendsPerNumber: [{ max: 3, per: "1 minute" }],
      codeLength: { min: 4, max: 8, default: 6 },
    },
    balanceLowAt: "7",
    blockedPrefixes: [],
    allowedPrefixes: [],
    quietHours: { promotional: { from: "22:00", to: "08:00" } },
  }),
  "reports.receive": () => ({
    gatewayId,
    gateway: "development",
    status: "delivered",
    detail: "ok",
    evidence: { anything: 1 },
    unreachable: false,
  }),
  "reports.unmatched": () => ({ limit: 5 }),
  "fraud.findings": () => ({ limit: 5 }),
  "fraud.dryRun": () => ({ ...period, rules: { maxSent: 5, window: "1 minute" } }),
  "refusals.list": () => ({ limit: 5 }),
  "totals.read": () => ({
    from: period.to,
    to: period.to,
    every: "day",
    by: ["channel"],
    kinds: ["messages"],
  }),
  "events.list": () => ({ after: 0, limit: 5 }),
  "webhooks.create": () => ({
    url: "https://example.com/2",
    description: "second",
    types: null,
    isEnabled: false,
    after: 0,
  }),
  "webhooks.list": () => ({ limit: 5 }),
  "webhooks.update": () => ({ id: webhook, url: "https://example.com/3", description: "x" }),
  "webhooks.rotateSecret": () => ({ id: webhook, grace: "1 minute" }),
  "webhooks.remove": () => ({ id: webhook }),
  "webhooks.replay": () => ({ id: webhook, after: 0 }),
  "webhooks.sendTest": () => ({ id: webhook }),
  "messages.history": () => ({ sequence: 1 }),
  "verifications.history": () => ({ requestId }),
  "optOuts.add": () => ({ phoneNumbers: [phone()] }),
  "optOuts.remove": () => ({ phoneNumbers: [phone()] }),
  "optOuts.check": () => ({ phoneNumber }),
  "privacy.erase": () => ({ phoneNumber }),
  "audit.list": () => ({ ...period, actor: "a", action: "b", target: "c", cursor: "c9", limit: 5 }),
  "audit.record": () => ({ action: "login", target: "x", reason: "y" }),
}

/** The whole input of a call, with other fields or values. */
const inputOf = (name: string, rest: object = {}): Readonly<Record<string, unknown>> => ({
  ...calls[name]?.(),
  ...rest,
})

/** The methods without an input, and those that return no promise. */
const others = [
  "verifications.newRequestId",
  "events.follow",
  "privacy.export",
  "gateways.health",
  "gateways.list",
  "gateways.subscribe",
]

type Method = (input: unknown) => Promise<unknown>

const call = (name: string, input: unknown): Promise<unknown> => {
  const [service = "", method = ""] = name.split(".")
  const perform: Method = untyped(Reflect.get(Object(Reflect.get(engine, service)), method))
  // `prepare` throws instead of rejecting.
  return Promise.try(() => perform(input))
}

/** Everything that a call could have written. */
const everything = async () => ({
  organizations: await engine.organizations.list(),
  settings: await engine.organizations.get({ id: "default" }),
  entries: await engine.account.entries(),
  senders: await engine.senders.list(),
  keys: await engine.apiKeys.list(),
  webhooks: await engine.webhooks.list(),
  messages: await engine.messages.list(),
  audit: await engine.audit.list(),
  events: await engine.events.list(),
  request: await engine.verifications.get({ requestId }),
  reports: (await engine.messages.history({ sequence: 2 })).reports,
})

const misspelt = (field: string): FastCheck.Arbitrary<string> =>
  FastCheck.oneof(
    FastCheck.nat({ max: field.length - 1 }).map((at) => field.slice(0, at) + field.slice(at + 1)),
    FastCheck.nat({ max: field.length - 1 }).map((at) => field.slice(0, at) + field.slice(at - 1)),
    FastCheck.constant(field.toUpperCase()),
    FastCheck.constant(field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    FastCheck.string({ minLength: 1, maxLength: 12 }),
  )

const refused = async (name: string, input: unknown): Promise<InvalidRequestError> => {
  const error = await failure(call(name, input))
  assert.instanceOf(error, InvalidRequestError, `${name} ${JSON.stringify(input)}`)
  return error
}

const meant = async (name: string, rest: object): Promise<ReadonlyArray<string>> => {
  const { details } = await refused(name, inputOf(name, rest))
  return Object.entries(details).flatMap(([field, problems]) =>
    problems.map(({ message }) => `${field} ${message}`),
  )
}

describe("an unknown field", () => {
  it("has an entry here for every method of the engine", () => {
    const services = Object.entries(engine).filter(
      ([name, value]) => typeof value === "object" && name !== "callbacks",
    )
    const methods = services.flatMap(([service, value]) =>
      Object.keys(Object(value)).map((method) => `${service}.${method}`),
    )
    assert.deepStrictEqual(methods.toSorted(), [...Object.keys(calls), ...others].toSorted())
  })

  it.each(Object.keys(calls))("is refused by %s, which writes nothing", async (name) => {
    const whole = inputOf(name)
    const own = Object.keys(whole)
    const before = await everything()
    await FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.constantFrom(...(own.length === 0 ? ["cursor"] : own)).chain((field) =>
          FastCheck.tuple(FastCheck.constant(field), misspelt(field)),
        ),
        async ([field, wrong]) => {
          const known = new Set([...Object.keys(whole), ...optional])
          // It is refused as well, but an object of problems cannot have it.
          FastCheck.pre(!known.has(wrong) && wrong !== "__proto__")
          const { [field]: value, ...rest } = whole
          // Both beside the right field and in its place.
          for (const input of [
            { ...whole, [wrong]: "x" },
            { ...rest, [wrong]: value ?? "x" },
          ]) {
            const { details } = await refused(name, input)
            assert.include(Object.keys(details), wrong)
            assert.strictEqual(details[wrong]?.[0]?.code, "unknown_field")
          }
        },
      ),
      { numRuns: 30, seed: 29 },
    )
    assert.deepStrictEqual(await everything(), before)
  })

  it("is refused within a payment, limits and rules of fraud detection", async () => {
    assert.deepStrictEqual(
      await meant("verifications.send", { payment: { amount: "1", payee: "x", payeee: "y" } }),
      ["payment.payeee is not a field; did you mean payee?"],
    )
    assert.deepStrictEqual(
      await meant("organizations.update", {
        limits: { sendPerNumber: null, checksPerRequest: [{ max: 1, pr: "1 minute" }] },
      }),
      [
        "limits.sendPerNumber is not a field; did you mean sendsPerNumber?",
        "limits.checksPerRequest.0.pr is not a field; did you mean per?",
      ],
    )
    assert.deepStrictEqual(await meant("fraud.dryRun", { rules: { windowSeconds: 5 } }), [
      "rules.windowSeconds is not a field; did you mean window?",
    ])
  })

  it("is refused by the iterators", async () => {
    const follow = engine.events.follow(untyped({ limit: 5 }))[Symbol.asyncIterator]()
    assert.instanceOf(await failure(follow.next()), InvalidRequestError)
    const rows = engine.privacy.export(untyped({ phoneNumber, org: "default" }))
    assert.instanceOf(await failure(rows[Symbol.asyncIterator]().next()), InvalidRequestError)
  })

  it("is refused by `as`", () => {
    assert.throws(() => engine.as(untyped({ id: "cron", reson: "x" })), InvalidRequestError)
  })

  it.each([
    ["verifications.check", { purpos: "login" }, "purpos is not a field; did you mean purpose?"],
    ["verifications.send", { to: "1" }, "to is not a field; did you mean phoneNumber?"],
    ["messages.send", { zzzzzzzz: 1 }, "zzzzzzzz is not a field of this input"],
  ] as const)("names the field that was meant: %s %j", async (name, rest, message) => {
    assert.deepStrictEqual(await meant(name, rest), [message])
  })

  it("is accepted if its value is undefined, like an option", async () => {
    const input = untyped<object>({ phoneNumber, text: "z", note: undefined })
    await call("messages.send", input)
  })

  it("is no field of a class's prototype", async () => {
    class Message {
      readonly phoneNumber = phoneNumber
      readonly text = "z"
      get length(): number {
        return 1
      }
    }
    await call("messages.send", new Message())
  })
})

/** Values that a field does not accept, of other types than one that it does. */
const wrongTypes = (value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "string") return [5, {}]
  if (typeof value === "number") return ["5", {}, 0.5]
  if (typeof value === "boolean") return ["yes", 1]
  if (value instanceof Date) return ["2026-01-01", 5, new Date(Number.NaN)]
  if (Array.isArray(value)) return ["x", [5], {}]
  return value === null ? [5, {}] : [5, "x"]
}

it.each(Object.keys(calls))("%s refuses values of wrong types, by their fields", async (name) => {
  const before = await everything()
  for (const none of [null, 5]) {
    assert.strictEqual((await refused(name, none)).details["input"]?.[0]?.code, "not_object")
  }
  for (const [field, value] of Object.entries(inputOf(name))) {
    for (const wrong of wrongTypes(value)) {
      const { details } = await refused(name, inputOf(name, { [field]: wrong }))
      // A member of an object is named after it, as in `limits.codeLength`.
      const names = new Set(Object.keys(details).map((detail) => detail.split(".")[0]))
      assert.deepStrictEqual([...names], [field], JSON.stringify(wrong))
    }
  }
  assert.deepStrictEqual(await everything(), before)
})

it.each(Object.keys(calls))("%s accepts an input with all of its fields", async (name) => {
  const refusal = await call(name, inputOf(name)).catch((error: unknown) => error)
  assert.notInstanceOf(refusal, InvalidRequestError)
})

/** The fields that the inputs above do not have, because others are given. */
const optional =
  "sender sequence cursor id messageSequence phoneNumber requestId reason gatewayId isEnabled token types url".split(
    " ",
  )
