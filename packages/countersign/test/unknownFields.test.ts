/**
 * One pass over the operations: every call accepts its whole input, and refuses unknown fields and values of
 * wrong types before it has an effect.
 */
import * as FastCheck from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { createCountersign, developmentGateway, InvalidRequestError } from "../src/index.ts"
import { secret } from "./support/host.ts"
import { inputsOf } from "./support/inputs.ts"
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

const calls = inputsOf({ phoneNumber, requestId, code, gatewayId, batchId, webhook })

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
