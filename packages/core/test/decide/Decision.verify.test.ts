import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import type { Limits } from "../../src/domain/limits/Limits.ts"
import { decide, inWords } from "../support/transcript.ts"

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

interface Row {
  readonly given: string
  readonly rows: Partial<View>
  readonly command?: Samples.Overrides<Command<"VerifyCode">>
  readonly ends: string
}

const closing = "Consumed | writes account, recipient, verification | Verified, Consumed"
const guessed = "writes account, recipient, verification"

const table: ReadonlyArray<Row> = [
  { given: "no account", rows: { verification: pending }, ends: "NoAccount" },
  {
    given: "an older copy of the settings",
    rows: { account: account({ version: 2 }), verification: pending },
    ends: "Stale",
  },
  {
    given: "a full window, and the right code",
    rows: { account: account({ checks: fullChecks }), verification: pending },
    ends: "Limited for 1 s",
  },
  { given: "no such request", rows: { account: rich }, ends: "NotFound | writes account" },
  {
    given: "the right code",
    rows: { account: rich, verification: pending, recipient: waiting },
    ends: closing,
  },
  {
    given: "a wrong code",
    rows: { account: rich, verification: pending },
    command: wrong,
    ends: `WrongCode, 2 left | ${guessed}`,
  },
  {
    given: "a wrong code at the last attempt",
    rows: { account: rich, verification: { ...pending, attemptsRemaining: 1 } },
    command: wrong,
    ends: `Failed first | ${guessed} | Failed by attempts`,
  },
  {
    given: "the right code at the last attempt",
    rows: { account: rich, verification: { ...pending, attemptsRemaining: 1 } },
    ends: closing,
  },
  {
    given: "another purpose",
    rows: { account: rich, verification: pending },
    command: { purpose: "payment" },
    ends: "NotFound | writes account",
  },
  {
    given: "no purpose, and a request with one",
    rows: { account: rich, verification: pending },
    command: { purpose: null },
    ends: "NotFound | writes account",
  },
  {
    given: "no purpose, and a request without one",
    rows: { account: rich, verification: verification() },
    command: { purpose: null },
    ends: closing,
  },
  {
    given: "the right code of a verified request",
    rows: { account: rich, verification: verified },
    ends: "Consumed | writes account, recipient, verification | Consumed",
  },
  {
    given: "a wrong code for a verified request",
    rows: { account: rich, verification: verified },
    command: wrong,
    ends: `WrongCode, 2 left | ${guessed}`,
  },
  {
    given: "a wrong code for a verified request at its last attempt",
    rows: { account: rich, verification: { ...verified, attemptsRemaining: 1 } },
    command: wrong,
    ends: `Failed first | ${guessed}`,
  },
  {
    given: "the right code for a verified request without attempts",
    rows: { account: rich, verification: { ...verified, attemptsRemaining: 0 } },
    ends: "Failed again | writes account",
  },
  {
    given: "the right code of a verified request a millisecond before its expiry",
    rows: { account: rich, verification: { ...verified, expiresAt: now + 1 } },
    ends: "Consumed | writes account, recipient, verification | Consumed",
  },
  {
    given: "the right code of a verified request at its expiry",
    rows: { account: rich, verification: { ...verified, expiresAt: now } },
    ends: "Expired | writes account",
  },
  {
    given: "a wrong code for a verified request at its expiry",
    rows: { account: rich, verification: { ...verified, expiresAt: now } },
    command: wrong,
    ends: "Expired | writes account",
  },
  {
    given: "the right code of a verified request that was made later, under a wrong clock",
    rows: { account: rich, verification: { ...verified, createdAt: now + 1 } },
    ends: "Expired | writes account",
  },
  {
    given: "a verified request, and a pepper that is gone",
    rows: { account: rich, verification: verified },
    command: { candidates: [Samples.codeOf("right", "k2")] },
    ends: "UnknownCodeSecret",
  },
  {
    given: "the right code of a consumed request",
    rows: { account: rich, verification: consumed },
    ends: "AlreadyConsumed | writes account",
  },
  {
    given: "a wrong code for a consumed request",
    rows: { account: rich, verification: consumed },
    command: wrong,
    ends: "AlreadyConsumed | writes account",
  },
  {
    given: "a consumed request after its expiry",
    rows: { account: rich, verification: verification({ ...used, expiresAt: now }) },
    ends: "AlreadyConsumed | writes account",
  },
  {
    given: "a consumed request, for another purpose",
    rows: { account: rich, verification: consumed },
    command: { purpose: "payment" },
    ends: "NotFound | writes account",
  },
  {
    given: "a failed request",
    rows: { account: rich, verification: failed },
    ends: "Failed again | writes account",
  },
  {
    given: "an expired request",
    rows: { account: rich, verification: { ...pending, expiresAt: now } },
    ends: "Expired | writes account",
  },
  {
    given: "the right code, under nist",
    rows: { account: rich, verification: pending },
    command: nist,
    ends: closing,
  },
  {
    given: "a consumed request, under nist",
    rows: { account: rich, verification: consumed },
    command: nist,
    ends: "AlreadyConsumed | writes account",
  },
  {
    given: "a pepper that is gone",
    rows: { account: rich, verification: pending },
    command: { candidates: [] },
    ends: "UnknownCodeSecret",
  },
]

