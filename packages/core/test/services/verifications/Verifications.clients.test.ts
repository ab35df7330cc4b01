import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Limits, defaults } from "../../../src/domain/limits/Limits.ts"
import { Store } from "../../../src/ports/Store.ts"
import { Verifications } from "../../../src/services/verifications/Verifications.ts"
import { invalidFields } from "../../support/invalidFields.ts"
import { phoneNumber, resend, send, wrong } from "../../support/verifying.ts"
import { testOn, engineTest } from "../../support/engineTest.ts"

const code = Effect.suspend(() => TestEngine.latestCode(phoneNumber))

const checkBy = (organization: OrganizationId, client: string, requestId: string, typed: string) =>
  Verifications.use((_) => _.check({ organization, requestId, code: Redacted.make(typed), client }))

/** Verifies the number, after which it knows the client. */
const verify = Effect.fnUntraced(function* (organization: OrganizationId, client: string) {
  const { requestId } = yield* send(organization, { client })
  yield* checkBy(organization, client, requestId, yield* code)
})

/** The engine with these limits of the host. */
const engine = (limits: Partial<typeof defaults>) =>
  Layer.provide(
    TestEngine.layer(),
    Layer.succeed(Limits, { ...defaults, checksPerOrganization: undefined, ...limits }),
  )

describe("a client that has verified a number", () => {
  testOn(engine({ guessesPerNumber: { max: 3, windowMillis: 86_400_000 } }))(
    "sends, sends again and checks although strangers have spent the number's budget",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* verify(organization, "phone")
      const { requestId } = yield* send(organization, { client: "robot" })
      const typed = wrong(yield* code)
      for (const _ of [1, 2, 3]) {
        yield* Effect.flip(checkBy(organization, "robot", requestId, typed))
      }
      const spent = { _tag: "RateLimited", reason: "guesses" } as const
      assert.deepInclude(yield* Effect.flip(send(organization, { client: "robot" })), spent)
      const mine = yield* send(organization, { client: "phone" })
      for (const channel of ["sms", "whatsapp"] as const) {
        yield* TestClock.adjust(30_000)
        const again = (client: string) => resend(organization, mine.requestId, { channel, client })
        assert.deepInclude(yield* Effect.flip(again("robot")), spent)
        yield* again("phone")
      }
      yield* checkBy(organization, "phone", mine.requestId, yield* code)
    },
  )

  testOn(engine({ sendsPerNumber: { max: 100, windowMillis: 60_000 } }))(
    "gets the place of the oldest request of strangers, over both channels",
    function* () {
      const { organization } = yield* TestEngine.open()
      const store = yield* Store
      yield* verify(organization, "phone")
      const requests: Array<string> = []
      for (const _ of [1, 2, 3, 4, 5]) {
        yield* TestClock.adjust(1)
        requests.push((yield* send(organization, { client: "robot" })).requestId)
      }
      assert.strictEqual(
        (yield* Effect.flip(send(organization, { client: "robot" })))._tag,
        "TooManyPending",
      )
      const mine = yield* send(organization, { client: "phone" })
      const other = yield* send(organization, { client: "phone", channel: "whatsapp" })
      const states = yield* Effect.forEach([...requests, mine.requestId, other.requestId], (id) =>
        Effect.map(
          Verifications.use((_) => _.status({ organization, requestId: id })),
          ({ status }) => status,
        ),
      )
      assert.strictEqual(states.join(), `failed,failed${",pending".repeat(5)}`)
      const found = yield* store.recipient(organization, phoneNumber)
      // One request for each of the six that were sent, for the refused one, and for these two.
      assert.strictEqual(found?.recipient.sends.length, 9)
    },
  )
})

describe("the limits of a client", () => {
  testOn(engine({ sendsPerClient: [{ max: 1, windowMillis: 60_000 }] }))(
    "hold over all numbers, for the client only",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization, { client: "a" })
      const other = (client: string) =>
        send(organization, { phoneNumber: "+8801712345679", client })
      const refused = yield* Effect.flip(other("a"))
      assert.deepInclude(refused, { _tag: "RateLimited", reason: "client" } as const)
      yield* other("b")
    },
  )

  engineTest.each(["", "x".repeat(129)])(
    "refuse the client %j, which has no valid length",
    function* (client) {
      const { organization } = yield* TestEngine.open()
      const errors = [
        yield* Effect.flip(send(organization, { client })),
        yield* Effect.flip(resend(organization, "vrf_none", { client })),
        yield* Effect.flip(checkBy(organization, client, "vrf_none", "123456")),
      ]
      for (const error of errors) {
        assert.deepNestedInclude(error, { _tag: "InvalidRequest", "details.client.length": 1 })
      }
    },
  )
})

engineTest("wrong codes are not reset for a text that is no phone number", function* () {
  const { organization } = yield* TestEngine.open()
  const reset = Verifications.use((_) => _.resetGuesses({ organization, phoneNumber: "8801" }))
  assert.deepStrictEqual(yield* invalidFields(reset), ["phoneNumber"])
})
