import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Countersign, DeliveryReport } from "../src/index.ts"
import { InvalidRequestError } from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

let engine: Countersign

beforeAll(async () => {
  engine = (await host()).engine
  await engine.messages.send({ phoneNumber: phone(), text: "x" })
})
afterAll(() => engine.dispose())

/** An input whose field cannot be read. */
const throwing = (field: string, rest: object = {}): object =>
  Object.defineProperty({ ...rest }, field, {
    enumerable: true,
    get: () => {
      throw new Error("not loaded")
    },
  })

class Lazy {
  get phoneNumber(): string {
    throw new Error("not loaded")
  }
}

describe("an input that cannot be read", () => {
  const methods = ["send", "resend", "cancel", "consume", "check", "get", "resetGuesses"] as const

  it.each(methods)("is an invalid request of verifications.%s", async (name) => {
    const method: (input?: unknown) => Promise<unknown> = untyped(engine.verifications[name])
    for (const args of [[null], [undefined], []]) {
      const error = await failure(method(...args))
      assert.instanceOf(error, InvalidRequestError)
      assert.deepStrictEqual(
        error.details["input"]?.map(({ code }) => code),
        ["not_object"],
      )
    }
    const field = name === "send" || name === "resetGuesses" ? "phoneNumber" : "requestId"
    const whole = {
      [field]: field === "requestId" ? "vrf" : phone(),
      ...(name === "check" && { code: "1" }),
    }
    for (const member of [field, "organization"]) {
      const error = await failure(method(throwing(member, whole)))
      assert.instanceOf(error, InvalidRequestError)
      const codes = error.details[member]?.map(({ code }) => code)
      assert.deepStrictEqual(codes, ["unreadable"])
      assert.notInclude(error.message, "not loaded")
    }
  })

  it.each([
    ["of a class", new Lazy(), "phoneNumber"],
    [
      "within a field",
      { phoneNumber: phone(), payment: throwing("amount", { payee: "Acme" }) },
      "payment",
    ],
  ] as const)("names its field: a member %s", async (_, input, field) => {
    const error = await failure(engine.verifications.send(untyped(input)))
    assert.instanceOf(error, InvalidRequestError)
    assert.deepStrictEqual(Object.keys(error.details), [field])
  })

  it("is one of the settings of an organization", async () => {
    const error = await failure(engine.organizations.update(untyped(null)))
    assert.instanceOf(error, InvalidRequestError)
    const limits = throwing("sendsPerNumber")
    const other = await failure(engine.organizations.update({ id: "default", limits }))
    assert.instanceOf(other, InvalidRequestError)
    assert.deepStrictEqual(Object.keys(other.details), ["limits"])
  })
})

it("a report may have no detail, as null", async () => {
  const report: DeliveryReport = { messageSequence: 1, status: "accepted", detail: untyped(null) }
  assert.strictEqual(await engine.reports.receive(report), "applied")
})