describe("VerifyCode", () => {
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    const verifying = Samples.verifyCode({ ...login, ...command })
    assert.strictEqual(inWords(decide(rows, verifying, now)), ends)
  })

  it("verifies and uses the request up at one time, and returns it", () => {
    const rows = { account: rich, verification: pending, recipient: waiting }
    const { events, outcome, writes } = decide(rows, Samples.verifyCode(login), now)
    const both = { verifiedAt: now, consumedAt: now }
    const after = { ...pending, status: "verified" as const, sealed: null, ...both }
    assert.deepStrictEqual<unknown>(outcome, { _tag: "Consumed", verification: after, ...both })
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

  it("keeps the time at which an earlier check has verified the request", () => {
    const rows = { account: rich, verification: verified }
    const { outcome } = decide(rows, Samples.verifyCode(login), now)
    assert.deepInclude(outcome, { verifiedAt: now - 5, consumedAt: now })
  })

  it("leaves a verified request verified when wrong codes have used up its attempts", () => {
    const last = { ...verified, attemptsRemaining: 1 }
    const { writes } = decide(
      { account: rich, verification: last },
      Samples.verifyCode({ ...login, ...wrong }),
      now,
    )
    assert.deepStrictEqual(writes.verification, { ...last, attemptsRemaining: 0 })
  })

  const budget = { max: 2, windowMillis: 60_000 }
  const limits: Partial<Limits> = { guessesPerNumber: budget, guessesSinceSuccess: 3 }

  it("counts wrong codes of pending and of verified requests against the number", () => {
    let rows: Partial<View> = { account: rich, verification: verified, recipient: recipient() }
    const guess = (at: number) => {
      const command = Samples.verifyCode({ ...login, ...wrong, limits })
      const decision = decide(rows, command, at)
      rows = { ...rows, ...decision.writes, verification: verified }
      return decision.outcome._tag
    }
    assert.deepStrictEqual(
      [guess(now), guess(now + 1), guess(now + 2)],
      ["WrongCode", "WrongCode", "GuessesLimited"],
    )
  })

  it("counts nothing for a test number, which still gets three attempts", () => {
    const testNumbers = new Set([phoneNumber()])
    const command = Samples.verifyCode({ ...login, ...wrong, limits, testNumbers })
    const rows = { account: rich, verification: pending, recipient: waiting }
    const { outcome, writes } = decide(rows, command, now)
    assert.deepStrictEqual(outcome, { _tag: "WrongCode", attemptsRemaining: 2 })
    assert.isUndefined(writes.recipient)
    const right = Samples.verifyCode({ ...login, limits, testNumbers })
    assert.strictEqual(decide(rows, right, now).outcome._tag, "Consumed")
  })

  it("forgets the wrong codes of the number after the right one", () => {
    const guesses = { ...recipient().guesses, wrong: [now - 9], sinceSuccess: 1 }
    const rows = { account: rich, verification: pending, recipient: recipient({ guesses }) }
    const { writes } = decide(rows, Samples.verifyCode(login), now)
    assert.strictEqual(writes.recipient?.guesses.sinceSuccess, 0)
  })
})
