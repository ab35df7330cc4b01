import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Money from "../../src/domain/values/Money.ts"
import * as Report from "../../src/domain/messages/MessageReport.ts"
import { decide, inWords } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, message, money, now } = Samples

const rich = account({ balance: money("10") })
const held = account({ balance: money("9.5"), held: money("0.5"), entries: 2, lastMessage: 1 })

describe("ApplyReport", () => {
  const accepted = {
    account: held,
    message: message({ status: "accepted", gatewayId: "gw-1", dueAt: now + 86_400_000 }),
  }
  const delivered = {
    account: held,
    message: message({ status: "delivered", hold: "captured", dueAt: null }),
  }
  const captured = "writes account, message, capture | MessageSettled delivered"
  const unsettled = { message: message() }
  const source = Samples.reportSource()
  const heard = (reports: number) => ({ message: { ...delivered.message, reports } })
  decides(Samples.applyReport, accepted, [
    ["no such message", "NotFound", { message: undefined }],
    ["delivered", `Applied, delivered | ${captured}`],
    [
      "undelivered",
      "Applied, undelivered | writes account, message, release | MessageSettled undelivered, Refunded 0.50",
      {},
      { status: "undelivered" },
    ],
    ["delivered, before the dispatch has answered", `Applied, delivered | ${captured}`, unsettled],
    [
      "accepted, before the dispatch has answered",
      "Applied, pending",
      unsettled,
      { status: "accepted" },
    ],
    [
      "accepted, of one whose fate was unknown",
      "Applied, accepted | writes account, message",
      { message: message({ status: "unknown" }) },
      { status: "accepted" },
    ],
    [
      "delivered, under the end of its token",
      `Applied, delivered | ${captured}`,
      {},
      { token: accepted.message.id.slice(-12) },
    ],
    [
      "delivered, under the end of another installation's token",
      "NotFound",
      {},
      { token: Samples.messageId(2).slice(-12) },
    ],
    ["delivered, of one that is", "Applied, delivered", delivered],
    ["accepted, of one that is delivered", "Applied, delivered", delivered, { status: "accepted" }],
    [
      "failed, of one that is delivered",
      "Applied, delivered | writes account, message",
      delivered,
      { status: "failed" },
    ],
    [
      "delivered, as it came in",
      "Applied, delivered | writes account, message, report, capture | MessageSettled delivered",
      {},
      { source },
    ],
    [
      "delivered, of one that is, as it came in",
      "Applied, delivered | writes account, message, report",
      delivered,
      { source },
    ],
    [
      "delivered, for the 21st time",
      "Applied, delivered | writes account, message",
      heard(Report.maxKept),
      { source },
    ],
    ["delivered, for the 1,001st time", "Applied, delivered", heard(Report.maxCounted), { source }],
    ["as it came in, on no such message", "NotFound", { message: undefined }, { source }],
  ])
})

describe("ReclaimMessage", () => {
  const due = message({ dueAt: now })
  decides(Samples.reclaimMessage, { account: held }, [
    ["no such message", "NotFound"],
    ["a lease that runs", "NotDue", { message: message({ dueAt: now + 1 }) }],
    [
      "a lease that has run out",
      "Reclaimed, attempt 2 | writes account, message",
      { message: due },
    ],
    ["an outcome that is open", "NotDue", { message: message({ status: "unknown", dueAt: now }) }],
    ["an outcome that is final", "NotDue", { message: message({ status: "failed", dueAt: null }) }],
  ])

  it("gives a message to one of two nodes that reclaim it at once", () => {
    const first = decide({ account: held, message: due }, Samples.reclaimMessage(), now)
    const second = decide(
      { account: held, message: first.writes.message },
      Samples.reclaimMessage(),
      now,
    )
    assert.strictEqual(inWords(second), "NotDue")
  })
})

const open = message({ status: "unknown", dueAt: now, settleBy: now })
const lookedUp = { ...open, dueAt: now + 1 }

