import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ApiKeys } from "../../src/services/ApiKeys.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import * as Pricing from "../../src/decide/Pricing.ts"
import { twoNodes } from "../support/nodes.ts"

const euros = Pricing.perSegment({
  sms: Money.make("0.07"),
  whatsapp: Money.zero,
  currency: "EUR",
})

describe("Messages.preview", () => {
  it.effect("returns the price of a text, and sends nothing", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const text = "আপনার পার্সেল এসেছে। ".repeat(4)
      const preview = yield* Messages.use((_) => _.preview({ organization, text }))
      assert.deepStrictEqual(preview, {
        segments: { encoding: "ucs2", units: 84, segments: 2, remaining: 50 },
        price: Money.make("0.14"),
        currency: "EUR",
      })
      const list = Messages.use((_) => _.list({ organization }))
      assert.deepStrictEqual((yield* list).messages, [])
      yield* Messages.use((_) => _.send({ organization, phoneNumber: "8801712345678", text }))
      const { messages } = yield* list
      assert.deepStrictEqual(
        messages.map(({ charge }) => charge),
        [preview.price],
      )
    }).pipe(Effect.provide(TestEngine.layer()), Effect.provideService(Pricing.Pricing, euros)),
  )

  it.effect.each(["", "x".repeat(1_601), "\ud83d", "a\u0000b"])(
    "refuses %j with the same error as sending",
    (text) =>
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const refused = Messages.use((_) => _.preview({ organization, text }))
        const error = yield* Effect.flip(refused)
        assert.strictEqual(error._tag, "InvalidRequest")
        const to = "8801712345678"
        const sending = yield* Effect.flip(
          Messages.use((_) => _.send({ organization, phoneNumber: to, text })),
        )
        assert.strictEqual(JSON.stringify(error), JSON.stringify(sending))
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("refuses a number with the same error as sending", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const input = { organization, phoneNumber: "12", text: "hello" }
      const error = yield* Effect.flip(Messages.use((_) => _.preview(input)))
      const sending = yield* Effect.flip(Messages.use((_) => _.send(input)))
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.strictEqual(JSON.stringify(error), JSON.stringify(sending))
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("requires permission to send: an address that is not allowed gets an error", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Organizations.use((_) => _.update({ id: organization, allowList: ["192.0.2.0/24"] }))
      const preview = (address: string) =>
        Messages.use((_) => _.preview({ organization, text: "hello", address }))
      assert.strictEqual((yield* Effect.flip(preview("198.51.100.1")))._tag, "AddressNotAllowed")
      assert.strictEqual((yield* preview("192.0.2.1")).segments?.segments, 1)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("sees a change of another node at once", () =>
    Effect.gen(function* () {
      const { here, there } = yield* twoNodes()
      const { keyId, organization } = yield* there(TestEngine.open())
      const preview = here(
        Messages.use((_) => _.preview({ organization, key: keyId, text: "hello" })),
      )
      yield* preview
      yield* there(ApiKeys.use((_) => _.revoke({ organization, id: keyId })))
      assert.strictEqual((yield* Effect.flip(preview))._tag, "Unauthorized")
    }),
  )
})
