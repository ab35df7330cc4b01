import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as Report from "../../src/domain/messages/MessageReport.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, message, money, now } = Samples

interface Row<C> {
  readonly given: string
  readonly rows: Partial<View>
  readonly command?: Samples.Overrides<C>
  readonly ends: string
}

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
  const table: ReadonlyArray<Row<Command<"ApplyReport">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    { given: "no such message", rows: { account: held }, ends: "NotFound" },
    {
      given: "delivered",
      rows: accepted,
      ends: "Applied, delivered | writes account, message, capture | MessageSettled delivered",
    },
    {
      given: "undelivered",
      rows: accepted,
      command: { status: "undelivered" },
      ends: "Applied, undelivered | writes account, message, release | MessageSettled undelivered, Refunded 0.50",
    },
    {
      given: "delivered, before the dispatch has answered",
      rows: { account: held, message: message() },
      ends: "Applied, delivered | writes account, message, capture | MessageSettled delivered",
    },
    {
      given: "accepted, before the dispatch has answered",
      rows: { account: held, message: message() },
      command: { status: "accepted" },
      ends: "Applied, pending",
    },
    {
      given: "accepted, of one whose fate was unknown",
      rows: { account: held, message: message({ status: "unknown" }) },
      command: { status: "accepted" },
      ends: "Applied, accepted | writes account, message",
    },
    {
      given: "delivered, under the end of its token",
      rows: accepted,
      command: { token: accepted.message.id.slice(-12) },
      ends: "Applied, delivered | writes account, message, capture | MessageSettled delivered",
    },
    {
      given: "delivered, under the end of another installation's token",
      rows: accepted,
      command: { token: Samples.messageId(2).slice(-12) },
      ends: "NotFound",
    },
    { given: "delivered, of one that is", rows: delivered, ends: "Applied, delivered" },
    {
      given: "accepted, of one that is delivered",
      rows: delivered,
      command: { status: "accepted" },
      ends: "Applied, delivered",
    },
    {
      given: "failed, of one that is delivered",
      rows: delivered,
      command: { status: "failed" },
      ends: "Applied, delivered | writes account, message",
    },
    {
      given: "delivered, as it came in",
      rows: accepted,
      command: { source: Samples.reportSource() },
      ends: "Applied, delivered | writes account, message, report, capture | MessageSettled delivered",
    },
    {
      given: "delivered, of one that is, as it came in",
      rows: delivered,
      command: { source: Samples.reportSource() },
      ends: "Applied, delivered | writes account, message, report",
    },
    {
      given: "delivered, for the 21st time",
      rows: { account: held, message: { ...delivered.message, reports: Report.maxKept } },
      command: { source: Samples.reportSource() },
      ends: "Applied, delivered | writes account, message",
    },
    {
      given: "delivered, for the 1,001st time",
      rows: { account: held, message: { ...delivered.message, reports: Report.maxCounted } },
      command: { source: Samples.reportSource() },
      ends: "Applied, delivered",
    },
    {
      given: "as it came in, on no such message",
      rows: { account: held },
      command: { source: Samples.reportSource() },
      ends: "NotFound",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.applyReport(command), now)), ends)
  })
})

describe("ReclaimMessage", () => {
  const due = message({ dueAt: now })
  const table: ReadonlyArray<Row<Command<"ReclaimMessage">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    { given: "no such message", rows: { account: held }, ends: "NotFound" },
    {
      given: "a lease that runs",
      rows: { account: held, message: message({ dueAt: now + 1 }) },
      ends: "NotDue",
    },
    {
      given: "a lease that has run out",
      rows: { account: held, message: due },
      ends: "Reclaimed, attempt 2 | writes account, message",
    },
    {
      given: "an outcome that is open",
      rows: { account: held, message: message({ status: "unknown", dueAt: now }) },
      ends: "NotDue",
    },
    {
      given: "an outcome that is final",
      rows: { account: held, message: message({ status: "failed", dueAt: null }) },
      ends: "NotDue",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.reclaimMessage(command), now)), ends)
  })

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
  const table: ReadonlyArray<Row<Command<"BeginLookup">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    { given: "no such message", rows: { account: held }, ends: "NotFound" },
    {
      given: "a deadline that has come",
      rows: { account: held, message: open },
      ends: "LookupBegun | writes account, message",
    },
    {
      given: "a deadline that has not come",
      rows: { account: held, message: { ...open, dueAt: now + 1, settleBy: now + 1 } },
      ends: "NotDue",
    },
    {
      given: "no time for a lookup",
      rows: { account: held, message: open },
      command: { lookupMillis: 0 },
      ends: "NotDue",
    },
    {
      given: "a gateway without lookups",
      rows: { account: held, message: { ...open, gateway: "another" } },
      ends: "NotDue",
    },
    {
      given: "a lookup under way",
      rows: { account: held, message: lookedUp },
      ends: "NotDue",
    },
    {
      given: "a lookup whose time is over",
      rows: { account: held, message: { ...open, settleBy: now - 1 } },
      ends: "NotDue",
    },
    {
      given: "a dispatch that is under way",
      rows: { account: held, message: { ...open, status: "pending" } },
      ends: "NotDue",
    },
    {
      given: "an outcome that is final",
      rows: { account: held, message: { ...open, dueAt: null } },
      ends: "NotDue",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.beginLookup(command), now)), ends)
  })
})

describe("CloseMessage", () => {
  const closed = "Closed | writes account, message, release | MessageSettled unknown, Refunded 0.50"
  const table: ReadonlyArray<Row<Command<"CloseMessage">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    { given: "no such message", rows: { account: held }, ends: "NotFound" },
    {
      given: "a deadline that has not come",
      rows: { account: held, message: { ...open, settleBy: now + 1 } },
      ends: "NotDue",
    },
    {
      given: "a deadline that has come",
      rows: { account: held, message: open },
      ends: closed,
    },
    {
      given: "a deadline that has come for a free message",
      rows: { account: held, message: { ...open, charge: Money.zero, hold: "none" } },
      ends: "Closed | writes account, message | MessageSettled unknown",
    },
    {
      given: "a dispatch that is under way",
      rows: { account: held, message: { ...open, status: "pending" } },
      ends: "NotDue",
    },
    {
      given: "an outcome that is final",
      rows: { account: held, message: { ...open, dueAt: null } },
      ends: "NotDue",
    },
    {
      given: "a lookup under way",
      rows: { account: held, message: lookedUp },
      ends: "NotDue",
    },
    {
      given: "a lookup that has found nothing",
      rows: { account: held, message: lookedUp },
      command: { isLookedUp: true },
      ends: closed,
    },
    {
      given: "a lookup whose time is over",
      rows: { account: held, message: { ...open, settleBy: now - 1 } },
      ends: closed,
    },
    {
      given: "an outcome that is final, after a lookup",
      rows: { account: held, message: { ...open, dueAt: null } },
      command: { isLookedUp: true },
      ends: "NotDue",
    },
    {
      given: "a deadline that has not come, after a lookup",
      rows: { account: held, message: { ...open, settleBy: now + 1 } },
      command: { isLookedUp: true },
      ends: "NotDue",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.closeMessage(command), now)), ends)
  })
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
