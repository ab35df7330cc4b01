import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { Limits } from "../../src/domain/limits/Limits.ts"
import { decide } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, money, now, phoneNumber, recipient, requestId, verification } = Samples

const rich = account({ balance: money("10") })
const fullChecks = Array.from({ length: 20 }, () => now - 59_500)
const wrong = { candidates: [Samples.codeOf("wrong")] }
const login = { purpose: "login" } as const
const nist = { limits: { profile: "nist" } } as const

const pending = verification({ purpose: "login" })
const times = { status: "verified", verifiedAt: now - 5 } as const
const verified = verification({ ...times, purpose: "login" })
const used = { ...times, consumedAt: now - 1, purpose: "login" } as const
const consumed = verification(used)
const failed = verification({ status: "failed", attemptsRemaining: 0, purpose: "login" })

const place = { requestId: requestId(), until: now + 300_000 }
const waiting = recipient({ pending: [place] })

const closing = "Consumed | writes account, recipient, verification | Verified, Consumed"
const guessed = "writes account, recipient, verification"

const verifyCode = (command?: Samples.Overrides<Command<"VerifyCode">>) =>
  Samples.verifyCode({ ...login, ...command })

describe("VerifyCode", () => {
  decides(verifyCode, { verification: pending, account: rich }, [
    [
      "a full window, and the right code",
      "Limited for 1 s",
      { account: account({ checks: fullChecks }) },
    ],
    ["no such request", "NotFound | writes account", { verification: undefined }],
    ["the right code", closing, { recipient: waiting }],
    ["a wrong code", `WrongCode, 2 left | ${guessed}`, {}, wrong],
    [
      "a wrong code at the last attempt",
      `Failed first | ${guessed} | Failed by attempts`,
      { verification: { ...pending, attemptsRemaining: 1 } },
      wrong,
    ],
    [
      "the right code at the last attempt",
      closing,
      { verification: { ...pending, attemptsRemaining: 1 } },
    ],
    ["another purpose", "NotFound | writes account", {}, { purpose: "payment" }],
    ["no purpose, and a request with one", "NotFound | writes account", {}, { purpose: null }],
    [
      "no purpose, and a request without one",
      closing,
      { verification: verification() },
      { purpose: null },
    ],
    [
      "the right code of a verified request",
      "Consumed | writes account, recipient, verification | Consumed",
      { verification: verified },
    ],
    [
      "a wrong code for a verified request",
      `WrongCode, 2 left | ${guessed}`,
      { verification: verified },
      wrong,
    ],
    [
      "a wrong code for a verified request at its last attempt",
      `Failed first | ${guessed}`,
      { verification: { ...verified, attemptsRemaining: 1 } },
      wrong,
    ],
    [
      "the right code for a verified request without attempts",
      "Failed again | writes account",
      { verification: { ...verified, attemptsRemaining: 0 } },
    ],
    [
      "the right code of a verified request a millisecond before its expiry",
      "Consumed | writes account, recipient, verification | Consumed",
      { verification: { ...verified, expiresAt: now + 1 } },
    ],
    [
      "the right code of a verified request at its expiry",
      "Expired | writes account",
      { verification: { ...verified, expiresAt: now } },
    ],
    [
      "a wrong code for a verified request at its expiry",
      "Expired | writes account",
      { verification: { ...verified, expiresAt: now } },
      wrong,
    ],
    [
      "the right code of a verified request that was made later, under a wrong clock",
      "Expired | writes account",
      { verification: { ...verified, createdAt: now + 1 } },
    ],
    [
      "a verified request, and a pepper that is gone",
      "UnknownCodeSecret",
      { verification: verified },
      { candidates: [Samples.codeOf("right", "k2")] },
    ],
    [
      "the right code of a consumed request",
      "AlreadyConsumed | writes account",
      { verification: consumed },
    ],
    [
      "a wrong code for a consumed request",
      "AlreadyConsumed | writes account",
      { verification: consumed },
      wrong,
    ],
    [
      "a consumed request after its expiry",
      "AlreadyConsumed | writes account",
      { verification: verification({ ...used, expiresAt: now }) },
    ],
    [
      "a consumed request, for another purpose",
      "NotFound | writes account",
      { verification: consumed },
      { purpose: "payment" },
    ],
    ["a failed request", "Failed again | writes account", { verification: failed }],
    [
      "an expired request",
      "Expired | writes account",
      { verification: { ...pending, expiresAt: now } },
    ],
    ["the right code, under nist", closing, {}, nist],
    [
      "a consumed request, under nist",
      "AlreadyConsumed | writes account",
      { verification: consumed },
      nist,
    ],
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
