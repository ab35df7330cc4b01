import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { decide, inWords } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, money, now, organizationId, phoneNumber, recipient, requestId, verification } =
  Samples

const rich = account({ balance: money("10") })
const of = (change?: Parameters<typeof verification>[0]) => ({
  verification: verification({ purpose: "login", ...change }),
})
const pending = of().verification
const verified = of({ status: "verified", verifiedAt: now - 5 })
const consumed = of({ status: "verified", verifiedAt: now - 5, consumedAt: now - 1, purpose: null })
const failed = of({ status: "failed" })
const expired = of({ expiresAt: now })
const gone = "Expired | writes account"
const login = { purpose: "login" }
const payment = { purpose: "payment" }
const place = { requestId: requestId(), until: now + 300_000 }
const other = { requestId: requestId(2), until: now + 300_000 }

const about = {
  organization: organizationId,
  at: now,
  requestId: requestId(),
  phoneNumber: phoneNumber(),
  metadata: null,
}

describe("CancelVerification", () => {
  const cancelled = "Cancelled | writes account, recipient, verification | Cancelled"
  decides(Samples.cancelVerification, { ...of(), account: rich }, [
    ["no such request", "NotFound", { verification: undefined }],
    ["a pending request", cancelled],
    ["a request in its last millisecond", cancelled, of({ expiresAt: now + 1 })],
    ["a failed request", "Cancelled", failed],
    ["a verified request", "AlreadyVerified", verified],
    ["an expired request", gone, expired],
  ])

  it("frees the place among the pending requests, and erases the sealed code", () => {
    const rows = {
      account: rich,
      verification: pending,
      recipient: recipient({ pending: [place, other], sends: [now - 9] }),
    }
    const { events, result, writes } = decide(rows, Samples.cancelVerification(), now)
    assert.deepStrictEqual(result, { _tag: "Cancelled", phoneNumber: phoneNumber() })
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
  const nist = { profile: "nist" } as const
  const times = { status: "verified", verifiedAt: now - 5 } as const
  const until = (expiresAt: number) => of({ ...times, expiresAt })
  const late = until(now - 1)
  const consumedAtEnd = { verification: { ...consumed.verification, expiresAt: now } }
  decides(Samples.consumeVerification, { ...verified, account: rich }, [
    ["no such request", "NotFound", { verification: undefined }],
    ["a verified request", uses],
    ["the request's purpose", uses, {}, login],
    ["another purpose", "NotFound", {}, payment],
    ["a purpose, and a request without one", "NotFound", consumed, login],
    ["a consumed request", "AlreadyConsumed", consumed],
    ["a verified request, long after its expiry", uses, late],
    [
      "a verified request, long after its expiry, for a payment",
      "NotFound",
      late,
      { ...payment, ...nist },
    ],
    ["a verification before its end, under nist", uses, until(now + 1), nist],
    ["a verification at its end, under nist", gone, until(now), nist],
    [
      "a verified request that was made later, under a wrong clock and nist",
      gone,
      of({ ...times, createdAt: now + 1 }),
      nist,
    ],
    ["a consumed request at its expiry, under nist", "AlreadyConsumed", consumedAtEnd, nist],
    ["a pending request", "NotVerified", of()],
    ["a failed request", "AlreadyFailed", failed],
    ["an expired request", gone, expired],
    ["another purpose, and an expired request", "NotFound", expired, payment],
  ])

  it("writes its time once, and returns the request", () => {
    const rows = { account: rich, ...verified }
    const { events, result, writes } = decide(rows, Samples.consumeVerification(), now)
    const times = { verifiedAt: now - 5, consumedAt: now }
    const after = verification({ status: "verified", purpose: "login", ...times })
    assert.deepStrictEqual(result, {
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
  const unknown = "NotFound | writes account"
  decides(Samples.checkCode, { account: rich, ...of() }, [
    ["the request's purpose", closing, {}, login],
    ["no purpose, and a request with one", closing],
    ["another purpose, and the right code", unknown, {}, payment],
    ["another purpose, and a wrong code", unknown, {}, { ...payment, ...wrong }],
    ["a purpose, and a request without one", unknown, of({ purpose: null }), login],
    ["another purpose, and a verified request", unknown, verified, payment],
    [
      "the request's purpose, and a wrong code",
      "WrongCode, 2 left | writes account, recipient, verification",
      {},
      { ...login, ...wrong },
    ],
  ])

  it("erases the sealed code when the request is verified, and when its attempts are used up", () => {
    const right = decide({ account: rich, verification: pending }, Samples.checkCode(), now)
    assert.deepInclude(right.writes.verification, { status: "verified", sealed: null })
    const last = { ...pending, attemptsRemaining: 1 }
    const failing = decide({ account: rich, verification: last }, Samples.checkCode(wrong), now)
    assert.deepInclude(failing.writes.verification, { status: "failed", sealed: null })
  })
})
