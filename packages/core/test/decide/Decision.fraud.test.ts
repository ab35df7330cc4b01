/** Codes in the statistics of their prefix, and requests that are observed or come after an erasure. */
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { ErasedRecipient } from "../../src/domain/verifications/ErasedRecipient.ts"
import * as PrefixStats from "../../src/domain/fraud/PrefixStats.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { decide } from "../support/transcript.ts"

const { money, now, organizationId: organization } = Samples

const account = Samples.account({ balance: money("10") })
const rules = Samples.fraudRules()
const none = PrefixStats.at(PrefixStats.empty(organization, "88017"), rules, now)
/** Codes for 0.50 each. */
const counts = (sent: number, verified = 0): PrefixStats.Counts => ({
  sent,
  verified,
  unverifiedAmount: Money.fromUnits((sent - verified) * money("0.5")),
})
const sent = (count: number, verified = 0): PrefixStats.PrefixStats => ({
  ...none,
  running: counts(count, verified),
})
const verification = Samples.verification({ prefix: "88017" })
const recipient = Samples.recipient()
describe("a code counts for its prefix", () => {
  it("when it is sent", () => {
    const command = Samples.requestVerification({ rules })
    const { writes } = decide({ account, prefixStats: sent(1) }, command, now)
    assert.deepStrictEqual(writes.prefixStats?.running, counts(2))
    const first = decide({ account }, command, now).writes.prefixStats
    assert.deepStrictEqual(first, sent(1))
  })

  it("not without rules", () => {
    const { writes } = decide({ account }, Samples.requestVerification(), now)
    assert.notProperty(writes, "prefixStats")
  })

  it("not when the rules deny it, which is an event and costs nothing", () => {
    const command = Samples.requestVerification({ rules })
    const { events, result, writes } = decide({ account, prefixStats: sent(2) }, command, now)
    assert.deepInclude(result, { _tag: "Suspected" })
    assert.deepStrictEqual(writes.prefixStats, { ...sent(2), velocityAt: now })
    assert.strictEqual(writes.account?.balance, money("10"))
    const finding = { organization, prefix: "88017", reason: "velocity", action: "deny", at: now }
    assert.deepStrictEqual<unknown>(writes.findings, [{ ...finding, ...counts(2) }])
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      ["FraudSuspected"],
    )
  })

  it("when it is verified", () => {
    const rows = { account, verification, recipient, prefixStats: sent(1) }
    const right = decide(rows, Samples.checkCode({ rules }), now)
    assert.deepStrictEqual(right.writes.prefixStats?.running, counts(1, 1))
    const before = { ...verification, status: "verified", verifiedAt: now } as const
    const used = decide({ ...rows, verification: before }, Samples.verifyCode({ rules }), now)
    assert.strictEqual(used.result._tag, "Consumed")
    assert.notProperty(used.writes, "prefixStats")
    const wrong = { rules, candidates: [Samples.codeOf("wrong")] }
    assert.notProperty(decide(rows, Samples.checkCode(wrong), now).writes, "prefixStats")
    assert.notProperty(decide(rows, Samples.checkCode(), now).writes, "prefixStats")
    const { prefixStats: _, ...without } = rows
    assert.notProperty(decide(without, Samples.checkCode({ rules }), now).writes, "prefixStats")
  })
})

