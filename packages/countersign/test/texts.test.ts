import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

describe("texts", () => {
  it("depend on the organization and the sender, with lines for phones in an SMS", async () => {
    const { engine, gateway } = await host({
      verifications: {
        texts: {
          domain: "example.com",
          templates: [
            { locale: "en-us", text: ({ code }) => `${code} is your code` },
            {
              locale: "en-us",
              senderName: "ACME",
              domain: "acme.example",
              androidHash: "abcdefghijk",
              text: ({ senderName, code }) => `${code} is your ${senderName} code`,
            },
            {
              locale: "en-us",
              organization: "bank",
              text: ({ code, organization }) => `${code} is for ${organization}`,
            },
          ],
        },
      },
    })
    await engine.senders.create({ kind: "masking", value: "ACME" })
    await engine.organizations.create({ id: "bank" })
    const bank = engine.organization("bank")
    await bank.senders.create({ kind: "non-masking", value: "8809612000101", isDefault: true })
    const textOf = async (
      input: Partial<Countersign.SendVerification>,
      { verifications }: Countersign.OrganizationServices = engine,
    ) => {
      const phoneNumber = phone()
      await verifications.send({ phoneNumber, ...input })
      const code = gateway.latestCode(phoneNumber)
      return gateway.messages(phoneNumber)[0]?.text.replaceAll(code, "CODE")
    }
    assert.strictEqual(await textOf({}), "CODE is your code\n@example.com #CODE")
    assert.strictEqual(await textOf({ channel: "whatsapp" }), "CODE is your code")
    assert.strictEqual(
      await textOf({ sender: "ACME" }),
      "CODE is your ACME code\nabcdefghijk\n@acme.example #CODE",
    )
    assert.strictEqual(await textOf({}, bank), "CODE is for bank\n@example.com #CODE")
    const unknown = await failure(textOf({ locale: "bn-bd" }))
    assert.instanceOf(unknown, Countersign.InvalidRequestError)
    await engine.dispose()
  })

  it("of the package and of a function get the lines as well", async () => {
    for (const [texts, expected] of [
      [{ domain: "example.com" }, /^\d{6} is your verification code\..*\n@example\.com #\d{6}$/],
      [
        { locales: ["xx"], render: ({ code }) => `code ${code}`, androidHash: "abcdefghijk" },
        /^code \d{6}\nabcdefghijk$/,
      ],
    ] satisfies ReadonlyArray<readonly [Countersign.Texts, RegExp]>) {
      const { engine, gateway } = await host({ verifications: { texts } })
      await engine.verifications.send({ phoneNumber: phone() })
      assert.match(gateway.messages()[0]?.text ?? "", expected)
      await engine.dispose()
    }
  })

  it("are checked for what makes them expensive, or prevents autofill", () => {
    assert.deepStrictEqual(
      Countersign.lintTexts({ domain: "example.com" }).map(({ rule }) => rule),
      ["segments"],
    )
    const warnings = Countersign.lintTexts({
      templates: [
        { locale: "en-us", text: ({ code }) => `${code} is your code` },
        {
          locale: "en-us",
          organization: "bank",
          text: ({ code }) => `${code} is your code for account 4711`,
        },
      ],
    })
    assert.deepStrictEqual(
      warnings.map(({ organization, rule }) => [organization, rule]),
      [["bank", "other-number"]],
    )
    assert.throws(() => Countersign.lintTexts({ templates: [] }), Countersign.ConfigurationError)
  })

  it("accept an Android app by its hash", () => {
    const app = { packageName: "com.example.app", certificateHex: "30".repeat(200) }
    assert.match(Countersign.androidHash(app), /^[A-Za-z0-9+/]{11}$/)
    const fingerprint = { ...app, certificateHex: "30".repeat(32) }
    assert.throws(() => Countersign.androidHash(fingerprint), Countersign.ConfigurationError)
  })
})
