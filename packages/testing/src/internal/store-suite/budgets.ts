import { host } from "@countersign/core/domain/values/Actor"
import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import * as Limits from "@countersign/core/domain/limits/Limits"
import { Store } from "@countersign/core/ports/Store"
import { Organizations } from "@countersign/core/services/Organizations"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import * as TestEngine from "../../TestEngine.ts"
import { type Test, atOnce, open, present, run, tally, times, transcript } from "./support.ts"

const { messageId, phoneNumber, requestId } = Samples

const day = 86_400_000
const limits = { ...Limits.defaults, attempts: 100, checksPerOrganization: undefined }

const request = (index = 1) =>
  Samples.requestVerification({
    requestId: requestId(index),
    draft: Samples.draft({ id: messageId(index) }),
    expirySeconds: 3_600,
    limits,
  })

const check = (code: string, index = 1) =>
  Samples.checkCode({
    requestId: requestId(index),
    candidates: [Samples.codeOf(code)],
    limits,
  })

const owned = (client: string): Digests => [client]

const reset = {
  _tag: "ResetGuesses",
  actor: host,
  organization: Samples.organizationId,
  version: 1,
  phoneNumber: phoneNumber(),
} as const

export const budgetsSection = (test: Test): void => {
  test("200 parallel wrong codes spend exactly the budget of a number", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* atOnce(store, [request(1), request(2)])
      const outcomes = yield* atOnce(
        store,
        times(200, (index) => check("wrong", 1 + (index % 2))),
      )
      assert.deepStrictEqual(tally(outcomes.map(({ _tag }) => _tag)), {
        WrongCode: 30,
        GuessesLimited: 170,
      })
      assert.deepStrictEqual(yield* run(store, check("right")), {
        _tag: "GuessesLimited",
        retryAfterSeconds: day / 1_000,
      })
    }))

  test("200 parallel wrong codes on two nodes spend exactly the budget of a number", (store) =>
    Effect.gen(function* () {
      const shared = Layer.succeed(Store, store)
      const nodes = yield* Effect.forEach([1, 2], (seed) =>
        Layer.build(TestEngine.layer({ store: shared, seed })),
      )
      const { organization } = yield* Effect.provide(TestEngine.open(), present(nodes[0]))
      const attempts = { attempts: 100, checksPerOrganization: null }
      const configured = Organizations.use((_) => _.update({ id: organization, limits: attempts }))
      yield* Effect.provide(configured, present(nodes[1]))
      const number = { organization, phoneNumber: phoneNumber() }
      const requests = yield* Effect.forEach(nodes, (node) =>
        Effect.provide(
          Verifications.use((_) => _.send(number)),
          node,
        ),
      )
      const code = Redacted.make("wrong")
      const guess = (index: number) => {
        const { requestId } = present(requests[Math.floor(index / 2) % 2])
        return Verifications.use((_) => _.check({ organization, requestId, code })).pipe(
          Effect.flip,
          Effect.provide(present(nodes[index % 2])),
        )
      }
      const errors = yield* Effect.all(times(200, guess), { concurrency: "unbounded" })
      assert.deepStrictEqual(tally(errors.map(({ _tag }) => _tag)), {
        WrongCode: 30,
        RateLimited: 170,
      })
    }).pipe(Effect.scoped))

  test("a window of wrong codes ends to the second, and a right one does not shorten it", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* atOnce(store, [request(1), request(2)])
      yield* atOnce(
        store,
        times(29, () => check("wrong")),
      )
      yield* run(store, check("right"))
      yield* run(store, check("wrong", 2))
      assert.strictEqual((yield* run(store, check("right", 2)))._tag, "GuessesLimited")
      yield* TestClock.adjust(day - 1_000)
      assert.deepInclude(yield* run(store, request(3)), {
        _tag: "GuessesLimited",
        retryAfterSeconds: 1,
      })
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* run(store, request(3)))._tag, "Requested")
    }))

  test("a series of wrong codes blocks a number until the host resets it", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const series = { ...limits, guessesPerNumber: undefined }
      yield* run(store, { ...request(), limits: series })
      const wrong = { ...check("wrong"), limits: { ...series, guessesSinceSuccess: 3 } }
      const right = { ...check("right"), limits: { ...series, guessesSinceSuccess: 3 } }
      assert.deepStrictEqual(yield* transcript(store, [wrong, wrong, wrong, right, reset, right]), [
        "WrongCode",
        "WrongCode",
        "WrongCode",
        "GuessesLimited",
        "GuessesReset",
        "Verified",
      ])
    }))

  test("the wrong codes of a number stay when its row is dropped that may be dropped", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* atOnce(store, [request(1), request(2)])
      const series = { ...limits, guessesPerNumber: undefined, guessesSinceSuccess: 1 }
      yield* run(store, { ...check("wrong"), limits: series })
      yield* TestClock.adjust(2 * Limits.bounds.windowMillis.max)
      const step = { organization: Samples.organizationId, keepMillis: 0, after: undefined }
      const prune = store.prune({ ...step, kind: "recipients", limit: 10 })
      assert.strictEqual((yield* prune).dropped, 0)
      const again = { ...request(3), limits: series }
      assert.strictEqual((yield* run(store, again))._tag, "GuessesLimited")
      yield* run(store, reset)
      assert.strictEqual((yield* prune).dropped, 1)
      assert.strictEqual((yield* run(store, again))._tag, "Requested")
    }))

  test("a client's requests and checks are counted under any of its digests, by organization", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* open(store, Samples.money("10"), Samples.otherOrganizationId)
      const two = { max: 2, windowMillis: 60_000 }
      const limited = { ...limits, sendsPerClient: two, checksPerClient: two }
      const send = (index: number, client: Digests, organization = Samples.organizationId) => ({
        ...request(index),
        organization,
        limits: limited,
        client,
        phoneNumber: phoneNumber(index),
      })
      const rotated: Digests = ["new", "old"]
      assert.deepStrictEqual(
        yield* transcript(store, [
          send(1, ["old"]),
          send(2, rotated),
          send(3, rotated),
          send(3, ["other"]),
          send(4, rotated, Samples.otherOrganizationId),
        ]),
        ["Requested", "Requested", "ClientLimited", "Requested", "Requested"],
      )
      const checkBy = (client: Digests) => ({ ...check("wrong"), limits: limited, client })
      const outcomes = yield* atOnce(
        store,
        times(10, () => checkBy(rotated)),
      )
      assert.deepStrictEqual(tally(outcomes.map(({ _tag }) => _tag)), {
        WrongCode: 2,
        ClientLimited: 8,
      })
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* run(store, checkBy(["old"])))._tag, "WrongCode")
    }))

  test("codes that are sent again count for their clients, under any of their digests", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const limited = { ...limits, resendCooldownMillis: 0, resends: 20 }
      const two = { ...limited, sendsPerClient: { max: 2, windowMillis: 60_000 } }
      yield* run(store, { ...request(), limits: two, client: ["old"] })
      const rotated: Digests = ["new", "old"]
      const resend = (index: number, client: Digests) =>
        Samples.resendVerification({
          draft: Samples.draft({ id: messageId(10 + index) }),
          limits: two,
          client,
        })
      const outcomes = yield* atOnce(
        store,
        times(5, (index) => resend(index, rotated)),
      )
      assert.deepStrictEqual(tally(outcomes.map(({ _tag }) => _tag)), {
        Resent: 1,
        ClientLimited: 4,
      })
      const admit = Samples.admitResend({ limits: two, client: ["other"] })
      assert.deepStrictEqual(yield* transcript(store, [admit, admit, admit]), [
        "Admitted",
        "Admitted",
        "ClientLimited",
      ])
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* run(store, resend(6, ["old"])))._tag, "Resent")
    }))

  test("a number remembers who has verified it, their wrong codes and their requests", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const one = {
        ...limits,
        guessesPerNumber: { max: 1, windowMillis: day },
        pendingPerNumber: 2,
      }
      const sendBy = (index: number, client: string) => ({
        ...request(index),
        limits: one,
        client: owned(client),
      })
      const checkBy = (code: string, client: string, index: number) => ({
        ...check(code, index),
        limits: one,
        client: owned(client),
      })
      assert.deepStrictEqual(
        yield* transcript(store, [
          sendBy(1, "owner"),
          checkBy("right", "owner", 1),
          sendBy(2, "robot"),
          checkBy("wrong", "robot", 2),
          checkBy("right", "robot", 2),
          sendBy(3, "owner"),
          checkBy("wrong", "owner", 3),
          checkBy("right", "owner", 3),
        ]),
        [
          "Requested",
          "Verified",
          "Requested",
          "WrongCode",
          "GuessesLimited",
          "Requested",
          "WrongCode",
          "GuessesLimited",
        ],
      )
      yield* run(store, reset)
      assert.deepStrictEqual(yield* run(store, sendBy(4, "owner")), {
        _tag: "TooManyPending",
        retryAfterSeconds: 3_600,
        displaces: requestId(2),
      })
      assert.deepStrictEqual(yield* run(store, sendBy(4, "robot")), {
        _tag: "TooManyPending",
        retryAfterSeconds: 3_600,
      })
    }))

  test("under the profile nist, the wrong codes of all clients together block a number", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const three = { ...limits, guessesPerNumber: undefined, guessesSinceSuccess: 3 }
      const nist = { ...three, profile: "nist" } as const
      const checkBy = (code: string, client: string) => ({
        ...check(code, 2),
        limits: nist,
        client: owned(client),
      })
      yield* run(store, request(1))
      yield* run(store, { ...check("right", 1), client: owned("owner") })
      yield* run(store, request(2))
      const right = checkBy("right", "owner")
      assert.deepStrictEqual(
        yield* transcript(store, [
          checkBy("wrong", "robot"),
          checkBy("wrong", "owner"),
          checkBy("wrong", "robot"),
          right,
          { ...request(3), limits: nist, client: owned("owner") },
          { ...right, limits: three },
        ]),
        ["WrongCode", "WrongCode", "WrongCode", "GuessesLimited", "GuessesLimited", "Verified"],
      )
    }))

  test("under the profile nist, a verification is used before its code expires", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* atOnce(store, [request(1), request(2)])
      yield* atOnce(store, [check("right", 1), check("right", 2)])
      const use = (index: number) =>
        Samples.consumeVerification({ requestId: requestId(index), profile: "nist" })
      yield* TestClock.adjust(3_600_000 - 1)
      assert.strictEqual((yield* run(store, use(1)))._tag, "Consumed")
      yield* TestClock.adjust(1)
      const standard = Samples.consumeVerification({ requestId: requestId(2) })
      assert.deepStrictEqual(yield* transcript(store, [use(2), standard]), ["Expired", "Consumed"])
    }))

  test("a window of one request is stored, if it is limited", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* atOnce(store, [request(1), request(2)])
      const two = { ...limits, checksPerRequest: { max: 2, windowMillis: 60_000 } }
      const outcomes = yield* atOnce(
        store,
        times(5, () => ({ ...check("wrong"), limits: two })),
      )
      assert.deepStrictEqual(tally(outcomes.map(({ _tag }) => _tag)), { WrongCode: 2, Limited: 3 })
      const other = { ...check("wrong", 2), limits: two }
      assert.strictEqual((yield* run(store, other))._tag, "WrongCode")
    }))
}