describe("BeginLookup", () => {
  decides(Samples.beginLookup, { account: held }, [
    ["no such message", "NotFound"],
    ["a deadline that has come", "LookupBegun | writes account, message", { message: open }],
    [
      "a deadline that has not come",
      "NotDue",
      { message: { ...open, dueAt: now + 1, settleBy: now + 1 } },
    ],
    ["no time for a lookup", "NotDue", { message: open }, { lookupMillis: 0 }],
    ["a gateway without lookups", "NotDue", { message: { ...open, gateway: "another" } }],
    ["a lookup under way", "NotDue", { message: lookedUp }],
    ["a lookup whose time is over", "NotDue", { message: { ...open, settleBy: now - 1 } }],
    ["a dispatch that is under way", "NotDue", { message: { ...open, status: "pending" } }],
    ["an outcome that is final", "NotDue", { message: { ...open, dueAt: null } }],
  ])
})

describe("CloseMessage", () => {
  const closed = "Closed | writes account, message, release | MessageSettled unknown, Refunded 0.50"
  decides(Samples.closeMessage, { account: held }, [
    ["no such message", "NotFound"],
    ["a deadline that has not come", "NotDue", { message: { ...open, settleBy: now + 1 } }],
    ["a deadline that has come", closed, { message: open }],
    [
      "a deadline that has come for a free message",
      "Closed | writes account, message | MessageSettled unknown",
      { message: { ...open, charge: Money.zero, hold: "none" } },
    ],
    ["a dispatch that is under way", "NotDue", { message: { ...open, status: "pending" } }],
    ["an outcome that is final", "NotDue", { message: { ...open, dueAt: null } }],
    ["a lookup under way", "NotDue", { message: lookedUp }],
    ["a lookup that has found nothing", closed, { message: lookedUp }, { isLookedUp: true }],
    ["a lookup whose time is over", closed, { message: { ...open, settleBy: now - 1 } }],
    [
      "an outcome that is final, after a lookup",
      "NotDue",
      { message: { ...open, dueAt: null } },
      { isLookedUp: true },
    ],
    [
      "a deadline that has not come, after a lookup",
      "NotDue",
      { message: { ...open, settleBy: now + 1 } },
      { isLookedUp: true },
    ],
  ])
})

describe("Book", () => {
  const payment = Samples.entry({ paymentId: "p1" })
  const most = Money.fromUnits(Number.MAX_SAFE_INTEGER)
  const toppedUp = "Posted, 20.00 left | writes account, top-up | ToppedUp 10.00, 20.00 left"
  const adjusted = (amount: string, left: string) =>
    `Posted, ${left} left | writes account, adjustment | Adjusted ${amount}, ${left} left`
  const spent = Samples.entry({ kind: "adjustment", amount: money("-1"), paymentId: "p1" })
  decides(Samples.topUp, { account: rich }, [
    ["a top-up", toppedUp],
    ["a top-up beyond what can be counted", "TooMuch", {}, { amount: most }],
    ["a payment id", toppedUp, {}, { paymentId: "p1" }],
    [
      "a repeated payment, and no room for it in the account",
      `Posted before, ${Money.format(most)} left`,
      { account: account({ balance: most }), payment },
      { paymentId: "p1" },
    ],
    [
      "the payment id of another amount",
      "PaymentMismatch",
      { payment },
      { paymentId: "p1", amount: money("10.0001") },
    ],
  ])
  decides(Samples.adjust, { account: rich }, [
    ["an adjustment", adjusted("-1.00", "9.00")],
    ["an adjustment to nothing", adjusted("-10.00", "0.00"), {}, { amount: money("-10") }],
    ["an adjustment below nothing", "Insufficient: 10.50 of 10.00", {}, { amount: money("-10.5") }],
    ["an adjustment beyond what can be counted", "TooMuch", {}, { amount: most }],
    [
      "the payment id of a top-up",
      "PaymentMismatch",
      { payment },
      { paymentId: "p1", amount: money("10") },
    ],
    [
      "a repeated payment whose money is spent",
      "Posted before, 0.00 left",
      { account: account(), payment: spent },
      { paymentId: "p1" },
    ],
  ])
})
