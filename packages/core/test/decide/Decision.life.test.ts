import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, money, now, organizationId, phoneNumber, recipient, requestId, verification } =
  Samples

const rich = account({ balance: money("10") })
const pending = verification({ purpose: "login" })
const verified = verification({ status: "verified", verifiedAt: now - 5, purpose: "login" })
const consumed = verification({ status: "verified", verifiedAt: now - 5, consumedAt: now - 1 })
const failed = verification({ status: "failed", purpose: "login" })
const expired = { ...pending, expiresAt: now }
const place = { requestId: requestId(), until: now + 300_000 }
const other = { requestId: requestId(2), until: now + 300_000 }

interface Row<C = never> {
  readonly given: string
  readonly rows: Partial<View>
  readonly command?: Samples.Overrides<C>
  readonly ends: string
}

const about = {
  organization: organizationId,
  at: now,
  requestId: requestId(),
  phoneNumber: phoneNumber(),
  metadata: null,
}

describe("CancelVerification", () => {
  const table: ReadonlyArray<Row> = [
    { given: "no account", rows: { verification: pending }, ends: "NoAccount" },
    {
      given: "an older copy of the settings",
      rows: { account: account({ version: 2 }), verification: pending },
      ends: "Stale",
    },
    { given: "no such request", rows: { account: rich }, ends: "NotFound" },
    {
      given: "a pending request",
      rows: { account: rich, verification: pending },
      ends: "Cancelled | writes account, recipient, verification | Cancelled",
    },
    {
      given: "a request in its last millisecond",
      rows: { account: rich, verification: { ...pending, expiresAt: now + 1 } },
      ends: "Cancelled | writes account, recipient, verification | Cancelled",
    },
    { given: "a failed request", rows: { account: rich, verification: failed }, ends: "Cancelled" },
    {
      given: "a verified request",
      rows: { account: rich, verification: verified },
      ends: "AlreadyVerified",
    },
    {
      given: "an expired request",
      rows: { account: rich, verification: expired },
      ends: "Expired | writes account",
    },
  ]
  it.each(table)("with $given: $ends", ({ ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.cancelVerification(), now)), ends)
  })

  it("frees the place among the pending requests, and erases the sealed code", () => {
    const rows = {
      account: rich,
      verification: pending,
      recipient: recipient({ pending: [place, other], sends: [now - 9] }),
    }
    const { events, outcome, writes } = decide(rows, Samples.cancelVerification(), now)
    assert.deepStrictEqual(outcome, { _tag: "Cancelled", phoneNumber: phoneNumber() })
    assert.deepStrictEqual<unknown>(writes.verification, {
      ...pending,
      status: "failed",
      sealed: null,
    })
    // The request still counts in the window.
    assert.deepStrictEqual(writes.recipient, { ...rows.recipient, pending: [other] })
    assert.deepStrictEqual(events, [{ _tag: "Cancelled", ...about, purpose: "login" }])
  })
})

