import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { needs } from "../../src/decide/Needs.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { decide } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, message, money, now, recipient, requestId, verification } = Samples

const limit = { max: 2, windowMillis: 60_000 }
const rich = account({ balance: money("10") })
const full = account({ balance: money("10"), sends: [now - 1_000, now] })

describe("AdmitMessage", () => {
  decides(Samples.admitMessage, {}, [
    ["no account", "NoAccount"],
    ["an older copy of the settings", "Stale", { account: account({ version: 2 }) }],
    [
      "a full window",
      "Limited for 59 s",
      { account: full },
      { limits: { messagesPerOrganization: limit } },
    ],
    [
      "room in the window",
      "Admitted | writes account",
      { account: rich },
      { limits: { messagesPerOrganization: limit } },
    ],
    ["no limit", "Admitted | writes account", { account: full }],
  ])
})

describe("HoldMessage", () => {
  decides(Samples.holdMessage, {}, [
    ["no account", "NoAccount"],
    [
      "an older copy of the settings",
      "Stale",
      { account: account({ version: 2 }) },
      { limits: { messagesPerOrganization: limit } },
    ],
    [
      "a full window and no money",
      "Limited for 59 s",
      { account: { ...full, balance: Money.zero } },
      { limits: { messagesPerOrganization: limit } },
    ],
    [
      "no money",
      "Insufficient: 0.50 of 0.00 | writes account",
      { account: account() },
      { limits: { messagesPerOrganization: limit } },
    ],
    [
      "just enough money",
      "Held as 1, 0.00 left | writes account, message, hold",
      { account: account({ balance: money("0.5") }) },
    ],
    [
      "a full window that it was counted in before",
      "Held as 1, 9.50 left | writes account, message, hold",
      { account: full },
      { limits: { messagesPerOrganization: limit }, isCounted: true },
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
  const reported = (status: "delivered" | "undelivered" | "failed") =>
    message({
      requestId: requestId(),
      status,
      hold: status === "delivered" ? "captured" : "released",
      dueAt: null,
    })

  decides(Samples.recordDispatch, {}, [
    ["no account", "NoAccount"],
    ["no such message", "NotFound", { account: held }],
    ["an older dispatch", "Fenced", { account: held, message: message({ attempt: 2 }) }],
    ["accepted", "Recorded accepted, 9.50 left | writes account, gatewayId, message", dispatched],
    [
      "accepted by a gateway that never reports",
      "Recorded delivered, 9.50 left | writes account, message, capture | MessageSettled delivered",
      dispatched,
      { hasReports: false },
    ],
    [
      "delivered",
      "Recorded delivered, 9.50 left | writes account, message, capture | MessageSettled delivered",
      dispatched,
      { outcome: outcomes.Delivered },
    ],
    [
      "rejected",
      "Recorded rejected, 10.00 left | writes account, message, release | MessageSettled rejected, Refunded 0.50",
      dispatched,
      { outcome: outcomes.Rejected },
    ],
    [
      "not sent",
      "Recorded failed, 10.00 left | writes account, message, release | MessageSettled failed, Refunded 0.50",
      dispatched,
      { outcome: outcomes.NotSent },
    ],
    [
      "throttled",
      "Recorded failed, 10.00 left | writes account, message, release | MessageSettled failed, Refunded 0.50",
      dispatched,
      { outcome: outcomes.Throttled },
    ],
    [
      "an unknown outcome",
      "Recorded unknown, 9.50 left | writes account, message",
      dispatched,
      { outcome: outcomes.Unknown },
    ],
    [
      "a free message that was rejected",
      "Recorded rejected, 10.00 left | writes account, message | MessageSettled rejected",
      { account: rich, message: message({ charge: Money.zero, hold: "none" }) },
      { outcome: outcomes.Rejected },
    ],
    [
      "a report that came first and agrees",
      "Recorded delivered, 9.50 left | writes account, message",
      closed,
      { outcome: outcomes.Delivered },
    ],
    [
      "a report that came first and disagrees",
      "Recorded delivered, 9.50 left | writes account, message",
      closed,
      { outcome: outcomes.Rejected },
    ],
    [
      "a code that was accepted",
      "Recorded accepted, 9.50 left | writes account, gatewayId, message | VerificationSent",
      code,
      { requestId: requestId() },
    ],
    [
      "a code that was delivered",
      "Recorded delivered, 9.50 left | writes account, message, capture | MessageSettled delivered, VerificationSent",
      code,
      { requestId: requestId(), outcome: outcomes.Delivered },
    ],
    [
      "a code whose fate is unknown",
      "Recorded unknown, 9.50 left | writes account, message | VerificationSent",
      code,
      { requestId: requestId(), outcome: outcomes.Unknown },
    ],
    [
      "a code that was rejected",
      "Recorded rejected, 10.00 left | writes account, message, recipient, verification, release | MessageSettled rejected, Refunded 0.50, Failed by sending",
      code,
      { requestId: requestId(), outcome: outcomes.Rejected },
    ],
    [
      "a code that was not sent",
      "Recorded failed, 10.00 left | writes account, message, recipient, verification, release | MessageSettled failed, Refunded 0.50, Failed by sending",
      code,
      { requestId: requestId(), outcome: outcomes.NotSent },
    ],
    [
      "a code that was not sent, after its request has expired",
      "Recorded failed, 10.00 left | writes account, message, release | MessageSettled failed, Refunded 0.50",
      expired,
      { requestId: requestId(), outcome: outcomes.NotSent },
    ],
    [
      "a code that was not sent, by the word of a gateway that has reported it delivered",
      "Recorded delivered, 9.50 left | writes account, message | VerificationSent",
      { ...code, account: closed.account, message: reported("delivered") },
      { requestId: requestId(), outcome: outcomes.NotSent },
    ],
    [
      "a code that was rejected, by the word of a gateway that has reported it undelivered",
      "Recorded undelivered, 9.50 left | writes account, message | VerificationSent",
      { ...code, account: closed.account, message: reported("undelivered") },
      { requestId: requestId(), outcome: outcomes.Rejected },
    ],
    [
      "a code that was not sent, as its gateway has reported before",
      "Recorded failed, 9.50 left | writes account, message, recipient, verification | Failed by sending",
      { ...code, account: closed.account, message: reported("failed") },
      { requestId: requestId(), outcome: outcomes.NotSent },
    ],
    [
      "a code that was rejected although it was verified",
      "Recorded rejected, 10.00 left | writes account, message, release | MessageSettled rejected, Refunded 0.50",
      verified,
      { requestId: requestId(), outcome: outcomes.Rejected },
    ],
  ])

  it("reads no request for an outcome that cannot fail it, if the command has its part of the event", () => {
    const request = { purpose: "login", metadata: '{"cart":7}' }
    const rows = { account: held, message: code.message }
    const given = { requestId: requestId(), request }
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
      assert.deepStrictEqual(second.outcome, first.outcome)
      assert.deepStrictEqual(second.writes.entries, [])
      assert.deepStrictEqual(second.writes.message, first.writes.message)
    }
  })
})
