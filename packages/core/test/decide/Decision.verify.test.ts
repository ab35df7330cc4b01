import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { Limits } from "../../src/domain/limits/Limits.ts"
import { decide } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, money, now, phoneNumber, recipient, requestId, verification } = Samples

const rich = account({ balance: money("10") })
const full = account({ checks: Array.from({ length: 20 }, () => now - 59_500) })
const wrong = { candidates: [Samples.codeOf("wrong")] }
const gone = { candidates: [Samples.codeOf("right", "k2")] }
const login = { purpose: "login" } as const
const nist = { limits: { profile: "nist" } } as const

const of = (change?: Parameters<typeof verification>[0]) => ({
  verification: verification({ purpose: "login", ...change }),
})
const verified = { status: "verified", verifiedAt: now - 5 } as const
const consumed = { ...verified, consumedAt: now - 1 } as const
const ended = of({ ...verified, expiresAt: now })
const lastAttempt = { attemptsRemaining: 1 }
const pending = of().verification

const place = { requestId: requestId(), until: now + 300_000 }
const waiting = recipient({ pending: [place] })

const closing = "Consumed | writes account, recipient, verification | Verified, Consumed"
const consuming = "Consumed | writes account, recipient, verification | Consumed"
const guessed = "writes account, recipient, verification"
const unknown = "NotFound | writes account"
const expired = "Expired | writes account"
const used = "AlreadyConsumed | writes account"
const failed = "Failed again | writes account"

const verifyCode = (command?: Samples.Overrides<Command<"VerifyCode">>) =>
  Samples.verifyCode({ ...login, ...command })

describe("VerifyCode", () => {
  decides(verifyCode, { ...of(), account: rich }, [
    ["a full window, and the right code", "Limited for 1 s", { account: full }],
    ["no such request", unknown, { verification: undefined }],
    ["the right code", closing, { recipient: waiting }],
    ["a wrong code", `WrongCode, 2 left | ${guessed}`, {}, wrong],
    [
      "a wrong code at the last attempt",
      `Failed first | ${guessed} | Failed by attempts`,
      of(lastAttempt),
      wrong,
    ],
    ["the right code at the last attempt", closing, of(lastAttempt)],
    ["another purpose", unknown, {}, { purpose: "payment" }],
    ["no purpose, and a request with one", unknown, {}, { purpose: null }],
    ["no purpose, and a request without one", closing, of({ purpose: null }), { purpose: null }],
    ["the right code of a verified request", consuming, of(verified)],
    ["a wrong code for a verified request", `WrongCode, 2 left | ${guessed}`, of(verified), wrong],
    [
      "a wrong code for a verified request at its last attempt",
      `Failed first | ${guessed}`,
      of({ ...verified, ...lastAttempt }),
      wrong,
    ],
    [
      "the right code for a verified request without attempts",
      failed,
      of({ ...verified, attemptsRemaining: 0 }),
    ],
    [
      "the right code of a verified request a millisecond before its expiry",
      consuming,
      of({ ...verified, expiresAt: now + 1 }),
    ],
    ["the right code of a verified request at its expiry", expired, ended],
    ["a wrong code for a verified request at its expiry", expired, ended, wrong],
    [
      "the right code of a verified request that was made later, under a wrong clock",
      expired,
      of({ ...verified, createdAt: now + 1 }),
    ],
    ["a verified request, and a pepper that is gone", "UnknownCodeSecret", of(verified), gone],
    ["the right code of a consumed request", used, of(consumed)],
    ["a wrong code for a consumed request", used, of(consumed), wrong],
    ["a consumed request after its expiry", used, of({ ...consumed, expiresAt: now })],
    ["a consumed request, for another purpose", unknown, of(consumed), { purpose: "payment" }],
    ["a failed request", failed, of({ status: "failed", attemptsRemaining: 0 })],
    ["an expired request", expired, of({ expiresAt: now })],
    ["the right code, under nist", closing, {}, nist],
    ["a consumed request, under nist", used, of(consumed), nist],
    ["a pepper that is gone", "UnknownCodeSecret", {}, { candidates: [] }],
  ])

  it("verifies and uses the request up at one time, and returns it", () => {
    const rows = { account: rich, verification: pending, recipient: waiting }
    const { events, result, writes } = decide(rows, Samples.verifyCode(login), now)
    const both = { verifiedAt: now, consumedAt: now }
    const after = { ...pending, status: "verified" as const, sealed: null, ...both }
    assert.deepStrictEqual<unknown>(result, { _tag: "Consumed", verification: after, ...both })
    assert.deepStrictEqual<unknown>(writes.verification, after)
    assert.deepStrictEqual(writes.recipient?.pending, [])
    assert.deepStrictEqual(
      events.map(({ _tag, at }) => [_tag, at]),
      [
        ["Verified", now],
        ["Consumed", now],
      ],
    )
  })

  const budget = { max: 2, windowMillis: 60_000 }
  const limits: Partial<Limits> = { guessesPerNumber: budget, guessesSinceSuccess: 3 }

  it("counts nothing for a test number, which still gets three attempts", () => {
    const testNumbers = new Set([phoneNumber()])
    const command = Samples.verifyCode({ ...login, ...wrong, limits, testNumbers })
    const rows = { account: rich, verification: pending, recipient: waiting }
    const { result, writes } = decide(rows, command, now)
    assert.deepStrictEqual(result, { _tag: "WrongCode", attemptsRemaining: 2 })
    assert.isUndefined(writes.recipient)
    const right = Samples.verifyCode({ ...login, limits, testNumbers })
    assert.strictEqual(decide(rows, right, now).result._tag, "Consumed")
  })
})
