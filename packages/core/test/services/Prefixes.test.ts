/** The prefixes that an organization blocks, and those to which the fraud rules do not apply. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { Behaviour } from "../../src/adapters/SimulatedGateway.ts"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Settings } from "../../src/domain/organizations/Organization.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import * as Fraud from "../../src/services/Fraud.ts"
import * as FraudRules from "../../src/engine/FraudRules.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { twoNodes } from "../support/nodes.ts"
import { phoneNumber, resend, send } from "../support/verifying.ts"

const configure = (organization: OrganizationId, settings: Partial<Settings>) =>
  Organizations.use((_) => _.update({ id: organization, ...settings }))

const blocked = {
  _tag: "InvalidRequest" as const,
  details: { phoneNumber: [FieldProblem.make("prefix_blocked", {})] },
}

const engine = TestEngine.layer()

const denying = TestEngine.layer().pipe(
  Layer.provide(FraudRules.layerRules({ prefixDigits: 3, maxSent: 1, action: "deny" })),
)

const accept: Behaviour = { _tag: "NeverReport" }

describe("a number with a blocked prefix", () => {
  it.effect("gets no code and no message, is not charged, and counts in no limit", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const limits = {
        sendsPerNumber: { max: 1, windowMillis: 60_000 },
        messagesPerOrganization: { max: 1, windowMillis: 60_000 },
      }
      yield* configure(organization, { limits, blockedPrefixes: ["88017"] })
      const text = { organization, phoneNumber, text: "hello" }
      const message = Messages.use((_) => _.send(text))
      const calls = [
        send(organization),
        message,
        Messages.use((_) => _.preview(text)),
        send(organization, { channel: "whatsapp" }),
      ]
      for (const call of calls) {
        assert.deepInclude(
          yield* Effect.flip<unknown, object, Layer.Success<typeof engine>>(call),
          blocked,
        )
      }
      assert.deepStrictEqual(yield* logOf(organization), [])
      assert.strictEqual(yield* moneyOf(organization), "100.00 + 0.00 held, 1 entries")
      yield* configure(organization, { allowedPrefixes: ["880171"] })
      yield* send(organization)
      yield* message
    }).pipe(Effect.provide(engine)),
  )

  it.effect("is refused after its first code: by a resend, and by the SMS that would follow", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { channel: "whatsapp" })
      yield* configure(organization, { blockedPrefixes: [phoneNumber.slice(1)] })
      yield* TestClock.adjust(60_000)
      assert.deepInclude(yield* Effect.flip(resend(organization, requestId)), blocked)
      yield* Settlement.use((_) => _.round)
      assert.deepStrictEqual(yield* logOf(organization), ["accepted, none, 1"])
    }).pipe(
      Effect.provide(
        TestEngine.layer({ gateway: { behave: () => accept } }).pipe(
          Layer.provide(Fallback.layer()),
        ),
      ),
    ),
  )

  it.effect("is refused on every node from the next request on", () =>
    Effect.gen(function* () {
      const { here, there } = yield* twoNodes()
      const { organization } = yield* here(TestEngine.open())
      yield* there(send(organization))
      yield* here(configure(organization, { blockedPrefixes: ["8"] }))
      assert.deepInclude(yield* Effect.flip(there(send(organization))), blocked)
      yield* here(configure(organization, { blockedPrefixes: [] }))
      yield* there(send(organization))
    }),
  )
})

describe("a number with an allowed prefix", () => {
  it.effect("is neither counted nor denied by the fraud rules", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* configure(organization, { allowedPrefixes: ["8801712345"] })
      const other = "+8801812345678"
      const { requestId } = yield* send(organization)
      yield* send(organization)
      yield* send(organization, { phoneNumber: other })
      // The codes before do not count, so the first code of the prefix passes.
      const denied = yield* Effect.flip(send(organization, { phoneNumber: other }))
      assert.deepInclude(denied, { _tag: "RateLimited", reason: "suspicion" })
      yield* send(organization)
      const found = yield* Store.use((store) => store.verification(organization, requestId))
      assert.isNull(found?.verification.prefix)
      const findings = yield* Fraud.Fraud.use((_) => _.findings({ organization }))
      assert.deepInclude(findings[0], { prefix: "880", sent: 1 })
      assert.lengthOf(findings, 1)
    }).pipe(Effect.provide(denying)),
  )

  it.effect("that was counted before is sent its code again although its prefix is denied", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      yield* TestClock.adjust(31_000)
      assert.deepInclude(yield* Effect.flip(resend(organization, requestId)), {
        _tag: "RateLimited",
      })
      yield* configure(organization, { allowedPrefixes: ["8801712345"] })
      yield* resend(organization, requestId)
    }).pipe(Effect.provide(denying)),
  )
})
