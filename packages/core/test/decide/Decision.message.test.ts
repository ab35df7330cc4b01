import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { needs } from "../../src/decide/Needs.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { decide } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, message, money, now, recipient, requestId, verification } = Samples

const limits = { messagesPerOrganization: { max: 2, windowMillis: 60_000 } }
const rich = account({ balance: money("10") })
const full = account({ balance: money("10"), sends: [now - 1_000, now] })

describe("AdmitMessage", () => {
  decides(Samples.admitMessage, {}, [
    ["a full window", "Limited for 59 s", { account: full }, { limits }],
    ["room in the window", "Admitted | writes account", { account: rich }, { limits }],
    ["no limit", "Admitted | writes account", { account: full }],
  ])
})

describe("HoldMessage", () => {
  decides(Samples.holdMessage, {}, [
    [
      "a full window and no money",
      "Limited for 59 s",
      { account: { ...full, balance: Money.zero } },
      { limits },
    ],
    ["no money", "Insufficient: 0.50 of 0.00 | writes account", { account: account() }, { limits }],
    [
      "just enough money",
      "Held as 1, 0.00 left | writes account, message, hold",
      { account: account({ balance: money("0.5") }) },
    ],
    [
      "a full window that it was counted in before",
      "Held as 1, 9.50 left | writes account, message, hold",
      { account: full },
      { limits, isCounted: true },
    ],
    [
      "no money, for a message that costs nothing",
      "Held as 1, 0.00 left | writes account, message",
      { account: account() },
      { draft: { charge: Money.zero } },
    ],
  ])

  it("marks a message that costs nothing as having no hold", () => {
    const free = Samples.holdMessage({ draft: { charge: Money.zero } })
    assert.strictEqual(decide({ account: rich }, free, now).writes.message?.hold, "none")
  })
})

const held = account({ balance: money("9.5"), held: money("0.5"), entries: 2, lastMessage: 1 })
const outcomes = {
  Accepted: { _tag: "Accepted", gatewayId: "gw-1" },
  Delivered: { _tag: "Delivered", gatewayId: "gw-1" },
  Rejected: { _tag: "Rejected", reason: "recipient", message: "barred" },
  Throttled: { _tag: "Throttled", message: "too fast" },
  NotSent: { _tag: "NotSent", message: "no route" },
  Unknown: { _tag: "Unknown", message: "no answer" },
} satisfies Record<GatewayOutcome["_tag"], GatewayOutcome>

