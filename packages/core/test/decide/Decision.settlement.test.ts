import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Money from "../../src/domain/values/Money.ts"
import * as Report from "../../src/domain/messages/MessageReport.ts"
import { decide, inWords } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, message, money, now } = Samples

const rich = account({ balance: money("10") })
const held = account({ balance: money("9.5"), held: money("0.5"), entries: 2, lastMessage: 1 })

const of = (change?: Parameters<typeof message>[0]) => ({ message: message(change) })

describe("ApplyReport", () => {
  const accepted = of({ status: "accepted", gatewayId: "gw-1", dueAt: now + 86_400_000 })
  const paid = { status: "delivered", hold: "captured", dueAt: null } as const
  const delivered = of(paid)
  const captured =
    "Applied, delivered | writes account, message, capture | MessageSettled delivered"
  const again = "Applied, delivered"
  const counted = "Applied, delivered | writes account, message"
  const source = Samples.reportSource()
  const heard = (reports: number) => of({ ...paid, reports })
  decides(Samples.applyReport, { account: held, ...accepted }, [
    ["no such message", "NotFound", { message: undefined }],
    ["delivered", captured],
    [
      "undelivered",
      "Applied, undelivered | writes account, message, release | MessageSettled undelivered, Refunded 0.50",
      {},
      { status: "undelivered" },
    ],
    ["delivered, before the dispatch has answered", captured, of()],
    [
      "accepted, before the dispatch has answered",
      "Applied, pending",
      of(),
      { status: "accepted" },
    ],
    [
      "accepted, of one whose fate was unknown",
      "Applied, accepted | writes account, message",
      of({ status: "unknown" }),
      { status: "accepted" },
    ],
    [
      "delivered, under the end of its token",
      captured,
      {},
      { token: accepted.message.id.slice(-12) },
    ],
    [
      "delivered, under the end of another installation's token",
      "NotFound",
      {},
      { token: Samples.messageId(2).slice(-12) },
    ],
    ["delivered, of one that is", again, delivered],
    ["accepted, of one that is delivered", again, delivered, { status: "accepted" }],
    ["failed, of one that is delivered", counted, delivered, { status: "failed" }],
    [
      "delivered, as it came in",
      "Applied, delivered | writes account, message, report, capture | MessageSettled delivered",
      {},
      { source },
    ],
    ["delivered, of one that is, as it came in", `${counted}, report`, delivered, { source }],
    ["delivered, for the 21st time", counted, heard(Report.maxKept), { source }],
    ["delivered, for the 1,001st time", again, heard(Report.maxCounted), { source }],
    ["as it came in, on no such message", "NotFound", { message: undefined }, { source }],
  ])
})

describe("ReclaimMessage", () => {
  const due = message({ dueAt: now })
  decides(Samples.reclaimMessage, { account: held }, [
    ["no such message", "NotFound"],
    ["a lease that runs", "NotDue", of({ dueAt: now + 1 })],
    [
      "a lease that has run out",
      "Reclaimed, attempt 2 | writes account, message",
      of({ dueAt: now }),
    ],
    ["an outcome that is open", "NotDue", of({ status: "unknown", dueAt: now })],
    ["an outcome that is final", "NotDue", of({ status: "failed", dueAt: null })],
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

/** A message at its deadline. */
const open = (change?: Parameters<typeof message>[0]) =>
  of({ status: "unknown", dueAt: now, settleBy: now, ...change })
const lookedUp = open({ dueAt: now + 1 })

describe("BeginLookup", () => {
  decides(Samples.beginLookup, { account: held }, [
    ["no such message", "NotFound"],
    ["a deadline that has come", "LookupBegun | writes account, message", open()],
    ["a deadline that has not come", "NotDue", open({ dueAt: now + 1, settleBy: now + 1 })],
    ["no time for a lookup", "NotDue", open(), { lookupMillis: 0 }],
    ["a gateway without lookups", "NotDue", open({ gateway: "another" })],
    ["a lookup under way", "NotDue", lookedUp],
    ["a lookup whose time is over", "NotDue", open({ settleBy: now - 1 })],
    ["a dispatch that is under way", "NotDue", open({ status: "pending" })],
    ["an outcome that is final", "NotDue", open({ dueAt: null })],
  ])
})

describe("CloseMessage", () => {
  const closed = "Closed | writes account, message, release | MessageSettled unknown, Refunded 0.50"
  const early = open({ settleBy: now + 1 })
  const isLookedUp = { isLookedUp: true }
  decides(Samples.closeMessage, { account: held }, [
    ["no such message", "NotFound"],
    ["a deadline that has not come", "NotDue", early],
    ["a deadline that has come", closed, open()],
    [
      "a deadline that has come for a free message",
      "Closed | writes account, message | MessageSettled unknown",
      open({ charge: Money.zero, hold: "none" }),
    ],
    ["a dispatch that is under way", "NotDue", open({ status: "pending" })],
    ["an outcome that is final", "NotDue", open({ dueAt: null })],
    ["a lookup under way", "NotDue", lookedUp],
    ["a lookup that has found nothing", closed, lookedUp, isLookedUp],
    ["a lookup whose time is over", closed, open({ settleBy: now - 1 })],
    ["an outcome that is final, after a lookup", "NotDue", open({ dueAt: null }), isLookedUp],
    ["a deadline that has not come, after a lookup", "NotDue", early, isLookedUp],
  ])
})

describe("Book", () => {
  const p1 = { paymentId: "p1" }
  const payment = Samples.entry(p1)
  const mismatch = "PaymentMismatch"
  const most = Money.fromUnits(Number.MAX_SAFE_INTEGER)
  const toppedUp = "Posted, 20.00 left | writes account, top-up | ToppedUp 10.00, 20.00 left"
  const adjusted = (amount: string, left: string) =>
    `Posted, ${left} left | writes account, adjustment | Adjusted ${amount}, ${left} left`
  const spent = Samples.entry({ kind: "adjustment", amount: money("-1"), paymentId: "p1" })
  decides(Samples.topUp, { account: rich }, [
    ["a top-up", toppedUp],
    ["a top-up beyond what can be counted", "TooMuch", {}, { amount: most }],
    ["a payment id", toppedUp, {}, p1],
    [
      "a repeated payment, and no room for it in the account",
      `Posted before, ${Money.format(most)} left`,
      { account: account({ balance: most }), payment },
      p1,
    ],
    [
      "the payment id of another amount",
      mismatch,
      { payment },
      { ...p1, amount: money("10.0001") },
    ],
  ])
  decides(Samples.adjust, { account: rich }, [
    ["an adjustment", adjusted("-1.00", "9.00")],
    ["an adjustment to nothing", adjusted("-10.00", "0.00"), {}, { amount: money("-10") }],
    ["an adjustment below nothing", "Insufficient: 10.50 of 10.00", {}, { amount: money("-10.5") }],
    ["an adjustment beyond what can be counted", "TooMuch", {}, { amount: most }],
    ["the payment id of a top-up", mismatch, { payment }, { ...p1, amount: money("10") }],
    [
      "a repeated payment whose money is spent",
      "Posted before, 0.00 left",
      { account: account(), payment: spent },
      p1,
    ],
  ])
})
