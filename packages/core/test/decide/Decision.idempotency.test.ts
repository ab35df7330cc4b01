import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, idempotencyKey, idempotentCall, money, now, verification } = Samples

interface Row {
  readonly given: string
  readonly rows: Partial<View>
  readonly command: Command
  readonly at?: number
  readonly ends: string
}

const rich = account({ balance: money("10"), lastMessage: 1 })
const idempotency = idempotentCall()
const other = idempotentCall("key", "another call")
const used = idempotencyKey()

const table: ReadonlyArray<Row> = [
  {
    given: "a message with a new key",
    rows: { account: rich },
    command: Samples.holdMessage({ idempotency }),
    ends: "Held as 2, 9.50 left | writes account, idempotencyKey, message, hold",
  },
  {
    given: "a message without a key",
    rows: { account: rich },
    command: Samples.holdMessage(),
    ends: "Held as 2, 9.50 left | writes account, message, hold",
  },
  {
    given: "a message that the balance does not cover",
    rows: { account: account() },
    command: Samples.holdMessage({ idempotency }),
    ends: "Insufficient: 0.50 of 0.00 | writes account",
  },
  {
    given: "a repeat",
    rows: { account: rich, idempotencyKey: used },
    command: Samples.holdMessage({ idempotency }),
    ends: "Repeated",
  },
  {
    given: "a repeat that the balance would not cover",
    rows: { account: account(), idempotencyKey: used },
    command: Samples.holdMessage({ idempotency }),
    ends: "Repeated",
  },
  {
    given: "a repeat with an older copy of the settings",
    rows: { account: account({ version: 2 }), idempotencyKey: used },
    command: Samples.holdMessage({ idempotency }),
    ends: "Stale",
  },
  {
    given: "another call with the key",
    rows: { account: rich, idempotencyKey: used },
    command: Samples.holdMessage({ idempotency: other }),
    ends: "IdempotencyMismatch",
  },
  {
    given: "another call, a millisecond before the key expires",
    rows: { account: rich, idempotencyKey: used },
    command: Samples.holdMessage({ idempotency: other }),
    at: used.expiresAt - 1,
    ends: "IdempotencyMismatch",
  },
  {
    given: "another call when the key expires",
    rows: { account: rich, idempotencyKey: used },
    command: Samples.holdMessage({ idempotency: other }),
    at: used.expiresAt,
    ends: "Held as 2, 9.50 left | writes account, idempotencyKey, message, hold",
  },
  {
    given: "a consumption with a new key",
    rows: { account: rich, verification: verification({ status: "verified", verifiedAt: now }) },
    command: Samples.consumeVerification({ idempotency }),
    ends: "Consumed | writes account, idempotencyKey, verification | Consumed",
  },
  {
    given: "a consumption of a request that another call has consumed",
    rows: {
      account: rich,
      verification: verification({ status: "verified", verifiedAt: now, consumedAt: now }),
    },
    command: Samples.consumeVerification({ idempotency }),
    ends: "AlreadyConsumed",
  },
  {
    given: "the right code that uses a request up, with a new key",
    rows: { account: rich, verification: verification() },
    command: Samples.verifyCode({ idempotency }),
    ends: "Consumed | writes account, idempotencyKey, recipient, verification | Verified, Consumed",
  },
  {
    given: "a repeat of the right code that has used a request up",
    rows: {
      account: rich,
      verification: verification({ status: "verified", verifiedAt: now, consumedAt: now }),
      idempotencyKey: used,
    },
    command: Samples.verifyCode({ idempotency }),
    ends: "Repeated",
  },
  {
    given: "a repeat with another code",
    rows: {
      account: rich,
      verification: verification({ status: "verified", verifiedAt: now, consumedAt: now }),
      idempotencyKey: used,
    },
    command: Samples.verifyCode({ idempotency: other }),
    ends: "IdempotencyMismatch",
  },
  {
    given: "a wrong code that would use a request up, which is judged again when it is repeated",
    rows: { account: rich, verification: verification() },
    command: Samples.verifyCode({ idempotency, candidates: [Samples.codeOf("wrong")] }),
    ends: "WrongCode, 2 left | writes account, recipient, verification",
  },
  {
    given: "an answer to a call that had no effect",
    rows: { account: rich },
    command: Samples.recordAnswer(),
    ends: "NotFound",
  },
  {
    given: "the first answer",
    rows: { account: rich, idempotencyKey: used },
    command: Samples.recordAnswer(),
    ends: "Answered | writes account, idempotencyKey",
  },
  {
    given: "a second answer",
    rows: { account: rich, idempotencyKey: { ...used, answer: "first" } },
    command: Samples.recordAnswer({ answer: "second" }),
    ends: "Answered",
  },
]

describe("a call with an idempotency key", () => {
  it.each(table)("$given: $ends", ({ at = now, command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, command, at)), ends)
  })
})
