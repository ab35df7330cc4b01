import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Limits, Money, PhoneNumber } from "../../src/index.ts"
import * as Engine from "../../src/Engine.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import * as FraudRules from "../../src/engine/FraudRules.ts"
import { Installation } from "../../src/services/Installation.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as RetentionPolicy from "../../src/engine/RetentionPolicy.ts"
import * as TestNumbers from "../../src/engine/TestNumbers.ts"
import * as Router from "../../src/routing/Router.ts"
import { engineOver } from "../support/engineOver.ts"
import { scripted } from "../support/routing.ts"
import { engineTest, testOn } from "../support/engineTest.ts"

const details = Effect.map(Installation, (host) => host.details)

describe("the details of the installation", () => {
  engineTest("are the defaults of all options", function* () {
    assert.deepStrictEqual(yield* details, {
      currency: "BDT",
      channels: ["sms", "whatsapp"],
      limits: {
        sendsPerNumber: { max: 10, windowMillis: 60_000 },
        pendingPerNumber: 5,
        checksPerOrganization: { max: 20, windowMillis: 60_000 },
        sendsPerClient: null,
        checksPerClient: null,
        checksPerRequest: null,
        guessesPerNumber: { max: 30, windowMillis: 86_400_000 },
        guessesSinceSuccess: 100,
        messagesPerOrganization: null,
        spendPerDay: null,
        attempts: 3,
        resends: 3,
        resendCooldownMillis: 30_000,
        codeLength: { min: 4, max: 10, default: 6 },
        expirySeconds: { min: 60, max: 3_600, default: 300 },
        messageLength: 1_600,
        pageSize: { max: 200, default: 50 },
      },
      locales: ["en-us", "bn-bd"],
      retention: {
        messages: null,
        verifications: null,
        recipients: null,
        findings: null,
        totals: null,
        events: null,
        audit: null,
        refusals: "90 days",
      },
      testNumbers: [],
      fraud: null,
      fallback: null,
    })
  })

  testOn(
    TestEngine.layer().pipe(
      Layer.provide([
        Fallback.layer({ whatsappFirst: true }),
        FraudRules.layerRules({
          prefixDigits: 3,
          window: Duration.minutes(1),
          maxSent: 9,
          action: "deny",
        }),
        TestNumbers.layer({
          production: false,
          numbers: [
            {
              phoneNumber: PhoneNumber.fromE164("+8801712345678"),
              code: Redacted.make("987654"),
              outcome: "failed",
            },
          ],
        }),
        Layer.succeed(Limits.Limits, {
          ...Limits.defaults,
          profile: "nist",
          attempts: 5,
          guessesSinceSuccess: undefined,
          spendPerDay: Money.fromUnits(500),
        }),
        Layer.succeed(RetentionPolicy.RetentionPolicy, {
          ...RetentionPolicy.defaults,
          messages: Duration.days(90),
          verifications: Duration.days(1),
          audit: Duration.hours(12),
        }),
      ]),
    ),
  )("are those in force, without the codes of test numbers", function* () {
    const found = yield* details
    assert.deepInclude(found, {
      testNumbers: [{ phoneNumber: "+8801712345678", outcome: "failed" }],
      fallback: { reportWithin: "30 seconds", whatsappFirst: true },
      fraud: {
        prefixDigits: 3,
        window: "1 minute",
        maxSent: 9,
        minSent: 100,
        minConversion: 0,
        action: "deny",
      },
    })
    const { attempts, codeLength, guessesSinceSuccess, spendPerDay } = found.limits
    // The profile applies to them as it does to those of an organization.
    assert.deepStrictEqual(
      [attempts, codeLength?.min, guessesSinceSuccess, spendPerDay],
      [5, 6, 100, 500],
    )
    const { audit, events, findings, messages, totals } = found.retention
    assert.deepStrictEqual(
      [messages, events, findings, totals, audit],
      ["90 days", "90 days", "1 day", null, "12 hours"],
    )
    assert.notInclude(JSON.stringify(found), "987654")
  })
})

const gateways = Effect.flatMap(Installation, (host) => host.gateways)

describe("the gateways of the host", () => {
  engineTest("are one without a router, which carries all channels", function* () {
    const [one, ...others] = yield* gateways
    assert.deepStrictEqual(others, [])
    assert.deepInclude(one, {
      gateway: "simulated",
      state: "available",
      channels: ["sms", "whatsapp"],
      reports: "signed",
      recipientCheck: true,
    })
  })

  const routed = Layer.unwrap(
    Effect.gen(function* () {
      const log: Array<string> = []
      const a = yield* scripted("a", ["unsent"], log, { lookup: true, pairMillis: 6_000 })
      const b = yield* scripted("b", ["taken"], log)
      return Router.layer({
        members: [
          { gateway: a, perSecond: 5 },
          { gateway: b, recipientPause: "100 milliseconds" },
        ],
        routes: [
          { gateway: "a", channels: ["sms"] },
          { gateway: "b", priority: 1 },
        ],
        pauseAfter: 1,
      })
    }),
  ).pipe(Layer.provide(TestCrypto.layer()))

  testOn(engineOver(routed, Engine.layer))(
    "show their channels, their rates, and the reason for which one is left alone",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* Messages.use((_) =>
        _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
      )
      const [a, b] = yield* gateways
      assert.deepInclude(a, {
        gateway: "a",
        state: "failing",
        reason: "no connection",
        channels: ["sms"],
        lookup: true,
        perSecond: 5,
        recipientPause: "6 seconds",
      })
      assert.deepInclude(b, {
        gateway: "b",
        state: "available",
        channels: ["sms", "whatsapp"],
        perSecond: null,
        recipientPause: "100 milliseconds",
      })
    },
  )
})
