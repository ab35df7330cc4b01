import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Money from "../src/Money.ts"
import * as Pricing from "../src/Pricing.ts"

describe("Pricing", () => {
  it.each([
    ["sms", "0.50"],
    ["whatsapp", "0.00"],
  ] as const)("asks for %s %s BDT", (channel, price) => {
    const item = { organization: Samples.organizationId, channel, text: "x".repeat(1_600) }
    assert.strictEqual(Money.format(Pricing.standard.price(item)), price)
    assert.strictEqual(Pricing.standard.currency, "BDT")
  })
})
