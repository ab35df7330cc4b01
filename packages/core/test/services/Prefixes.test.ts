/** The prefixes that an organization blocks, and those to which the fraud rules do not apply. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { Behaviour } from "../../src/adapters/SimulatedGateway.ts"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Settings } from "../../src/domain/organizations/Organization.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { phoneNumber, resend, send } from "../support/verifying.ts"
import { testOn } from "../support/engineTest.ts"

const configure = (organization: OrganizationId, settings: Partial<Settings>) =>
  Organizations.use((_) => _.update({ id: organization, ...settings }))

const blocked = {
  _tag: "InvalidRequest" as const,
  details: { phoneNumber: [FieldProblem.make("prefix_blocked", {})] },
}

const engine = TestEngine.layer()

const accept: Behaviour = { _tag: "NeverReport" }

describe("a number with a blocked prefix", () => {
  testOn(engine)(
    "gets no code and no message, is not charged, and counts in no limit",
    function* () {
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
    },
  )

  testOn(
    TestEngine.layer({ gateway: { behave: () => accept } }).pipe(Layer.provide(Fallback.layer())),
  )("is refused after its first code: by a resend, and by the SMS that would follow", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization, { channel: "whatsapp" })
    yield* configure(organization, { blockedPrefixes: [phoneNumber.slice(1)] })
    yield* TestClock.adjust(60_000)
    assert.deepInclude(yield* Effect.flip(resend(organization, requestId)), blocked)
    yield* Settlement.use((_) => _.round)
    assert.deepStrictEqual(yield* logOf(organization), ["accepted, none, 1"])
  })
})
