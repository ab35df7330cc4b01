import { assert, describe, it } from "vitest"
import { ConfigurationError, parsePhoneNumber } from "../src/index.ts"
import { parsePhoneNumber as ofPages } from "../src/phone.ts"
import { untyped } from "./support/values.ts"

describe("parsePhoneNumber", () => {
  it.each([
    ["01712-345678", "BD", "+8801712345678"],
    ["০১৭১২ ৩৪৫৬৭৮", "BD", "+8801712345678"],
    ["+880 (0)1712 345678", undefined, "+8801712345678"],
    ["00880 1712/345.678", undefined, "+8801712345678"],
    ["\u202a+8801712345678\u202c", "US", "+8801712345678"],
    ["(202) 555-0123", "US", "+12025550123"],
    ["01712-345678", undefined, undefined],
    ["01712-345678", "US", undefined],
    ["01712-345678 ext. 5", "BD", undefined],
    ["01212-345678", "BD", undefined],
    ["12", "BD", undefined],
    ["", "BD", undefined],
  ])("reads %j in %s as %s", (text, country, expected) => {
    assert.strictEqual(parsePhoneNumber(text, { country }), expected)
  })

  it.each([undefined, null, 8801712345678, ["+8801712345678"], {}])(
    "returns undefined for %j, which is not a string",
    (value) => assert.isUndefined(parsePhoneNumber(value, { country: "BD" })),
  )

  it.each(["XX", "bd", "Bangladesh", 880, null])("rejects %j as a country", (country) => {
    for (const text of ["+8801712345678", undefined]) {
      assert.throws(
        () => parsePhoneNumber(text, { country: untyped(country) }),
        ConfigurationError,
        `country: ${country} is no country with a numbering plan`,
      )
    }
  })

  it("refuses an option that it does not have, and accepts one that is undefined", () => {
    assert.throws(
      () => parsePhoneNumber("01712-345678", untyped({ contry: "BD" })),
      ConfigurationError,
      "contry is not an option; did you mean country?",
    )
    assert.isUndefined(parsePhoneNumber("01712-345678", untyped({ contry: undefined })))
  })

  it("is the same for pages", () => assert.strictEqual(ofPages, parsePhoneNumber))
})