describe("RecordDispatch", () => {
  const dispatched = { account: held, message: message() }
  const code = {
    account: held,
    message: message({ requestId: requestId() }),
    verification: verification(),
    recipient: recipient({ pending: [{ requestId: requestId(), until: now + 300_000 }] }),
  }
  const verified = { ...code, verification: verification({ status: "verified", verifiedAt: now }) }
  const closed = {
    account: account({ balance: money("9.5") }),
    message: message({ status: "delivered", hold: "captured", dueAt: null }),
  }
  const expired = { ...code, verification: verification({ expiresAt: now }) }
  const ends = (status: string, rows: string, events: string, left = "9.50") =>
    `Recorded ${status}, ${left} left | writes account, ${rows}${events && ` | ${events}`}`
  const sent = "VerificationSent"
  const unchanged = ends("delivered", "message", "")
  const captured = ends("delivered", "message, capture", "MessageSettled delivered")
  const refunded = (status: string, rows = "message", events = "") =>
    ends(status, `${rows}, release`, `MessageSettled ${status}, Refunded 0.50${events}`, "10.00")
  const failed = (status: string) =>
    refunded(status, "message, recipient, verification", ", Failed by sending")
  const of = (outcome: GatewayOutcome) => ({ requestId: requestId(), outcome })
  const after = (status: "delivered" | "undelivered" | "failed") => {
    const hold = status === "delivered" ? "captured" : "released"
    return { ...code, ...closed, message: { ...code.message, status, hold, dueAt: null } as const }
  }
  const { Accepted, Delivered, NotSent, Rejected, Throttled, Unknown } = outcomes

  decides(Samples.recordDispatch, dispatched, [
    ["no such message", "NotFound", { message: undefined }],
    ["an older dispatch", "Fenced", { message: message({ dispatchNumber: 2 }) }],
    ["accepted", ends("accepted", "gatewayId, message", "")],
    ["accepted by a gateway that never reports", captured, {}, { hasReports: false }],
    ["delivered", captured, {}, { outcome: Delivered }],
    ["rejected", refunded("rejected"), {}, { outcome: Rejected }],
    ["not sent", refunded("failed"), {}, { outcome: NotSent }],
    ["throttled", refunded("failed"), {}, { outcome: Throttled }],
    ["an unknown outcome", ends("unknown", "message", ""), {}, { outcome: Unknown }],
    [
      "a free message that was rejected",
      ends("rejected", "message", "MessageSettled rejected", "10.00"),
      { account: rich, message: message({ charge: Money.zero, hold: "none" }) },
      { outcome: Rejected },
    ],
    ["a report that came first and agrees", unchanged, closed, { outcome: Delivered }],
    ["a report that came first and disagrees", unchanged, closed, { outcome: Rejected }],
    ["a code that was accepted", ends("accepted", "gatewayId, message", sent), code, of(Accepted)],
    ["a code that was delivered", `${captured}, ${sent}`, code, of(Delivered)],
    ["a code whose fate is unknown", ends("unknown", "message", sent), code, of(Unknown)],
    ["a code that was rejected", failed("rejected"), code, of(Rejected)],
    ["a code that was not sent", failed("failed"), code, of(NotSent)],
    ["an unsent code whose request has expired", refunded("failed"), expired, of(NotSent)],
    [
      "a code that was not sent, by the word of a gateway that has reported it delivered",
      ends("delivered", "message", sent),
      after("delivered"),
      of(NotSent),
    ],
    [
      "a code that was rejected, by the word of a gateway that has reported it undelivered",
      ends("undelivered", "message", sent),
      after("undelivered"),
      of(Rejected),
    ],
    [
      "a code that was not sent, as its gateway has reported before",
      ends("failed", "message, recipient, verification", "Failed by sending"),
      after("failed"),
      of(NotSent),
    ],
    ["a rejected code that was verified", refunded("rejected"), verified, of(Rejected)],
  ])

  it("reads no request for an outcome that cannot fail it, if the command has its part of the event", () => {
    const request = { purpose: "login", metadata: '{"cart":7}' }
    const rows = { account: held, message: code.message }
    const given = { requestId: requestId(), verification: request }
    for (const outcome of [outcomes.Accepted, outcomes.Unknown]) {
      const command = Samples.recordDispatch({ ...given, outcome })
      assert.deepStrictEqual(needs(command), { messageSequence: 1 })
      const reading = Samples.recordDispatch({ requestId: requestId(), outcome })
      const withRow = { ...rows, verification: verification(request) }
      assert.deepStrictEqual(decide(rows, command, now), decide(withRow, reading, now))
    }
    const unsent = needs(Samples.recordDispatch({ ...given, outcome: outcomes.NotSent }))
    assert.strictEqual(unsent.requestId, requestId())
  })

  it("records the same outcome twice without moving money twice", () => {
    for (const outcome of Object.values(outcomes)) {
      const command = Samples.recordDispatch({ outcome })
      const first = decide(dispatched, command, now)
      const second = decide(
        { account: first.writes.account, message: first.writes.message },
        command,
        now,
      )
      assert.deepStrictEqual<object>(second.result, { ...first.result, settled: undefined })
      assert.deepStrictEqual(second.writes.entries, [])
      assert.deepStrictEqual(second.writes.message, first.writes.message)
    }
  })
})
