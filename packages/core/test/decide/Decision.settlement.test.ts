import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
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
  decides(Samples.applyReport, {}, [
    ["no account", "NoAccount"],
    ["no such message", "NotFound", { account: held }],
    [
      "delivered",
      "Applied, delivered | writes account, message, capture | MessageSettled delivered",
      accepted,
    ],
    [
      "undelivered",
      "Applied, undelivered | writes account, message, release | MessageSettled undelivered, Refunded 0.50",
      accepted,
      { status: "undelivered" },
    ],
    [
      "delivered, before the dispatch has answered",
      "Applied, delivered | writes account, message, capture | MessageSettled delivered",
      { account: held, message: message() },
    ],
    [
      "accepted, before the dispatch has answered",
      "Applied, pending",
      { account: held, message: message() },
      { status: "accepted" },
    ],
    [
      "accepted, of one whose fate was unknown",
      "Applied, accepted | writes account, message",
      { account: held, message: message({ status: "unknown" }) },
      { status: "accepted" },
    ],
    [
      "delivered, under the end of its token",
      "Applied, delivered | writes account, message, capture | MessageSettled delivered",
      accepted,
      { token: accepted.message.id.slice(-12) },
    ],
    [
      "delivered, under the end of another installation's token",
      "NotFound",
      accepted,
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
      accepted,
      { source: Samples.reportSource() },
    ],
    [
      "delivered, of one that is, as it came in",
      "Applied, delivered | writes account, message, report",
      delivered,
      { source: Samples.reportSource() },
    ],
    [
      "delivered, for the 21st time",
      "Applied, delivered | writes account, message",
      { account: held, message: { ...delivered.message, reports: Report.maxKept } },
      { source: Samples.reportSource() },
    ],
    [
      "delivered, for the 1,001st time",
      "Applied, delivered",
      { account: held, message: { ...delivered.message, reports: Report.maxCounted } },
      { source: Samples.reportSource() },
    ],
    [
      "as it came in, on no such message",
      "NotFound",
      { account: held },
      { source: Samples.reportSource() },
    ],
  ])
})

describe("ReclaimMessage", () => {
  const due = message({ dueAt: now })
  decides(Samples.reclaimMessage, { account: held }, [
    ["no account", "NoAccount", { account: undefined }],
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
    ["no account", "NoAccount", { account: undefined }],
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
    ["no account", "NoAccount", { account: undefined }],
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
  const table: ReadonlyArray<readonly [string, Command<"Book">, Partial<View>, ends: string]> = [
    ["a top-up for an unknown organization", Samples.topUp(), {}, "NoAccount"],
    [
      "a top-up",
      Samples.topUp(),
      { account: rich },
      "Posted, 20.00 left | writes account, top-up | ToppedUp 10.00, 20.00 left",
    ],
    [
      "a top-up beyond what can be counted",
      Samples.topUp({ amount: most }),
      { account: rich },
      "TooMuch",
    ],
    ["an adjustment for an unknown organization", Samples.adjust(), {}, "NoAccount"],
    [
      "an adjustment",
      Samples.adjust(),
      { account: rich },
      "Posted, 9.00 left | writes account, adjustment | Adjusted -1.00, 9.00 left",
    ],
    [
      "an adjustment to nothing",
      Samples.adjust({ amount: money("-10") }),
      { account: rich },
      "Posted, 0.00 left | writes account, adjustment | Adjusted -10.00, 0.00 left",
    ],
    [
      "an adjustment below nothing",
      Samples.adjust({ amount: money("-10.5") }),
      { account: rich },
      "Insufficient: 10.50 of 10.00",
    ],
    [
      "an adjustment beyond what can be counted",
      Samples.adjust({ amount: most }),
      { account: rich },
      "TooMuch",
    ],
    [
      "a top-up with a payment id",
      Samples.topUp({ paymentId: "p1" }),
      { account: rich },
      "Posted, 20.00 left | writes account, top-up | ToppedUp 10.00, 20.00 left",
    ],
    [
      "a top-up that is repeated",
      Samples.topUp({ paymentId: "p1" }),
      { account: rich, payment },
      "Posted before, 10.00 left",
    ],
    [
      "a top-up that is repeated when the account has no room for it",
      Samples.topUp({ paymentId: "p1" }),
      { account: account({ balance: most }), payment },
      `Posted before, ${Money.format(most)} left`,
    ],
    [
      "a top-up of another amount",
      Samples.topUp({ paymentId: "p1", amount: money("10.0001") }),
      { account: rich, payment },
      "PaymentMismatch",
    ],
    [
      "an adjustment with the payment id of a top-up",
      Samples.adjust({ paymentId: "p1", amount: money("10") }),
      { account: rich, payment },
      "PaymentMismatch",
    ],
    [
      "an adjustment that is repeated when its money is spent",
      Samples.adjust({ paymentId: "p1" }),
      {
        account: account(),
        payment: Samples.entry({ kind: "adjustment", amount: money("-1"), paymentId: "p1" }),
      },
      "Posted before, 0.00 left",
    ],
  ]
  it.each(table)("%s", (_, command, rows, ends) => {
    assert.strictEqual(inWords(decide(rows, command, now)), ends)
  })
})
