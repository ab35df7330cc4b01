import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { decide, inWords } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

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

const about = {
  organization: organizationId,
  at: now,
  requestId: requestId(),
  phoneNumber: phoneNumber(),
  metadata: null,
}

describe("CancelVerification", () => {
  decides(Samples.cancelVerification, { verification: pending, account: rich }, [
    ["no such request", "NotFound", { verification: undefined }],
    ["a pending request", "Cancelled | writes account, recipient, verification | Cancelled"],
    [
      "a request in its last millisecond",
      "Cancelled | writes account, recipient, verification | Cancelled",
      { verification: { ...pending, expiresAt: now + 1 } },
    ],
    ["a failed request", "Cancelled", { verification: failed }],
    ["a verified request", "AlreadyVerified", { verification: verified }],
    ["an expired request", "Expired | writes account", { verification: expired }],
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
  decides(Samples.consumeVerification, { verification: verified, account: rich }, [
    ["no such request", "NotFound", { verification: undefined }],
    ["a verified request", uses],
    ["the request's purpose", uses, {}, { purpose: "login" }],
    ["another purpose", "NotFound", {}, { purpose: "payment" }],
    [
      "a purpose, and a request without one",
      "NotFound",
      { verification: consumed },
      { purpose: "login" },
    ],
    ["a consumed request", "AlreadyConsumed", { verification: consumed }],
    [
      "a verified request, long after its expiry",
      uses,
      { verification: { ...verified, expiresAt: now - 1 } },
    ],
    [
      "a verified request, long after its expiry, for a payment",
      "NotFound",
      { verification: { ...verified, expiresAt: now - 1 } },
      { purpose: "payment", profile: "nist" },
    ],
    [
      "a verification before its end, under nist",
      uses,
      { verification: { ...verified, expiresAt: now + 1 } },
      { profile: "nist" },
    ],
    [
      "a verification at its end, under nist",
      "Expired | writes account",
      { verification: { ...verified, expiresAt: now } },
      { profile: "nist" },
    ],
    [
      "a verified request that was made later, under a wrong clock and nist",
      "Expired | writes account",
      { verification: { ...verified, createdAt: now + 1 } },
      { profile: "nist" },
    ],
    [
      "a consumed request at its expiry, under nist",
      "AlreadyConsumed",
      { verification: { ...consumed, expiresAt: now } },
      { profile: "nist" },
    ],
    ["a pending request", "NotVerified", { verification: pending }],
    ["a failed request", "AlreadyFailed", { verification: failed }],
    ["an expired request", "Expired | writes account", { verification: expired }],
    [
      "another purpose, and an expired request",
      "NotFound",
      { verification: expired },
      { purpose: "payment" },
    ],
  ])

  it("writes its time once, and returns the request", () => {
    const rows = { account: rich, verification: verified }
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
  decides(Samples.checkCode, { account: rich, verification: pending }, [
    ["the request's purpose", closing, {}, { purpose: "login" }],
    ["no purpose, and a request with one", closing],
    [
      "another purpose, and the right code",
      "NotFound | writes account",
      {},
      { purpose: "payment" },
    ],
    [
      "another purpose, and a wrong code",
      "NotFound | writes account",
      {},
      { purpose: "payment", ...wrong },
    ],
    [
      "a purpose, and a request without one",
      "NotFound | writes account",
      { verification: verification() },
      { purpose: "login" },
    ],
    [
      "another purpose, and a verified request",
      "NotFound | writes account",
      { verification: verified },
      { purpose: "payment" },
    ],
    [
      "the request's purpose, and a wrong code",
      "WrongCode, 2 left | writes account, recipient, verification",
      {},
      { purpose: "login", ...wrong },
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
