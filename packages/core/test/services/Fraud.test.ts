import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { Events } from "../../src/engine/Events.ts"
import * as Fraud from "../../src/services/Fraud.ts"
import * as FraudRules from "../../src/engine/FraudRules.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { testOn } from "../support/engineTest.ts"

const number = (index: number) => `+8801712345${String(index).padStart(3, "0")}`

const start = Date.parse("2026-03-01T10:00:00Z")

const watching = (options: FraudRules.Options) =>
  TestEngine.layer({
    gateway: {
      behave: ({ phoneNumber }) =>
        phoneNumber.endsWith("9") ? { _tag: "NotSend", message: "no route" } : { _tag: "Deliver" },
    },
  }).pipe(Layer.provide(FraudRules.layerRules(options)))

const sendTo = Effect.fnUntraced(function* (
  { organization }: TestEngine.Opened,
  ...indexes: ReadonlyArray<number>
) {
  const verifications = yield* Verifications
  return yield* Effect.forEach(indexes, (index) =>
    Effect.match(verifications.send({ organization, phoneNumber: number(index) }), {
      onFailure: (error) =>
        error._tag === "RateLimited"
          ? `${error.reason} for ${error.retryAfterSeconds}`
          : error._tag,
      onSuccess: () => "sent",
    }),
  )
})

const verify = Effect.fnUntraced(function* ({ organization }: TestEngine.Opened, index: number) {
  const verifications = yield* Verifications
  const { requestId } = yield* verifications.send({ organization, phoneNumber: number(index) })
  const code = Redacted.make(yield* TestEngine.latestCode(number(index)))
  yield* verifications.check({ organization, requestId, code })
})

describe("Fraud", () => {
  testOn(watching({ maxSent: 2, action: "deny" }))(
    "denies codes for a prefix at its maximum, until the window has moved",
    function* () {
      yield* TestClock.setTime(start)
      const opened = yield* TestEngine.open()
      const results = yield* sendTo(opened, 1, 2, 3)
      assert.deepStrictEqual(results, ["sent", "sent", "suspicion for 3601"])
      // Messages are no codes.
      const { organization } = opened
      yield* Messages.use((_) => _.send({ organization, phoneNumber: number(4), text: "hello" }))
      yield* TestClock.setTime(start + 3_601_000)
      assert.deepStrictEqual(yield* sendTo(opened, 3), ["sent"])
      const findings = yield* Fraud.Fraud.use((_) => _.findings({ organization }))
      assert.deepStrictEqual(findings, [
        {
          organization,
          prefix: "88017",
          reason: "velocity",
          action: "deny",
          at: start,
          sent: 2,
          verified: 0,
        },
      ])
    },
  )

  testOn(watching({ minSent: 3, minConversion: 0.5 }))(
    "reports unverified codes, and still sends them in record mode",
    function* () {
      yield* TestClock.setTime(start)
      const opened = yield* TestEngine.open()
      const events = yield* Events
      const heard = yield* events.stream.pipe(
        Stream.filter(({ _tag }) => _tag === "FraudSuspected"),
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true }),
      )
      yield* verify(opened, 1)
      assert.deepStrictEqual(yield* sendTo(opened, 2, 3, 4, 5), ["sent", "sent", "sent", "sent"])
      const [event] = yield* Fiber.join(heard)
      assert.deepInclude(event, { reason: "conversion", sent: 3, verified: 1 })
    },
  )

  it("rejects invalid rules", () => {
    assert.throws(() => FraudRules.rules({ window: Duration.days(32) }), RangeError, "window")
    assert.throws(() => FraudRules.layerRules({ prefixDigits: 12 }), RangeError, "prefixDigits")
  })
})
