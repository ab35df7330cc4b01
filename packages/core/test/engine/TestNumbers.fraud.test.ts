/** Codes of test numbers do not count for their prefix: they are never sent, so no fraud pays for them. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Fraud from "../../src/services/Fraud.ts"
import * as FraudRules from "../../src/engine/FraudRules.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import type * as TestNumber from "../../src/domain/verifications/TestNumber.ts"
import * as TestNumbers from "../../src/engine/TestNumbers.ts"
import { check, phoneNumber, send, wrong } from "../support/verifying.ts"

const code = "730164"
/** Of the same prefix. */
const customer = PhoneNumber.fromE164("+8801712345999")

const engine = (outcome: TestNumber.Outcome, rules: FraudRules.Options) =>
  TestEngine.layer().pipe(
    Layer.provide(
      TestNumbers.layer({
        numbers: [{ phoneNumber: phoneNumber, code: Redacted.make(code), outcome }],
        production: false,
      }),
    ),
    Layer.provide(FraudRules.layerRules(rules)),
  )

const sendTo = (opened: TestEngine.Opened, number: string) =>
  Effect.match(send(opened.organization, { phoneNumber: number }), {
    onFailure: ({ _tag }) => _tag,
    onSuccess: () => "sent",
  })

const findings = ({ organization }: TestEngine.Opened) =>
  Effect.map(
    Fraud.Fraud.use((_) => _.findings({ organization })),
    (found) => found.map(({ reason, sent, verified }) => `${reason} ${sent}, ${verified}`),
  )

describe("codes of a test number", () => {
  it.effect("do not use up the prefix's maximum, and are not denied by it", () =>
    Effect.gen(function* () {
      const opened = yield* TestEngine.open()
      const results = yield* Effect.forEach(
        [phoneNumber, phoneNumber, phoneNumber, customer, customer, phoneNumber],
        (number) => sendTo(opened, number),
      )
      assert.deepStrictEqual(results, ["sent", "sent", "sent", "sent", "RateLimited", "sent"])
      assert.deepStrictEqual(yield* findings(opened), ["velocity 1, 0"])
    }).pipe(Effect.provide(engine("delivered", { maxSent: 1, action: "deny" }))),
  )

  it.effect("do not count as verified for codes that stay unverified", () =>
    Effect.gen(function* () {
      const opened = yield* TestEngine.open()
      yield* sendTo(opened, customer)
      yield* sendTo(opened, customer)
      for (let index = 0; index < 2; index++) {
        const { requestId } = yield* send(opened.organization)
        yield* Effect.ignore(check(opened.organization, requestId, wrong(code)))
        yield* check(opened.organization, requestId, code)
      }
      assert.strictEqual(yield* sendTo(opened, customer), "RateLimited")
      assert.deepStrictEqual(yield* findings(opened), ["conversion 2, 0"])
    }).pipe(
      Effect.provide(engine("delivered", { minSent: 2, minConversion: 0.5, action: "deny" })),
    ),
  )

  it.effect("do not remove codes of other numbers from the count", () =>
    Effect.gen(function* () {
      const opened = yield* TestEngine.open()
      yield* sendTo(opened, customer)
      assert.strictEqual(yield* sendTo(opened, phoneNumber), "SendingFailed")
      assert.strictEqual(yield* sendTo(opened, customer), "RateLimited")
    }).pipe(Effect.provide(engine("failed", { maxSent: 1, action: "deny" }))),
  )
})