describe("ConsumeVerification", () => {
  const uses = "Consumed | writes account, verification | Consumed"
  const table: ReadonlyArray<Row<Command<"ConsumeVerification">>> = [
    { given: "no account", rows: { verification: verified }, ends: "NoAccount" },
    {
      given: "an older copy of the settings",
      rows: { account: account({ version: 2 }), verification: verified },
      ends: "Stale",
    },
    { given: "no such request", rows: { account: rich }, ends: "NotFound" },
    { given: "a verified request", rows: { account: rich, verification: verified }, ends: uses },
    {
      given: "the request's purpose",
      rows: { account: rich, verification: verified },
      command: { purpose: "login" },
      ends: uses,
    },
    {
      given: "another purpose",
      rows: { account: rich, verification: verified },
      command: { purpose: "payment" },
      ends: "NotFound",
    },
    {
      given: "a purpose, and a request without one",
      rows: { account: rich, verification: consumed },
      command: { purpose: "login" },
      ends: "NotFound",
    },
    {
      given: "a consumed request",
      rows: { account: rich, verification: consumed },
      ends: "AlreadyConsumed",
    },
    {
      given: "a verified request, long after its expiry",
      rows: { account: rich, verification: { ...verified, expiresAt: now - 1 } },
      ends: uses,
    },
    {
      given: "a verified request, long after its expiry, for a payment",
      rows: { account: rich, verification: { ...verified, expiresAt: now - 1 } },
      command: { purpose: "payment", profile: "nist" },
      ends: "NotFound",
    },
    {
      given: "a verification before its end, under nist",
      rows: { account: rich, verification: { ...verified, expiresAt: now + 1 } },
      command: { profile: "nist" },
      ends: uses,
    },
    {
      given: "a verification at its end, under nist",
      rows: { account: rich, verification: { ...verified, expiresAt: now } },
      command: { profile: "nist" },
      ends: "Expired | writes account",
    },
    {
      given: "a verified request that was made later, under a wrong clock and nist",
      rows: { account: rich, verification: { ...verified, createdAt: now + 1 } },
      command: { profile: "nist" },
      ends: "Expired | writes account",
    },
    {
      given: "a consumed request at its expiry, under nist",
      rows: { account: rich, verification: { ...consumed, expiresAt: now } },
      command: { profile: "nist" },
      ends: "AlreadyConsumed",
    },
    {
      given: "a pending request",
      rows: { account: rich, verification: pending },
      ends: "NotVerified",
    },
    {
      given: "a failed request",
      rows: { account: rich, verification: failed },
      ends: "AlreadyFailed",
    },
    {
      given: "an expired request",
      rows: { account: rich, verification: expired },
      ends: "Expired | writes account",
    },
    {
      given: "another purpose, and an expired request",
      rows: { account: rich, verification: expired },
      command: { purpose: "payment" },
      ends: "NotFound",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.consumeVerification(command), now)), ends)
  })

  it("writes its time once, and returns the request", () => {
    const rows = { account: rich, verification: verified }
    const { events, outcome, writes } = decide(rows, Samples.consumeVerification(), now)
    const times = { verifiedAt: now - 5, consumedAt: now }
    const after = verification({ status: "verified", purpose: "login", ...times })
    assert.deepStrictEqual(outcome, {
      _tag: "Consumed",
      verification: after,
      ...times,
    })
    assert.deepStrictEqual(writes.verification, after)
    assert.deepStrictEqual(events, [{ _tag: "Consumed", ...about, purpose: "login" }])
    const again = { ...rows, verification: writes.verification }
    assert.strictEqual(
      inWords(decide(again, Samples.consumeVerification(), now + 1)),
      "AlreadyConsumed",
    )
  })
})

describe("CheckCode with a purpose", () => {
  const closing = "Verified first | writes account, recipient, verification | Verified"
  const wrong = { candidates: [Samples.codeOf("wrong")] }
  const table: ReadonlyArray<Row<Command<"CheckCode">>> = [
    {
      given: "the request's purpose",
      rows: { account: rich, verification: pending },
      command: { purpose: "login" },
      ends: closing,
    },
    {
      given: "no purpose, and a request with one",
      rows: { account: rich, verification: pending },
      ends: closing,
    },
    {
      given: "another purpose, and the right code",
      rows: { account: rich, verification: pending },
      command: { purpose: "payment" },
      ends: "NotFound | writes account",
    },
    {
      given: "another purpose, and a wrong code",
      rows: { account: rich, verification: pending },
      command: { purpose: "payment", ...wrong },
      ends: "NotFound | writes account",
    },
    {
      given: "a purpose, and a request without one",
      rows: { account: rich, verification: verification() },
      command: { purpose: "login" },
      ends: "NotFound | writes account",
    },
    {
      given: "another purpose, and a verified request",
      rows: { account: rich, verification: verified },
      command: { purpose: "payment" },
      ends: "NotFound | writes account",
    },
    {
      given: "the request's purpose, and a wrong code",
      rows: { account: rich, verification: pending },
      command: { purpose: "login", ...wrong },
      ends: "WrongCode, 2 left | writes account, recipient, verification",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.checkCode(command), now)), ends)
  })

  it("erases the sealed code when the request is verified, and when its attempts are used up", () => {
    const right = decide({ account: rich, verification: pending }, Samples.checkCode(), now)
    assert.deepInclude(right.writes.verification, { status: "verified", sealed: null })
    const last = { ...pending, attemptsRemaining: 1 }
    const failing = decide({ account: rich, verification: last }, Samples.checkCode(wrong), now)
    assert.deepInclude(failing.writes.verification, { status: "failed", sealed: null })
  })
})
