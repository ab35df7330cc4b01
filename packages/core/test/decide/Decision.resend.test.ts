import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import type { Rules } from "../../src/domain/fraud/PrefixStats.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, message, messageId, money, recipient, requestId, verification } = Samples

/** The end of the cooldown of a code that was sent at the time of the samples. */
const now = Samples.now + 30_000

const rich = account({ balance: money("10"), lastMessage: 1 })
const poor = account({ balance: money("0.4999"), lastMessage: 1 })
const pending = verification()
const delivered = message({ status: "delivered", hold: "captured", dueAt: null })
const full = recipient({ sends: Array.from({ length: 10 }, (_, index) => now - 10 + index) })
const open = { account: rich, verification: pending, carrier: delivered }

interface Row {
  readonly given: string
  readonly rows: Partial<View>
  readonly limits?: Samples.Overrides<Command<"AdmitResend">>["limits"]
  readonly ends: string
}

const verified = verification({ status: "verified", verifiedAt: now })
const failed = verification({ status: "failed" })
const expired = verification({ expiresAt: now })

/** Why a code is not sent again, in the order of the checks. */
const refusals: ReadonlyArray<Row> = [
  { given: "no account", rows: { verification: pending }, ends: "NoAccount" },
  {
    given: "an older copy of the settings, and a full window",
    rows: { ...open, account: account({ version: 2 }), recipient: full },
    ends: "Stale",
  },
  { given: "no such request", rows: { account: rich }, ends: "NotFound" },
  {
    given: "a verified request",
    rows: { ...open, verification: verified },
    ends: "AlreadyVerified",
  },
  { given: "a failed request", rows: { ...open, verification: failed }, ends: "AlreadyFailed" },
  {
    given: "an expired request",
    rows: { ...open, verification: expired },
    ends: "Expired | writes account",
  },
  {
    given: "as many resends as are allowed",
    rows: { ...open, verification: { ...pending, resends: 3, sentAt: now } },
    ends: "ResendsExhausted",
  },
  {
    given: "a limit of no resends",
    rows: open,
    limits: { resends: 0 },
    ends: "ResendsExhausted",
  },
  {
    given: "a code that was sent just now, and a full window",
    rows: { ...open, verification: { ...pending, sentAt: now }, recipient: full },
    ends: "Cooldown for 30 s",
  },
  {
    given: "a millisecond of the cooldown left",
    rows: { ...open, verification: { ...pending, sentAt: Samples.now + 1 } },
    ends: "Cooldown for 1 s",
  },
  {
    given: "a code that was sent later, under a wrong clock",
    rows: { ...open, verification: { ...pending, sentAt: now + 900_000 } },
    ends: "Cooldown for 30 s",
  },
  { given: "a full window", rows: { ...open, recipient: full }, ends: "Limited for 60 s" },
  {
    given: "a used-up budget of wrong codes",
    rows: { ...open, recipient: recipient({ guesses: { window: [], sinceSuccess: 100 } }) },
    ends: "GuessesLimited for 86400 s",
  },
]

describe("AdmitResend", () => {
  const table: ReadonlyArray<Row> = [
    ...refusals,
    {
      given: "the end of the cooldown",
      rows: open,
      ends: "Admitted | writes account, recipient, verification",
    },
    {
      given: "no cooldown, and a code that was sent just now",
      rows: { ...open, verification: { ...pending, sentAt: now } },
      limits: { resendCooldownMillis: 0 },
      ends: "Admitted | writes account, recipient, verification",
    },
    {
      given: "no money",
      rows: { ...open, account: poor },
      ends: "Admitted | writes account, recipient, verification",
    },
    {
      given: "one resend left",
      rows: { ...open, verification: { ...pending, resends: 2 } },
      ends: "Admitted | writes account, recipient, verification",
    },
  ]
  it.each(table)("with $given: $ends", ({ ends, limits = {}, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.admitResend({ limits }), now)), ends)
  })

  it("begins the cooldown and counts in the number's window, but not as a resend", () => {
    const { writes } = decide(open, Samples.admitResend(), now)
    assert.deepStrictEqual(writes.verification, { ...pending, sentAt: now })
    assert.deepStrictEqual(writes.recipient?.sends, [now])
  })
})

describe("ResendVerification", () => {
  const charged = "writes account, followed, message, recipient, verification, hold"
  const table: ReadonlyArray<Row> = [
    ...refusals,
    {
      given: "the end of the cooldown",
      rows: open,
      ends: `Resent as 2, 9.50 left | ${charged}`,
    },
    {
      given: "one resend left",
      rows: { ...open, verification: { ...pending, resends: 2 } },
      ends: `Resent as 2, 9.50 left | ${charged}`,
    },
    {
      given: "nine requests in the window",
      rows: { ...open, recipient: { ...full, sends: full.sends.slice(1) } },
      ends: `Resent as 2, 9.50 left | ${charged}`,
    },
    {
      given: "a message that the log no longer has",
      rows: { account: rich, verification: pending },
      ends: "Resent as 2, 9.50 left | writes account, message, recipient, verification, hold",
    },
    {
      given: "no money",
      rows: { ...open, account: poor },
      ends: "Insufficient: 0.50 of 0.4999 | writes account, recipient",
    },
    {
      given: "a cap that leaves no room",
      rows: open,
      limits: { spendPerDay: money("0.4999") },
      ends: "Capped | writes account, recipient",
    },
  ]
  it.each(table)("with $given: $ends", ({ ends, limits = {}, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.resendVerification({ limits }), now)), ends)
  })

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

  it("does not count in the window and skips the cooldown if it was counted before", () => {
    const admitted = decide(open, Samples.admitResend(), now).writes
    const rows = { ...open, ...admitted }
    const { outcome, writes } = decide(rows, Samples.resendVerification({ isCounted: true }), now)
    assert.deepInclude(outcome, { _tag: "Resent", resends: 1 })
    assert.deepStrictEqual(writes.recipient?.sends, [now])
  })

  it("counts in the window even if it cannot be paid, but not as a resend", () => {
    const rows = { ...open, account: poor }
    const { writes } = decide(rows, Samples.resendVerification(), now)
    assert.deepStrictEqual(writes.recipient?.sends, [now])
    assert.isUndefined(writes.verification)
  })

  it("takes over from a message that another was to follow", () => {
    const waiting = message({ status: "accepted", requestId: requestId(), followAt: now + 5_000 })
    const { writes } = decide({ ...open, carrier: waiting }, Samples.resendVerification(), now)
    assert.deepStrictEqual(writes.followed, { ...waiting, followAt: null })
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
    const rules: Rules = {
      prefixDigits: 5,
      windowMillis: 60_000,
      maxSent: 0,
      minSent: 1_000,
      minConversion: 0,
      action: "deny",
    }
    const rows = { ...open, verification: { ...pending, prefix: "88017" } }
    const denied = decide(rows, Samples.resendVerification({ rules }), now)
    assert.strictEqual(
      inWords(denied),
      "Suspected | writes account, findings, prefixStats, recipient | FraudSuspected",
    )
  })
})
