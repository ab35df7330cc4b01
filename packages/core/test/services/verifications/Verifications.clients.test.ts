import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Limits, defaults } from "../../../src/domain/limits/Limits.ts"
import { Store } from "../../../src/ports/Store.ts"
import { Verifications } from "../../../src/services/verifications/Verifications.ts"
import { phoneNumber, resend, send, wrong } from "../../support/verifying.ts"

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
  it.effect("sends, sends again and checks although strangers have spent the number's budget", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(engine({ guessesPerNumber: { max: 3, windowMillis: 86_400_000 } }))),
  )

  it.effect("gets the place of the oldest request of strangers, over both channels", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(engine({ sendsPerNumber: { max: 100, windowMillis: 60_000 } }))),
  )
})

describe("the limits of a client", () => {
  const limits = {
    sendsPerClient: [{ max: 2, windowMillis: 60_000 }],
    checksPerClient: { max: 1, windowMillis: 10_000 },
  }

  it.effect("hold over all numbers, for the client only", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(engine(limits))),
  )

  it.effect("count each code that is sent again, over both channels", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { client: "a" })
      for (const channel of ["sms", "whatsapp"] as const) {
        yield* TestClock.adjust(30_000)
        yield* resend(organization, requestId, { channel, client: "b" })
      }
      yield* TestClock.adjust(30_000)
      assert.deepInclude(yield* Effect.flip(resend(organization, requestId, { client: "b" })), {
        _tag: "RateLimited",
        reason: "client",
        retryAfterSeconds: 40,
      } as const)
      yield* resend(organization, requestId)
    }).pipe(Effect.provide(engine({ sendsPerClient: { max: 2, windowMillis: 100_000 } }))),
  )

  it.effect.each(["", "x".repeat(129)])(
    "refuse the client %j, which has no valid length",
    (client) =>
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const errors = [
          yield* Effect.flip(send(organization, { client })),
          yield* Effect.flip(resend(organization, "vrf_none", { client })),
          yield* Effect.flip(checkBy(organization, client, "vrf_none", "123456")),
        ]
        for (const error of errors) {
          assert.deepNestedInclude(error, { _tag: "InvalidRequest", "details.client.length": 1 })
        }
      }).pipe(Effect.provide(engine(limits))),
  )
})
