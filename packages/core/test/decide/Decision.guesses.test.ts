import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { blockedSeconds } from "../../src/domain/verifications/Guesses.ts"
import { defaults } from "../../src/domain/limits/Limits.ts"
import { decide, inWords } from "../support/transcript.ts"

const { money, now, phoneNumber, recipient, requestId } = Samples

const account = Samples.account({ balance: money("10") })
const day = 86_400_000
const thirty = Array.from({ length: 30 }, (_, index) => now - day + 5_000 + index)
const guessed = (window: ReadonlyArray<number>, sinceSuccess = window.length) => ({
  account,
  recipient: recipient({
    guesses: { window, sinceSuccess },
    pending: [{ requestId: requestId(), until: now + 300_000 }],
  }),
})
const requested = (rows: Partial<View>) => ({ ...rows, verification: Samples.verification() })
const wrong = { candidates: [Samples.codeOf("wrong")] }
const testNumbers = new Set([phoneNumber()])
describe("the budget of wrong codes", () => {
  it.each([
    ["29 in a day", guessed(thirty.slice(1)), "Requested as 1, 9.50 left"],
    ["30 in a day", guessed(thirty), "GuessesLimited for 5 s"],
    ["100 since a right one", guessed([], 100), `GuessesLimited for ${blockedSeconds} s`],
    ["99 since a right one", guessed([], 99), "Requested as 1, 9.50 left"],
  ] as const)("lets a number with %s request a code, or not", (_, rows, expected) => {
    const { result, writes } = decide(rows, Samples.requestVerification(), now)
    assert.strictEqual(inWords({ result, writes: {}, events: [] }), expected)
    assert.strictEqual("account" in writes, result._tag === "Requested")
    const admitted = decide(rows, Samples.admitVerification(), now)
    assert.strictEqual(admitted.result._tag === "Admitted", result._tag === "Requested")
  })

  const table: ReadonlyArray<
    readonly [string, Partial<View>, Samples.Overrides<Command<"CheckCode">>, string]
  > = [
    ["the right code, with 30 in a day", guessed(thirty), {}, "GuessesLimited for 5 s"],
    ["a wrong code, with 30 in a day", guessed(thirty), wrong, "GuessesLimited for 5 s"],
    [
      "the right code, with 100 since a right one",
      guessed([], 100),
      {},
      `GuessesLimited for ${blockedSeconds} s`,
    ],
    [
      "the right code of a test number, with 30 in a day",
      guessed(thirty),
      { testNumbers },
      "Verified first | writes account, recipient, verification | Verified",
    ],
    [
      "a wrong code of a test number",
      guessed([]),
      { ...wrong, testNumbers },
      "WrongCode, 2 left | writes account, verification",
    ],
    [
      "a wrong code, without limits",
      guessed([]),
      { ...wrong, limits: { guessesPerNumber: undefined, guessesSinceSuccess: undefined } },
      "WrongCode, 2 left | writes account, verification",
    ],
  ]
  it.each(table)("decides on %s", (_, rows, command, expected) => {
    const decision = decide(requested(rows), Samples.checkCode(command), now)
    assert.strictEqual(inWords(decision), expected)
  })

  it("refuses a request of any state, at the place of the organization's window", () => {
    for (const verification of [
      Samples.verification({ status: "failed" }),
      Samples.verification({ status: "verified", verifiedAt: now }),
      Samples.verification({ expiresAt: now }),
    ]) {
      const rows = { ...guessed(thirty), verification }
      assert.strictEqual(decide(rows, Samples.checkCode(), now).result._tag, "GuessesLimited")
    }
    const checks = Array.from({ length: 20 }, () => now)
    const full = { ...guessed(thirty), account: { ...account, checks } }
    const limited = decide(requested(full), Samples.checkCode(), now)
    assert.deepStrictEqual(limited, {
      result: { _tag: "Limited", retryAfterSeconds: 60 },
      writes: {},
      events: [],
    })
  })

  it("is forgotten when the host resets it, with nothing else", () => {
    const reset = Samples.resetGuesses()
    const rows = guessed(thirty, 100)
    const { writes } = decide(rows, reset, now)
    const guesses = { window: [], sinceSuccess: 0 }
    assert.deepStrictEqual(writes.recipient, { ...rows.recipient, guesses })
    assert.strictEqual(
      decide({ account, recipient: writes.recipient }, Samples.requestVerification(), now).result
        ._tag,
      "Requested",
    )
    assert.strictEqual(inWords(decide({ account }, reset, now)), "GuessesReset")
  })

  it("fits the documented ten requests with three attempts each", () => {
    const { attempts, guessesPerNumber, sendsPerNumber } = defaults
    assert.deepStrictEqual(
      [attempts, guessesPerNumber, sendsPerNumber],
      [3, { max: 3 * 10, windowMillis: day }, { max: 10, windowMillis: 60_000 }],
    )
  })
})
