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
import { phoneNumber, resend, send, wrong, check } from "../../support/verifying.ts"
import { testOn, engineTest } from "../../support/engineTest.ts"
import { Organizations } from "../../../src/services/Organizations.ts"

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
      for (const client of ["robot", undefined]) {
        const refused = yield* Effect.flip(send(organization, { client }))
        assert.deepInclude(refused, { _tag: "RateLimited", reason: "guesses" } as const)
      }
      const mine = yield* send(organization, { client: "phone" })
      for (const channel of ["sms", "whatsapp"] as const) {
        yield* TestClock.adjust(30_000)
        for (const client of ["robot", undefined]) {
          const asked = { channel, client }
          const refused = yield* Effect.flip(resend(organization, mine.requestId, asked))
          assert.deepInclude(refused, { _tag: "RateLimited", reason: "guesses" } as const)
        }
        yield* resend(organization, mine.requestId, { channel, client: "phone" })
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
      assert.deepStrictEqual(states, [
        "failed",
        "failed",
        "pending",
        "pending",
        "pending",
        "pending",
        "pending",
      ])
      const found = yield* store.recipient(organization, phoneNumber)
      // One request for each of the six that were sent, for the refused one, and for these two.
      assert.strictEqual(found?.recipient.sends.length, 9)
    },
  )
})

describe("the limits of a client", () => {
  const limits = {
    sendsPerClient: [{ max: 2, windowMillis: 60_000 }],
    checksPerClient: { max: 1, windowMillis: 10_000 },
  }

  testOn(engine(limits))("hold over all numbers, for the client only", function* () {
    const { organization } = yield* TestEngine.open()
    const to = (last: number, client: string) =>
      send(organization, { phoneNumber: `+880171234567${last}`, client })
    const { requestId } = yield* to(1, "a")
    yield* to(2, "a")
    assert.deepInclude(yield* Effect.flip(to(3, "a")), {
      _tag: "RateLimited",
      reason: "client",
      retryAfterSeconds: 60,
    } as const)
    yield* to(3, "b")
    yield* Effect.flip(checkBy(organization, "a", requestId, "no"))
    assert.deepInclude(yield* Effect.flip(checkBy(organization, "a", requestId, "no")), {
      _tag: "RateLimited",
      reason: "client",
      retryAfterSeconds: 10,
    } as const)
    const other = yield* Effect.flip(checkBy(organization, "b", requestId, "no"))
    assert.strictEqual(other._tag, "WrongCode")
  })

  testOn(engine(limits)).each(["", "x".repeat(129)])(
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

/** Spends all attempts of a new request on wrong codes. */
const spendAttempts = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { requestId } = yield* send(organization)
  const typed = wrong(yield* code)
  for (const _ of [1, 2, 3]) yield* Effect.flip(check(organization, requestId, typed))
})

const reset = (organization: OrganizationId, phone: string = phoneNumber) =>
  Verifications.use((_) => _.resetGuesses({ organization, phoneNumber: phone }))

/** An organization without a limit on checks, such as the one of a host that has no other. */
const opened = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open()
  const limits = { checksPerOrganization: null }
  yield* Organizations.use((_) => _.update({ id: organization, limits }))
  return organization
})

const refused = { _tag: "RateLimited", reason: "guesses" } as const

describe("the wrong codes for a phone number", () => {
  engineTest("block the number after a series, until the host resets them", function* () {
    const organization = yield* opened
    const limits = { guessesPerNumber: null, guessesSinceSuccess: 3 }
    yield* Organizations.use((_) => _.update({ id: organization, limits }))
    yield* spendAttempts(organization)
    const blocked = { ...refused, retryAfterSeconds: 86_400 } as const
    assert.deepInclude(yield* Effect.flip(send(organization)), blocked)
    yield* TestClock.adjust("400 days")
    assert.deepInclude(yield* Effect.flip(send(organization)), blocked)
    yield* reset(organization, "+8801712345679")
    assert.deepInclude(yield* Effect.flip(send(organization)), blocked)
    yield* reset(organization)
    const { requestId } = yield* send(organization)
    yield* check(organization, requestId, yield* code)
  })

  engineTest("are not reset for a text that is no phone number", function* () {
    const organization = yield* opened
    const error = yield* Effect.flip(reset(organization, "8801"))
    assert.deepNestedInclude(error, { _tag: "InvalidRequest", "details.phoneNumber.length": 1 })
  })
})
