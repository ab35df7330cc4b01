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

/** The rows beside the account, and the time if it is another. */
const table: ReadonlyArray<
  readonly [given: string, ends: string, Command, rows?: Partial<View>, at?: number]
> = [
  [
    "a message with a new key",
    "Held as 2, 9.50 left | writes account, idempotencyKey, message, hold",
    Samples.holdMessage({ idempotency }),
  ],
  [
    "a message without a key",
    "Held as 2, 9.50 left | writes account, message, hold",
    Samples.holdMessage(),
  ],
  [
    "a message that the balance does not cover",
    "Insufficient: 0.50 of 0.00 | writes account",
    Samples.holdMessage({ idempotency }),
    { account: account() },
  ],
  ["a repeat", "Repeated", Samples.holdMessage({ idempotency }), { idempotencyKey: used }],
  [
    "a repeat that the balance would not cover",
    "Repeated",
    Samples.holdMessage({ idempotency }),
    { account: account(), idempotencyKey: used },
  ],
  [
    "a repeat with an older copy of the settings",
    "Stale",
    Samples.holdMessage({ idempotency }),
    { account: account({ version: 2 }), idempotencyKey: used },
  ],
  [
    "another call with the key",
    "IdempotencyMismatch",
    Samples.holdMessage({ idempotency: other }),
    { idempotencyKey: used },
  ],
  [
    "another call, a millisecond before the key expires",
    "IdempotencyMismatch",
    Samples.holdMessage({ idempotency: other }),
    { idempotencyKey: used },
    used.expiresAt - 1,
  ],
  [
    "another call when the key expires",
    "Held as 2, 9.50 left | writes account, idempotencyKey, message, hold",
    Samples.holdMessage({ idempotency: other }),
    { idempotencyKey: used },
    used.expiresAt,
  ],
  [
    "a consumption with a new key",
    "Consumed | writes account, idempotencyKey, verification | Consumed",
    Samples.consumeVerification({ idempotency }),
    { verification: verification({ status: "verified", verifiedAt: now }) },
  ],
  [
    "a consumption of a request that another call has consumed",
    "AlreadyConsumed",
    Samples.consumeVerification({ idempotency }),
    { verification: verification({ status: "verified", verifiedAt: now, consumedAt: now }) },
  ],
  [
    "the right code that uses a request up, with a new key",
    "Consumed | writes account, idempotencyKey, recipient, verification | Verified, Consumed",
    Samples.verifyCode({ idempotency }),
    { verification: verification() },
  ],
  [
    "a repeat of the right code that has used a request up",
    "Repeated",
    Samples.verifyCode({ idempotency }),
    {
      verification: verification({ status: "verified", verifiedAt: now, consumedAt: now }),
      idempotencyKey: used,
    },
  ],
  [
    "a repeat with another code",
    "IdempotencyMismatch",
    Samples.verifyCode({ idempotency: other }),
    {
      verification: verification({ status: "verified", verifiedAt: now, consumedAt: now }),
      idempotencyKey: used,
    },
  ],
  [
    "a wrong code that would use a request up, which is judged again when it is repeated",
    "WrongCode, 2 left | writes account, recipient, verification",
    Samples.verifyCode({ idempotency, candidates: [Samples.codeOf("wrong")] }),
    { verification: verification() },
  ],
  ["an answer to a call that had no effect", "NotFound", Samples.recordAnswer()],
  [
    "the first answer",
    "Answered | writes account, idempotencyKey",
    Samples.recordAnswer(),
    { idempotencyKey: used },
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
})
