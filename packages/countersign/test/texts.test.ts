import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

describe("texts", () => {
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
