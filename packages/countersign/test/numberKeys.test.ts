import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { inProduction, strongSecret } from "./support/production.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

const key = (id: string): Countersign.NumberKey => ({
  id,
  secret: `the secret of ${id}, 32 characters or more`,
})

const refusal = async (numberKeys: ReadonlyArray<Countersign.NumberKey>) =>
  failure(
    Countersign.createCountersign({
      database: "postgres://127.0.0.1:1/none",
      secret: strongSecret,
      gateways: { sms: Countersign.developmentGateway() },
      numberKeys,
    }),
  )

describe("the keys of phone numbers", () => {
  it("are rotated while requests are pending, and a start requires them", async () => {
    const phoneNumber = phone()
    const { engine, gateway, settings } = await host({ numberKeys: [key("1")] })
    const { requestId } = await engine.verifications.send({ phoneNumber })
    await engine.dispose()
    const rotated = { ...settings, numberKeys: [key("2"), key("1")] }
    {
      await using next = await Countersign.createCountersign(rotated)
      const code = gateway.messages(phoneNumber)[0]?.code ?? ""
      const checked = await next.verifications.check({ phoneNumber, code })
      assert.strictEqual(checked.requestId, requestId)
      await next.messages.send({ phoneNumber, text: "hello" })
      const { messages } = await next.messages.search({ phoneNumber })
      assert.deepStrictEqual(
        messages.map((message) => message.phoneNumber),
        [phoneNumber, phoneNumber],
      )
    }
    const error = await failure(
      Countersign.createCountersign({ ...settings, numberKeys: [key("2")] }),
    )
    assert.instanceOf(error, Countersign.StartError)
    assert.match(error.message, /numberKeys: .* under the key "1", which is missing/)
    // The tables are migrated by processes that know the keys as well.
    await Countersign.migrateCountersign(rotated)
  })

  it.each([
    [[key("")], /^numberKeys: an id has 1 to 32 characters/],
    [[key("x".repeat(33))], /^numberKeys: an id has 1 to 32 characters/],
    [[key("$1")], /^numberKeys: an id has letters, digits/],
    [[key("1"), key("1")], /^numberKeys: two have the same id/],
    [[{ id: "1", secret: "hunter2" }], /^numberKeys: a secret has at least 32 characters$/],
    [[untyped<Countersign.NumberKey>({ id: 1, secret: key("1").secret })], /numberKeys/],
  ])("%# are rejected", async (keys, message) => {
    const error = await refusal(keys)
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.match(error.message, message)
    assert.notInclude(error.message, "hunter2")
  })

  it("are not easy to guess in production", async () => {
    const error = await inProduction(() => refusal([{ id: "1", secret: "x".repeat(32) }]))
    assert.match(error.message, /^numberKeys: the secret is easily guessed/)
  })
})
