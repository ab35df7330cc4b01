import type { Command } from "@countersign/core/decide/Command"
import { bounds, type Rules } from "@countersign/core/domain/fraud/PrefixStats"
import * as Money from "@countersign/core/domain/values/Money"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import {
  asked,
  atOnce,
  open,
  run,
  type StoreService,
  tagsOf,
  tally,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { messageId, money, now, organizationId, otherOrganizationId, requestId } = Samples

const message = (index: number, overrides: Samples.Overrides<Command<"HoldMessage">> = {}) =>
  Samples.holdMessage({
    draft: { id: messageId(index) },
    limits: { spendPerDay: money("1.25") },
    ...overrides,
  })

const hour = 3_600_000

const rules = Samples.fraudRules({ windowMillis: hour, maxSent: 3 })

const poor: Rules = { ...rules, maxSent: undefined, minSent: 4, minConversion: 0.5 }

/** A code for its own phone number. All phone numbers share one prefix. */
const code = (index: number, overrides: Partial<Command<"RequestVerification">> = {}) =>
  asked(index, { rules, ...overrides })

const verify = (index: number, watched: Rules) =>
  Samples.checkCode({
    requestId: requestId(index),
    rules: watched,
    limits: { checksPerOrganization: undefined },
  })

const found = (store: StoreService) =>
  Effect.map(store.findings(organizationId, 100), (findings) =>
    findings.map(
      ({ action, at, prefix, reason, sent, unverifiedAmount, verified }) =>
        `${at - now} ${prefix} ${reason} ${action}: ${verified} of ${sent}, ${Money.format(unverifiedAmount)}`,
    ),
  )

export const fraudSection = (test: Test): void => {
  test("thirty parallel messages and codes under a cap for two: exactly two are paid for", function* (store) {
    yield* open(store)
    const codes = times(15, (index) =>
      asked(100 + index, { limits: { spendPerDay: money("1.25") } }),
    )
    const mixed: ReadonlyArray<Command<"HoldMessage" | "RequestVerification">> = [
      ...times(15, message),
      ...codes,
    ]
    const outcomes = yield* atOnce(store, mixed)
    const counts = tally(tagsOf(outcomes))
    assert.strictEqual(counts["Capped"], 28)
    assert.deepInclude(yield* store.account(organizationId), { spent: money("1") })
    yield* sound(store)
  })

  test("forty parallel codes for one prefix: exactly the maximum is sent", function* (store) {
    yield* open(store, money("100"))
    const outcomes = yield* atOnce(
      store,
      times(40, (index) => code(index + 1)),
    )
    assert.deepStrictEqual(tally(tagsOf(outcomes)), {
      Requested: 3,
      Suspected: 37,
    })
    assert.strictEqual((yield* found(store)).length, 1)
  })

  test("a prefix with too few verified codes is denied until enough are verified", function* (store) {
    yield* open(store)
    const sent = yield* transcript(
      store,
      times(5, (index) => code(index + 1, { rules: poor })),
    )
    assert.deepStrictEqual(sent, [...times(4, () => "Requested"), "Suspected"])
    const verified = [1, 2].map((index) => verify(index, poor))
    const ends = yield* transcript(store, [...verified, code(6, { rules: poor })])
    assert.deepStrictEqual(ends, ["Verified", "Verified", "Requested"])
    assert.deepStrictEqual(yield* found(store), ["0 88017 conversion deny: 0 of 4, 2.00"])
  })

  test("prefixes and organizations are counted separately", function* (store) {
    yield* open(store)
    yield* open(store, money("10"), otherOrganizationId)
    yield* transcript(
      store,
      times(4, (index) => code(index + 1)),
    )
    const elsewhere = { ...code(1), organization: otherOrganizationId }
    assert.strictEqual((yield* run(store, elsewhere))._tag, "Requested")
    const finer = code(9, { rules: { ...rules, prefixDigits: 6 } })
    assert.strictEqual((yield* run(store, finer))._tag, "Requested")
    assert.strictEqual((yield* run(store, code(10)))._tag, "Suspected")
    assert.deepStrictEqual(yield* store.findings(otherOrganizationId, 100), [])
  })

  test("old findings are dropped, and prefix counts once they no longer matter", function* (store) {
    yield* open(store)
    const wait = 3 * bounds.windowMillis.max
    for (const round of [0, 1, 2]) {
      yield* TestClock.setTime(now + round * hour)
      yield* transcript(
        store,
        times(4, (index) => code(10 * round + index + 1)),
      )
    }
    assert.strictEqual((yield* found(store)).length, 3)
    const newest = yield* store.findings(organizationId, 2)
    assert.deepStrictEqual(
      newest.map(({ at }) => at - now),
      [2 * hour, hour],
    )
    yield* TestClock.setTime(now + hour + day)
    assert.deepStrictEqual(yield* prune(store, "findings"), [1])
    assert.deepStrictEqual(yield* prune(store, "findings"), [0])
    assert.strictEqual((yield* found(store)).length, 2)
    yield* TestClock.setTime(now + wait)
    // Two findings, and the row of the only prefix.
    assert.deepStrictEqual(yield* prune(store, "findings", { limit: 1 }), [2, 1, 0])
    assert.deepStrictEqual(yield* found(store), [])
    yield* sound(store)
  })
}
