/**
 * Every call refuses fields that its input does not have, before it has an effect.
 */
import * as FastCheck from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Countersign } from "../src/index.ts"
import { InvalidRequestError } from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

let engine: Countersign
const phoneNumber = phone()
let requestId = ""
let code = ""
let gatewayId = ""
let webhook = ""

beforeAll(async () => {
  const made = await host({ database: "memory" })
  engine = made.engine
  const sent = await engine.verifications.send({ phoneNumber, purpose: "pay" })
  requestId = sent.requestId
  code = made.gateway.latestCode(phoneNumber)
  gatewayId = (await engine.messages.send({ phoneNumber, text: "x" })).gatewayId
  webhook = (await engine.webhooks.create({ url: "https://example.com", isEnabled: false })).id
})
afterAll(() => engine.dispose())

const period = { from: new Date(0), to: new Date() }

/** A whole input of each call, with the names of all of its fields. */
const calls: Readonly<Record<string, (rest: object) => unknown>> = {
  "verifications.send": (rest) => ({
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
    ...rest,
  }),
  "verifications.check": (rest) => ({
    requestId,
    purpose: "pay",
    client: "visitor",
    code,
    ...rest,
  }),
  "verifications.resend": (rest) => ({
    requestId,
    channel: "sms",
    client: "visitor",
    idempotencyKey: phone(),
    ...rest,
  }),
  "verifications.cancel": (rest) => ({ requestId, ...rest }),
  "verifications.consume": (rest) => ({
    requestId,
    purpose: "pay",
    audience: "orders",
    idempotencyKey: phone(),
    ...rest,
  }),
  "verifications.verify": (rest) => ({
    ...Object(calls["verifications.consume"]?.({})),
    code,
    client: "visitor",
    ...rest,
  }),
  "verifications.get": (rest) => ({ requestId, ...rest }),
  "verifications.list": (rest) => ({
    ...period,
    phoneNumber,
    statuses: ["pending"],
    limit: 5,
    ...rest,
  }),
  "verifications.resetGuesses": (rest) => ({ phoneNumber, ...rest }),
  "messages.send": (rest) => ({
    phoneNumber,
    text: "y",
    channel: "sms",
    idempotencyKey: phone(),
    ...rest,
  }),
  "messages.preview": (rest) => ({ text: "y", channel: "sms", phoneNumber, ...rest }),
  "messages.count": (rest) => ({ ...period, ...rest }),
  "messages.list": (rest) => ({
    ...period,
    phoneNumber,
    statuses: ["delivered"],
    gateway: "development",
    limit: 5,
    ...rest,
  }),
  "messages.get": (rest) => ({ id: "msg", ...rest }),
  "account.balance": (rest) => rest,
  "account.topUp": (rest) => ({ amount: "1", note: "cash", paymentId: phone(), ...rest }),
  "account.adjust": (rest) => ({ amount: "1", note: "gift", paymentId: phone(), ...rest }),
  "account.entries": (rest) => ({ after: 0, limit: 5, ...rest }),
  "account.statement": (rest) => ({ ...period, ...rest }),
  "account.statementCsv": (rest) => ({ ...period, ...rest }),
  "apiKeys.create": (rest) => ({
    name: "key",
    environment: "test",
    scopes: ["verify:check"],
    expiresAt: new Date(4_000_000_000_000),
    ...rest,
  }),
  "apiKeys.list": (rest) => ({ limit: 5, ...rest }),
  "apiKeys.revoke": (rest) => ({ id: "key", ...rest }),
  "senders.create": (rest) => ({
    kind: "masking",
    value: "ACME",
    status: "approved",
    isDefault: false,
    ...rest,
  }),
  "senders.update": (rest) => ({
    id: "sms",
    kind: "non-masking",
    value: "8809600000001",
    status: "approved",
    isDefault: true,
    ...rest,
  }),
  "senders.withdraw": (rest) => ({ id: "sms", ...rest }),
  "senders.list": (rest) => ({ limit: 5, ...rest }),
  "organizations.create": (rest) => ({
    id: "other",
    name: "Other",
    allowList: [],
    limits: { attempts: 4 },
    balanceLowAt: "5",
    blockedPrefixes: [],
    allowedPrefixes: [],
    ...rest,
  }),
  "organizations.list": (rest) => ({ limit: 5, ...rest }),
  "organizations.get": (rest) => ({ id: "default", ...rest }),
  "organizations.suspend": (rest) => ({ id: "default", ...rest }),
  "organizations.resume": (rest) => ({ id: "default", ...rest }),
  "organizations.repairTime": (rest) => ({ id: "default", ...rest }),
  "organizations.update": (rest) => ({
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
    ...rest,
  }),
  "reports.receive": (rest) => ({
    gatewayId,
    gateway: "development",
    status: "delivered",
    detail: "ok",
    evidence: { anything: 1 },
    unreachable: false,
    ...rest,
  }),
  "reports.unmatched": (rest) => ({ limit: 5, ...rest }),
  "fraud.findings": (rest) => ({ limit: 5, ...rest }),
  "fraud.dryRun": (rest) => ({ ...period, rules: { maxSent: 5, window: "1 minute" }, ...rest }),
  "refusals.list": (rest) => ({ limit: 5, ...rest }),
  "totals.read": (rest) => ({
    ...period,
    every: "day",
    by: ["channel"],
    kinds: ["messages"],
    ...rest,
  }),
  "events.list": (rest) => ({ after: 0, limit: 5, ...rest }),
  "webhooks.create": (rest) => ({
    url: "https://example.com/2",
    description: "second",
    types: null,
    isEnabled: false,
    after: 0,
    ...rest,
  }),
  "webhooks.list": (rest) => ({ limit: 5, ...rest }),
  "webhooks.update": (rest) => ({
    id: webhook,
    url: "https://example.com/3",
    description: "x",
    ...rest,
  }),
  "webhooks.rotateSecret": (rest) => ({ id: webhook, grace: "1 minute", ...rest }),
  "webhooks.remove": (rest) => ({ id: webhook, ...rest }),
  "webhooks.replay": (rest) => ({ id: webhook, after: 0, ...rest }),
  "webhooks.sendTest": (rest) => ({ id: webhook, ...rest }),
  "messages.history": (rest) => ({ sequence: 1, ...rest }),
  "verifications.history": (rest) => ({ requestId, ...rest }),
  "privacy.erase": (rest) => ({ phoneNumber, ...rest }),
  "audit.list": (rest) => ({
    ...period,
    actor: "a",
    action: "b",
    target: "c",
    cursor: "c9",
    limit: 5,
    ...rest,
  }),
  "audit.record": (rest) => ({ action: "login", target: "x", reason: "y", ...rest }),
}

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
  return perform(input)
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
  const { details } = await refused(name, calls[name]?.(rest))
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
    const whole = Object(calls[name]?.({}))
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
    const limits = {
      atempts: 5,
      resendCooldownMillis: 30,
      sendsPerNumber: { max: 1, per: "1 minute", windowMillis: 60_000 },
    }
    assert.deepStrictEqual(await meant("organizations.create", { limits }), [
      "limits.atempts is not a field; did you mean attempts?",
      "limits.resendCooldownMillis is not a field; did you mean resendCooldown?",
      "limits.sendsPerNumber.windowMillis is not a field of this input",
    ])
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
    ["verifications.send", { phone: "1" }, "phone is not a field; did you mean phoneNumber?"],
    ["verifications.send", { to: "1" }, "to is not a field; did you mean phoneNumber?"],
    ["verifications.send", { number: "1" }, "number is not a field; did you mean phoneNumber?"],
    ["verifications.send", { msisdn: "1" }, "msisdn is not a field; did you mean phoneNumber?"],
    [
      "verifications.send",
      { idempotency_key: "1" },
      "idempotency_key is not a field; did you mean idempotencyKey?",
    ],
    ["verifications.check", { otp: "1" }, "otp is not a field; did you mean code?"],
    ["messages.send", { message: "1" }, "message is not a field; did you mean text?"],
    ["messages.send", { body: "1" }, "body is not a field; did you mean text?"],
    ["messages.send", { zzzzzzzz: 1 }, "zzzzzzzz is not a field of this input"],
    ["messages.send", { __proto__x: 1 }, "__proto__x is not a field of this input"],
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

/** The fields that the inputs above do not have, because others are given. */
const optional =
  "sender sequence cursor id messageSequence phoneNumber requestId reason gatewayId isEnabled token types url".split(
    " ",
  )
