import * as FraudRules from "@countersign/core/engine/FraudRules"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert, describe, it } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { open } from "./support/Subject.ts"

const engine = TestEngine.layer()

describe("a host that serves certain countries only", () => {
  const layer = engine.pipe(
    Layer.provide(Layer.succeed(PhoneNumber.NumberPolicy, PhoneNumber.onlyCountries(["BD", "CA"]))),
  )
  const details = ["numbers of this country are not served"]

  for (const channel of ["sms", "whatsapp"]) {
    it.effect(`answers 400 and 422 for the others, by ${channel}`, () =>
      Effect.gen(function* () {
        const { call } = yield* open()
        const verify = (phone_number: string) =>
          call("/verify", { body: { phone_number, channel } })
        const send = (to: string) => call("/messages", { body: { to, channel, message: "hello" } })
        for (const number of ["+447400123456", "+12025550123", "+18765550123"]) {
          const code = yield* verify(number)
          assert.strictEqual(code.status, 400)
          assert.deepStrictEqual(code.body, {
            error: "Validation failed",
            details: { phone_number: details },
          })
          const message = yield* send(number.slice(1))
          assert.strictEqual(message.status, 422)
          assert.deepStrictEqual(message.body, {
            error: "Validation failed",
            details: { to: details },
          })
        }
        for (const number of ["+8801712345678", "+14165550123"]) {
          assert.strictEqual((yield* verify(number)).status, 200)
          assert.strictEqual((yield* send(number)).status, 200)
        }
      }).pipe(Effect.provide(layer)),
    )
  }
})

describe("an organization that blocks a prefix", () => {
  it.effect("answers 400 to codes, also to those that are sent again, and 422 to messages", () =>
    Effect.gen(function* () {
      const { call, organization } = yield* open()
      const phone_number = "+8801712345678"
      const sent = yield* call("/verify", { body: { phone_number } })
      assert.strictEqual(sent.status, 200)
      yield* Organizations.use((_) => _.update({ id: organization, blockedPrefixes: ["880171"] }))
      const [request_id] = /vrf_\w+/.exec(JSON.stringify(sent.body)) ?? []
      const details = ["numbers with this prefix are blocked"]
      const refused = { error: "Validation failed", details: { phone_number: details } }
      for (const path of ["/verify", `/verify/${request_id}/resend`]) {
        const answer = yield* call(path, { body: path === "/verify" ? { phone_number } : {} })
        assert.deepStrictEqual([answer.status, answer.body], [400, refused])
      }
      const message = yield* call("/messages", { body: { to: phone_number, message: "hello" } })
      assert.deepStrictEqual(
        [message.status, message.body],
        [422, { ...refused, details: { to: details } }],
      )
    }).pipe(Effect.provide(engine)),
  )
})

describe("a host that denies suspicious codes", () => {
  const layer = engine.pipe(Layer.provide(FraudRules.layerRules({ maxSent: 1, action: "deny" })))

  it.effect("answers 429 with the time after which they are allowed again", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const verify = (phone_number: string) => call("/verify", { body: { phone_number } })
      assert.strictEqual((yield* verify("+8801712345671")).status, 200)
      const denied = yield* verify("+8801712345672")
      assert.strictEqual(denied.status, 429)
      assert.deepStrictEqual(denied.body, {
        error: "No codes are sent to numbers like this one for now",
        retry_after: 3_601,
      })
      assert.strictEqual(denied.headers["retry-after"], "3601")
      assert.strictEqual((yield* verify("+8801812345672")).status, 200)
    }).pipe(Effect.provide(layer)),
  )
})

describe("an organization with a daily spending cap", () => {
  it.effect("answers 429 until the next day when the cap is reached", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-31T23:59:50.500Z"))
      const { call } = yield* open({ settings: { limits: { spendPerDay: Money.make("0.99") } } })
      const send = call("/messages", { body: { to: "8801712345678", message: "hello" } })
      const verify = call("/verify", { body: { phone_number: "+8801712345678" } })
      assert.strictEqual((yield* send).status, 200)
      for (const capped of [yield* send, yield* verify]) {
        assert.strictEqual(capped.status, 429)
        assert.deepStrictEqual(capped.body, {
          error: "Daily spending cap reached",
          retry_after: 10,
        })
        assert.strictEqual(capped.headers["retry-after"], "10")
      }
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* send).status, 200)
    }).pipe(Effect.provide(engine)),
  )
})
