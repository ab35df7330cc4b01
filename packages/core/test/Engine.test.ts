import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as FieldProblem from "../src/domain/values/FieldProblem.ts"
import { Access } from "../src/engine/Access.ts"
import { Accounts } from "../src/services/Accounts.ts"
import { Limits } from "../src/domain/limits/Limits.ts"
import * as Limit from "../src/domain/limits/Limits.ts"
import { Messages } from "../src/services/Messages.ts"
import * as Money from "../src/domain/values/Money.ts"
import * as PhoneNumber from "../src/domain/values/PhoneNumber.ts"
import { Pricing } from "../src/decide/Pricing.ts"
import * as Result from "effect/Result"
import { Templates } from "../src/text/Templates.ts"
import { SimulatedGateway } from "../src/adapters/SimulatedGateway.ts"
import { Verifications } from "../src/services/verifications/Verifications.ts"

const to = "+8801712345678"

describe("Engine", () => {
  it.effect("verifies a number, from an API key to the right code", () =>
    Effect.gen(function* () {
      const { key } = yield* TestEngine.open()
      const caller = yield* Access.use((_) => _.authenticate(key))
      const { requestId } = yield* Verifications.use((_) => _.send({ ...caller, phoneNumber: to }))
      const code = Redacted.make(yield* TestEngine.latestCode(to))
      const verified = yield* Verifications.use((_) => _.check({ ...caller, requestId, code }))
      assert.strictEqual(verified.status, "verified")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("charges the host's prices in the host's currency", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.make("10") })
      yield* Messages.use((_) => _.send({ organization, phoneNumber: to, text: "x".repeat(161) }))
      const balance = yield* Accounts.use((_) => _.balance({ organization }))
      assert.deepStrictEqual(balance, {
        balance: Money.make("9.5"),
        held: Money.zero,
        currency: "EUR",
      })
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Pricing, {
        currency: "EUR",
        price: ({ text }) => Money.fromUnits(2_500 * Math.ceil(text.length / 160)),
      }),
    ),
  )

  it.effect("sends the host's texts, and logs them with the code masked", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Verifications.use((_) =>
        _.send({ organization, phoneNumber: to, locale: "de-de", expiresIn: "2 minutes" }),
      )
      const { messages } = yield* Messages.use((_) => _.list({ organization }))
      assert.strictEqual(messages[0]?.text, "Ihr Code ist ••••••, gültig 120 s")
      const [entry] = yield* SimulatedGateway.use((_) => _.journal())
      assert.match(entry?.text ?? "", /^Ihr Code ist \d{6}, gültig 120 s$/)
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Templates, {
        locales: ["de-de"],
        defaultLocale: "de-de",
        render: ({ code, expirySeconds }) => `Ihr Code ist ${code}, gültig ${expirySeconds} s`,
      }),
    ),
  )

  it.effect("applies the host's limits", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const send = Messages.use((_) => _.send({ organization, phoneNumber: to, text: "hello" }))
      yield* send
      assert.deepInclude(yield* Effect.flip(send), { _tag: "RateLimited", retryAfterSeconds: 30 })
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Limits, {
        ...Limit.defaults,
        messagesPerOrganization: { max: 1, windowMillis: 30_000 },
      }),
    ),
  )

  it.effect("accepts the numbers that the host allows", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const send = (number: string) =>
        Messages.use((_) => _.send({ organization, phoneNumber: number, text: "hello" }))
      assert.strictEqual((yield* send("+999000000001")).phoneNumber, "+999000000001")
      assert.strictEqual((yield* Effect.flip(send("+447911123456")))._tag, "InvalidRequest")
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(PhoneNumber.NumberPolicy, {
        parse: (input) =>
          input.startsWith("+999")
            ? Result.succeed(PhoneNumber.fromE164(input))
            : Result.fail(
                FieldProblem.make("number_not_accepted", { reason: "only test numbers" }),
              ),
      }),
    ),
  )
})
