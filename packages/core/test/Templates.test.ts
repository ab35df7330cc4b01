import { assert, describe, it } from "@effect/vitest"
import * as Templates from "../src/Templates.ts"

const { standard } = Templates

const render = (locale: string, code: string, brandName?: string) =>
  standard.render({ locale, channel: "sms", code, expirySeconds: 300, brandName })

/** The letters of one GSM 03.38 segment that the texts use, and what they must not use. */
const gsm = /^[\n !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z]*$/

describe("Templates", () => {
  it("speaks English and Bangla", () => {
    assert.deepStrictEqual(standard.locales, ["en-us", "bn-bd"])
    assert.include(standard.locales, standard.defaultLocale)
  })

  it.each([
    ["en-us", undefined, "012345 is your verification code. Do not share it with anyone."],
    ["en-us", "ACME", "012345 is your ACME verification code. Do not share it with anyone."],
    ["bn-bd", undefined, "012345 আপনার যাচাই কোড। কোডটি কাউকে জানাবেন না।"],
    ["bn-bd", "ACME", "012345 আপনার ACME যাচাই কোড। কাউকে জানাবেন না।"],
  ])("%s by %s: %s", (locale, brandName, text) => {
    assert.strictEqual(render(locale, "012345", brandName), text)
  })

  it.each(["0123", "012345", "0123456789"])(
    "puts %s first, in ASCII, as the only number",
    (code) => {
      for (const locale of standard.locales) {
        for (const brandName of [undefined, "ACME"]) {
          const text = render(locale, code, brandName)
          assert.isTrue(text.startsWith(`${code} `))
          assert.deepStrictEqual(text.match(/\p{Nd}+/gu), [code])
        }
      }
    },
  )

  it("costs one segment: 160 GSM letters in English, 70 UTF-16 units in Bangla", () => {
    for (const brandName of [undefined, "ACME", "ELEVEN-CHAR"]) {
      const english = render("en-us", "0123456789", brandName)
      assert.match(english, gsm)
      assert.isAtMost(english.length, 160)
      assert.isAtMost(render("bn-bd", "0123456789", brandName).length, 70)
    }
  })

  it("masks a code without telling how long it was", () => {
    assert.strictEqual(render("en-us", Templates.maskedCode).match(/\p{Nd}/u), null)
    assert.strictEqual(Templates.maskedCode, "••••••")
  })
})
