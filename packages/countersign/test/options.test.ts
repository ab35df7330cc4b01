import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { inProduction, strongSecret } from "./support/production.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

const noDatabase = "postgres://127.0.0.1:1/none"

describe("test numbers", () => {
  const testNumbers = { numbers: [{ phoneNumber: "+8801700000000", code: "123456" }] }

  it("require permission in production, by NODE_ENV or the option", async () => {
    const strong = { secret: strongSecret }
    await inProduction(async () => {
      const refused = await failure(host({ ...strong, database: noDatabase, testNumbers }))
      assert.instanceOf(refused, Countersign.ConfigurationError)
      assert.match(refused.message, /testNumbers: are not for production/)
      const allowed = { ...testNumbers, allowInProduction: true }
      const started = await host({ ...strong, testNumbers: allowed })
      assert.isNotEmpty(started.lines.filter((line) => line.startsWith("warn: ")))
      await host({ ...strong, testNumbers, production: false })
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
    await host(nist)
    const said = { ...strong, testNumbers, production: true }
    const refused = await failure(host({ ...said, database: noDatabase }))
    assert.match(refused.message, /not for production/)
  })
})

describe("prices", () => {
  const long = "a".repeat(161)

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
})
