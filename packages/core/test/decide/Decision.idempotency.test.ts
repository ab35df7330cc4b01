import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, idempotencyKey, idempotentCall, money, now, verification } = Samples

const rich = account({ balance: money("10"), lastMessage: 1 })
const idempotency = idempotentCall()
const other = idempotentCall("key", "another call")
const used = idempotencyKey()

const repeated = { idempotencyKey: used }
const verified = { status: "verified", verifiedAt: now } as const
const pending = { verification: verification() }
const consumed = { verification: verification({ ...verified, consumedAt: now }) }
const held = "Held as 2, 9.50 left | writes account, idempotencyKey, message, hold"
const holding = Samples.holdMessage({ idempotency })
const holdingOther = Samples.holdMessage({ idempotency: other })

/** The rows beside the account, and the time if it is another. */
const table: ReadonlyArray<
  readonly [given: string, ends: string, Command, rows?: Partial<View>, at?: number]
> = [
  ["a message with a new key", held, holding],
  [
    "a message without a key",
    "Held as 2, 9.50 left | writes account, message, hold",
    Samples.holdMessage(),
  ],
  [
    "a message that the balance does not cover",
    "Insufficient: 0.50 of 0.00 | writes account",
    holding,
    { account: account() },
  ],
  ["a repeat", "Repeated", holding, repeated],
  [
    "a repeat that the balance would not cover",
    "Repeated",
    holding,
    { account: account(), ...repeated },
  ],
  [
    "a repeat with an older copy of the settings",
    "Stale",
    holding,
    { account: account({ version: 2 }), ...repeated },
  ],
  ["another call with the key", "IdempotencyMismatch", holdingOther, repeated],
  [
    "another call, a millisecond before the key expires",
    "IdempotencyMismatch",
    holdingOther,
    repeated,
    used.expiresAt - 1,
  ],
  ["another call when the key expires", held, holdingOther, repeated, used.expiresAt],
  [
    "a consumption with a new key",
    "Consumed | writes account, idempotencyKey, verification | Consumed",
    Samples.consumeVerification({ idempotency }),
    { verification: verification(verified) },
  ],
  [
    "a consumption of a request that another call has consumed",
    "AlreadyConsumed",
    Samples.consumeVerification({ idempotency }),
    consumed,
  ],
  [
    "the right code that uses a request up, with a new key",
    "Consumed | writes account, idempotencyKey, recipient, verification | Verified, Consumed",
    Samples.verifyCode({ idempotency }),
    pending,
  ],
  [
    "a repeat of the right code that has used a request up",
    "Repeated",
    Samples.verifyCode({ idempotency }),
    { ...consumed, ...repeated },
  ],
  [
    "a repeat with another code",
    "IdempotencyMismatch",
    Samples.verifyCode({ idempotency: other }),
    { ...consumed, ...repeated },
  ],
  [
    "a wrong code that would use a request up, which is judged again when it is repeated",
    "WrongCode, 2 left | writes account, recipient, verification",
    Samples.verifyCode({ idempotency, candidates: [Samples.codeOf("wrong")] }),
    pending,
  ],
  ["an answer to a call that had no effect", "NotFound", Samples.recordAnswer()],
  [
    "the first answer",
    "Answered | writes account, idempotencyKey",
    Samples.recordAnswer(),
    repeated,
  ],
  [
    "a second answer",
    "Answered",
    Samples.recordAnswer({ answer: "second" }),
    { idempotencyKey: { ...used, answer: "first" } },
  ],
]

describe("a call with an idempotency key", () => {
  for (const [given, ends, command, rows, at = now] of table) {
    it(`${given}: ${ends}`, () => {
      assert.strictEqual(inWords(decide({ account: rich, ...rows }, command, at)), ends)
    })
  }

  it("that uses a request up leads its repeats to the request", () => {
    const { writes } = decide(
      { account: rich, ...pending },
      Samples.verifyCode({ idempotency }),
      now,
    )
    const { requestId } = pending.verification
    assert.deepInclude(writes.idempotencyKey, { messageSequence: null, requestId, answer: null })
  })
})
