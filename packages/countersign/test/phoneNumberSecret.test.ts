import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { inProduction, strongSecret } from "./support/production.ts"
import { failure, phone } from "./support/values.ts"

const { database, host } = hosts()

const [one, two] = [
  "the first secret of numbers, for tests",
  "the second secret of numbers, for tests",
]

const refusal = async (phoneNumberSecret: Countersign.Secret) =>
  failure(
    Countersign.createCountersign({
      database: { url: "postgres://127.0.0.1:1/none", phoneNumberSecret },
      secret: strongSecret,
      gateways: { sms: Countersign.developmentGateway() },
    }),
  )

describe("the secrets of phone numbers", () => {
  it("are rotated while requests are pending, and a start requires them", async () => {
    const phoneNumber = phone()
    const url = await database()
    const { engine, gateway, settings } = await host({
      database: { url, phoneNumberSecret: one },
    })
    const { requestId } = await engine.verifications.send({ phoneNumber })
    await engine.dispose()
    const rotated = { ...settings, database: { url, phoneNumberSecret: [two, one] } }
    {
      await using next = await Countersign.createCountersign(rotated)
      const code = gateway.messages(phoneNumber)[0]?.code ?? ""
      const checked = await next.verifications.check({ phoneNumber, code })
      assert.strictEqual(checked.requestId, requestId)
      await next.messages.send({ phoneNumber, text: "hello" })
      const { items: messages } = await next.messages.list({ phoneNumber })
      assert.deepStrictEqual(
        messages.map((message) => message.phoneNumber),
        [phoneNumber, phoneNumber],
      )
    }
    const error = await failure(
      Countersign.createCountersign({ ...settings, database: { url, phoneNumberSecret: two } }),
    )
    assert.instanceOf(error, Countersign.StartError)
    assert.match(error.message, /phone numbers .* under the secret "[\w-]{12}", which is missing/)
    assert.notInclude(error.message, one)
    // The tables are migrated by processes that know the secrets as well.
    await Countersign.migrateCountersign(rotated)
  })

  it.each([
    [[one, one], "database.phoneNumberSecret: two are equal"],
    ["hunter2", "database.phoneNumberSecret: a secret has at least 32 characters"],
  ])("%# are rejected", async (secret, message) => {
    const error = await refusal(secret)
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.strictEqual(error.message, message)
  })

  it("are not easy to guess in production", async () => {
    const error = await inProduction(() => refusal("x".repeat(32)))
    assert.match(error.message, /^database\.phoneNumberSecret: the secret is easily guessed/)
  })
})
