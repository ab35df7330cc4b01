import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { decide, inWords } from "../support/transcript.ts"
import { decides, type Row } from "../support/decisionTable.ts"

const { account, message, messageId, money, recipient, requestId, verification } = Samples

/** The end of the cooldown of a code that was sent at the time of the samples. */
const now = Samples.now + 30_000

const rich = account({ balance: money("10"), lastMessage: 1 })
const poor = account({ balance: money("0.4999"), lastMessage: 1 })
const pending = verification()
const delivered = message({ status: "delivered", hold: "captured", dueAt: null })
const full = recipient({ sends: Array.from({ length: 10 }, (_, index) => now - 10 + index) })
const justSent = { verification: { ...pending, sentAt: now } }
const open = { account: rich, verification: pending, carrier: delivered }

const verified = verification({ status: "verified", verifiedAt: now })
const failed = verification({ status: "failed" })
const expired = verification({ expiresAt: now })

/** Why a code is not sent again, in the order of the checks. */
const refusals: ReadonlyArray<Row<Pick<Samples.Overrides<Command<"AdmitResend">>, "limits">>> = [
  ["no such request", "NotFound", { verification: undefined }],
  ["a verified request", "AlreadyVerified", { verification: verified }],
  ["a failed request", "AlreadyFailed", { verification: failed }],
  ["an expired request", "Expired | writes account", { verification: expired }],
  [
    "as many resends as are allowed",
    "ResendsExhausted",
    { verification: { ...pending, resends: 3, sentAt: now } },
  ],
  ["a limit of no resends", "ResendsExhausted", {}, { limits: { resends: 0 } }],
  [
    "a code that was sent just now, and a full window",
    "Cooldown for 30 s",
    { ...justSent, recipient: full },
  ],
  [
    "a millisecond of the cooldown left",
    "Cooldown for 1 s",
    { verification: { ...pending, sentAt: Samples.now + 1 } },
  ],
  [
    "a code that was sent later, under a wrong clock",
    "Cooldown for 30 s",
    { verification: { ...pending, sentAt: now + 900_000 } },
  ],
  ["a full window", "Limited for 60 s", { recipient: full }],
  [
    "a used-up budget of wrong codes",
    "GuessesLimited for 86400 s",
    { recipient: recipient({ guesses: { window: [], sinceSuccess: 100 } }) },
  ],
]

describe("AdmitResend", () => {
  const admitted = "Admitted | writes account, recipient, verification"
  const table: typeof refusals = [
    ...refusals,
    ["the end of the cooldown", admitted],
    [
      "no cooldown, and a code that was sent just now",
      admitted,
      justSent,
      { limits: { resendCooldownMillis: 0 } },
    ],
    ["no money", admitted, { account: poor }],
    ["one resend left", admitted, { verification: { ...pending, resends: 2 } }],
  ]
  decides(Samples.admitResend, open, table, now)

  it("begins the cooldown and counts in the number's window, but not as a resend", () => {
    const { writes } = decide(open, Samples.admitResend(), now)
    assert.deepStrictEqual(writes.verification, { ...pending, sentAt: now })
    assert.deepStrictEqual(writes.recipient?.sends, [now])
  })
})

describe("ResendVerification", () => {
  const charged =
    "Resent as 2, 9.50 left | writes account, followed, message, recipient, verification, hold"
  const table: typeof refusals = [
    ...refusals,
    ["the end of the cooldown", charged],
    ["one resend left", charged, { verification: { ...pending, resends: 2 } }],
    [
      "nine requests in the window",
      charged,
      { recipient: { ...full, sends: full.sends.slice(1) } },
    ],
    [
      "a message that the log no longer has",
      "Resent as 2, 9.50 left | writes account, message, recipient, verification, hold",
      { carrier: undefined },
    ],
    ["no money", "Insufficient: 0.50 of 0.4999 | writes account, recipient", { account: poor }],
    [
      "a cap that leaves no room",
      "Capped | writes account, recipient",
      {},
      { limits: { spendPerDay: money("0.4999") } },
    ],
  ]
  decides(Samples.resendVerification, open, table, now)

  it("points the request to the new message, and keeps its code, expiry, attempts and place", () => {
    const before = { ...pending, attemptsRemaining: 2, resends: 1 }
    const place = recipient({ pending: [{ requestId: requestId(), until: before.expiresAt }] })
    const rows = { ...open, verification: before, recipient: place }
    const { writes } = decide(rows, Samples.resendVerification(), now)
    assert.deepStrictEqual(writes.verification, {
      ...before,
      messageSequence: 2,
      earlierMessages: [1],
      mayHaveArrived: true,
      resends: 2,
      sentAt: now,
    })
    assert.deepStrictEqual(writes.recipient, { ...place, sends: [now] })
    assert.deepInclude(writes.message, {
      sequence: 2,
      id: messageId(2),
      requestId: requestId(),
      phoneNumber: pending.phoneNumber,
      status: "pending",
    })
  })

  it("remembers that an earlier message may have arrived, unless all were lost", () => {
    const lost = message({ status: "rejected", hold: "released", dueAt: null })
    const mayHaveArrived = (rows: Partial<View>) =>
      decide({ ...open, ...rows }, Samples.resendVerification(), now).writes.verification
        ?.mayHaveArrived
    assert.strictEqual(mayHaveArrived({ carrier: lost }), false)
    assert.strictEqual(mayHaveArrived({ carrier: { ...lost, status: "undelivered" } }), false)
    assert.strictEqual(mayHaveArrived({ carrier: { ...lost, status: "unknown" } }), true)
    const before = { ...pending, mayHaveArrived: true }
    assert.strictEqual(mayHaveArrived({ carrier: lost, verification: before }), true)
  })

  it("is denied for a prefix under suspicion, without a charge", () => {
    const rules = Samples.fraudRules({ maxSent: 0 })
    const rows = { ...open, verification: { ...pending, prefix: "88017" } }
    const denied = decide(rows, Samples.resendVerification({ rules }), now)
    assert.strictEqual(
      inWords(denied),
      "Suspected | writes account, findings, prefixStats, recipient | FraudSuspected",
    )
  })
})