describe("a request after an erasure of its number", () => {
  const erased: ErasedRecipient = {
    organization,
    digest: "d",
    sends: [now - 1],
    guesses: { window: [], sinceSuccess: 4 },
    expiresAt: now + 60_000,
  }
  const ended = { ...erased, sends: [], guesses: { window: [], sinceSuccess: 0 }, expiresAt: now }

  it("gets the limits back, which end in their row", () => {
    const { writes } = decide({ account, erased }, Samples.requestVerification(), now)
    assert.deepStrictEqual(writes.recipient?.sends, [now - 1, now])
    assert.strictEqual(writes.recipient?.guesses.sinceSuccess, 4)
    assert.deepStrictEqual(writes.erased, ended)
  })

  it("leaves the row alone once the number has a recipient", () => {
    const { writes } = decide({ account, erased, recipient }, Samples.requestVerification(), now)
    assert.deepStrictEqual(writes.recipient?.sends, [now])
    assert.notProperty(writes, "erased")
  })

  it("keeps its sends when an operator resets its wrong codes", () => {
    const reset = Samples.resetGuesses({ erased: ["d"] })
    const { audited, writes } = decide({ account, erased }, reset, now)
    assert.deepStrictEqual([writes.recipient?.sends, writes.erased], [[now - 1], ended])
    assert.strictEqual(writes.recipient?.guesses.sinceSuccess, 0)
    const tried = decide({ account }, reset, now)
    assert.deepStrictEqual(tried.writes, {})
    for (const drafts of [audited, tried.audited]) {
      assert.deepStrictEqual(
        drafts?.map(({ action, target }) => [action, target]),
        [["guesses.reset", "+8801*****000"]],
      )
    }
  })
})

describe("ObserveVerification", () => {
  const { expiresAt, requestId } = verification
  const observe = { _tag: "ObserveVerification", organization, requestId } as const

  it("finds no request that is absent", () => {
    const { result, writes } = decide({ account }, observe, now)
    assert.deepStrictEqual<unknown>([result, writes], [{ _tag: "NotFound" }, {}])
  })

  it("writes the time only if it shows an expiry for the first time", () => {
    const seen = decide({ account, verification }, observe, now)
    assert.deepStrictEqual<unknown>(seen.result, { _tag: "Observed", verification, now })
    assert.deepStrictEqual(seen.writes, {})
    const over = decide({ account, verification }, observe, expiresAt)
    assert.deepStrictEqual(over.writes, { account: { ...account, lastAt: expiresAt } })
    const later = { ...account, lastAt: expiresAt }
    assert.deepStrictEqual(decide({ account: later, verification }, observe, expiresAt).writes, {})
  })
})

describe("under the profile nist, a consumed verification", () => {
  const consumed = Samples.verification({ status: "verified", verifiedAt: now, consumedAt: now })

  it.each([
    ["nist", "AlreadyConsumed"],
    ["standard", "Verified"],
  ] as const)("under %s: %s", (profile, expected) => {
    const command = Samples.checkCode({ limits: { profile } })
    const { result } = decide({ account, verification: consumed, recipient }, command, now)
    assert.strictEqual(result._tag, expected)
  })
})

describe("the row of a call with a key", () => {
  const call = Samples.idempotentCall("k")
  const row = { organization, ...call, answer: null, expiresAt: now + 86_400_000 }

  it("names the message and the request that the call has charged", () => {
    const sentWith = decide({ account }, Samples.requestVerification({ idempotency: call }), now)
    const { requestId } = verification
    assert.deepStrictEqual(sentWith.writes.idempotencyKey, {
      ...row,
      messageSequence: 1,
      requestId,
    })
    const held = decide({ account }, Samples.holdMessage({ idempotency: call }), now)
    assert.deepStrictEqual(held.writes.idempotencyKey, {
      ...row,
      messageSequence: 1,
      requestId: null,
    })
  })

  it("names the request that the call has consumed", () => {
    const verified = Samples.verification({ status: "verified", verifiedAt: now })
    const command = Samples.consumeVerification({ idempotency: call })
    const { writes } = decide({ account, verification: verified }, command, now)
    const { requestId } = verified
    assert.deepStrictEqual(writes.idempotencyKey, { ...row, messageSequence: null, requestId })
  })

  it("is absent for another call, and keeps its first answer", () => {
    const found = decide({ account }, { _tag: "FindCall", organization, idempotency: call }, now)
    assert.deepStrictEqual<unknown>([found.result, found.writes], [{ _tag: "NotFound" }, {}])
    const key = Samples.idempotencyKey()
    const { writes } = decide({ account, idempotencyKey: key }, Samples.recordAnswer(), now)
    assert.deepStrictEqual(writes.idempotencyKey, { ...key, answer: "first" })
  })
})
