import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Channel } from "../../src/domain/values/Channel.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as Pricing from "../../src/decide/Pricing.ts"
import { phoneNumber, send } from "../support/verifying.ts"

const euros = Pricing.perSegment({
  sms: Money.make("0.07"),
  whatsapp: Money.make("0.02"),
  currency: "EUR",
})

const item = (text: string, channel: Channel = "sms"): Pricing.Item => ({
  organization: Samples.organizationId,
  channel,
  text,
})

/** What the log says of the newest message. */
const newest = Effect.fnUntraced(function* (organization: Pricing.Item["organization"]) {
  const { messages } = yield* Messages.use((_) => _.list({ organization, limit: 1 }))
  return messages.map(({ charge, text }) => `${Money.format(charge)} for ${text}`)[0]
})

describe("Pricing.standard", () => {
  it.each([
    ["sms", "0.50"],
    ["whatsapp", "0.00"],
  ] as const)("charges %s %s BDT, for any length", (channel, price) => {
    for (const text of ["x", "x".repeat(1_600), "ক".repeat(1_600)]) {
      assert.strictEqual(Money.format(Pricing.standard.price(item(text, channel))), price)
    }
    assert.strictEqual(Pricing.standard.currency, "BDT")
  })
})

describe("Pricing.perSegment", () => {
  it.each([
    ["one segment", "x".repeat(160), "sms", "0.07"],
    ["two segments", "x".repeat(161), "sms", "0.14"],
    ["one segment of Bangla", "ক".repeat(70), "sms", "0.07"],
    ["two segments of Bangla", "ক".repeat(71), "sms", "0.14"],
    ["all that a message may have", "x".repeat(1_600), "sms", "0.77"],
    ["all that a message may have in Bangla", "ক".repeat(1_600), "sms", "1.68"],
    ["a message on WhatsApp", "ক".repeat(1_600), "whatsapp", "0.02"],
  ] as const)("charges %s", (_what, text, channel, price) => {
    assert.strictEqual(Money.format(euros.price(item(text, channel))), price)
  })

  it.each(["sms", "whatsapp"] as const)("rejects a negative price for %s", (channel) => {
    const prices = { sms: Money.zero, whatsapp: Money.zero, [channel]: Money.make("-0.0001") }
    assert.throws(() => Pricing.perSegment({ ...prices, currency: "BDT" }), RangeError)
  })

  it.effect("charges for a text in Bangla by UCS-2 segments", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization, { locale: "bn-bd" })
      assert.match((yield* newest(organization)) ?? "", /^0\.07 for •••••• আপনার/)
      const text = "আপনার পার্সেল এসেছে। ".repeat(4)
      yield* Messages.use((_) => _.send({ organization, phoneNumber: "8801712345678", text }))
      assert.match((yield* newest(organization)) ?? "", /^0\.14 for আপনার/)
    }).pipe(Effect.provide(TestEngine.layer()), Effect.provideService(Pricing.Pricing, euros)),
  )

  it.effect("passes no digit of the code to a price function", () => {
    const seen: Array<string> = []
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization, { codeLength: 8 })
      assert.deepStrictEqual(seen, [
        "00000000 is your verification code. Do not share it with anyone.",
      ])
      assert.notStrictEqual(yield* TestEngine.latestCode(phoneNumber), "00000000")
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Pricing.Pricing, {
        currency: "EUR",
        price: ({ text }) => {
          seen.push(text)
          return Money.zero
        },
      }),
    )
  })
})

describe("Pricing.preview", () => {
  it("returns price and segments of a text", () => {
    assert.deepStrictEqual(Pricing.preview(euros, item("€".repeat(81))), {
      segments: { encoding: "gsm7", units: 162, segments: 2, remaining: 143 },
      price: Money.make("0.14"),
      currency: "EUR",
    })
  })

  it("returns the price of a WhatsApp message, without segments", () => {
    assert.deepStrictEqual(Pricing.preview(euros, item("ক", "whatsapp")), {
      segments: undefined,
      price: Money.make("0.02"),
      currency: "EUR",
    })
  })
})
