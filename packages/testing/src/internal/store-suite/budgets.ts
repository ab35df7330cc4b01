import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import * as Limits from "@countersign/core/domain/limits/Limits"
import { assert } from "@effect/vitest"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { atOnce, open, run, tagsOf, tally, type Test, times, transcript } from "./support.ts"

const { messageId, phoneNumber, requestId } = Samples

const day = 86_400_000
const limits = { ...Limits.defaults, attempts: 100, checksPerOrganization: undefined }

const request = (index = 1) =>
  Samples.requestVerification({
    requestId: requestId(index),
    draft: { id: messageId(index) },
    expirySeconds: 3_600,
    limits,
  })

const check = (code: string, index = 1) =>
  Samples.checkCode({
    requestId: requestId(index),
    candidates: [Samples.codeOf(code)],
    limits,
  })

const reset = Samples.resetGuesses()

export const budgetsSection = (test: Test): void => {
  test("200 parallel wrong codes spend exactly the budget of a number", function* (store) {
    yield* open(store)
    yield* atOnce(store, [request(1), request(2)])
    const outcomes = yield* atOnce(
      store,
      times(200, (index) => check("wrong", 1 + (index % 2))),
    )
    assert.deepStrictEqual(tally(tagsOf(outcomes)), {
      WrongCode: 30,
      GuessesLimited: 170,
    })
    assert.deepStrictEqual(yield* run(store, check("right")), {
      _tag: "GuessesLimited",
      retryAfterSeconds: day / 1_000,
    })
  })

  test("the wrong codes of a number stay when its row is dropped that may be dropped", function* (store) {
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
  })

  test("a client's requests and checks are counted under any of its digests, by organization", function* (store) {
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
    assert.deepStrictEqual(tally(tagsOf(outcomes)), {
      WrongCode: 2,
      ClientLimited: 8,
    })
    yield* TestClock.adjust(60_000)
    assert.strictEqual((yield* run(store, checkBy(["old"])))._tag, "WrongCode")
  })

  test("a window of one request is stored, if it is limited", function* (store) {
    yield* open(store)
    yield* atOnce(store, [request(1), request(2)])
    const two = { ...limits, checksPerRequest: { max: 2, windowMillis: 60_000 } }
    const outcomes = yield* atOnce(
      store,
      times(5, () => ({ ...check("wrong"), limits: two })),
    )
    assert.deepStrictEqual(tally(tagsOf(outcomes)), { WrongCode: 2, Limited: 3 })
    const other = { ...check("wrong", 2), limits: two }
    assert.strictEqual((yield* run(store, other))._tag, "WrongCode")
  })
}
