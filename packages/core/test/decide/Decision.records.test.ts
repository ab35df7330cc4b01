/** Commands that write an event, an audit entry or refusals, and bookings. */
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import { host } from "../../src/domain/values/Actor.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import type { NewRefusal } from "../../src/domain/verifications/Refusal.ts"
import { noRows } from "../support/noRows.ts"

const { money, now, organizationId: organization } = Samples

const account = Samples.account({
  balance: money("10"),
  held: money("1"),
  lastEvent: 4,
  lastAudit: 6,
  lastRefusal: 8,
})

const decide = (command: Command, own = account, records = defaults) => {
  const rows: Decision.Rows = { ...noRows, account: own, payment: () => undefined }
  return Decision.decide(Decision.view(rows, command), command, now, records)
}

const refusal: NewRefusal = {
  operation: "verify",
  code: "rate_limited",
  reason: "number",
  parameters: {},
  at: now + 5,
  channel: "sms",
  country: "BD",
  digest: null,
  maskedNumber: null,
  requestId: null,
  apiKeyId: null,
  actor: "host",
}

const entry = {
  organization,
  at: now,
  actor: "host",
  actorName: null,
  origin: null,
  before: null,
  after: null,
  reason: null,
}

describe("RecordErasure", () => {
  const erased = { messages: 1, verifications: 2, reports: 3, events: 4, answers: 5, refusals: 6 }

  it("is an event and an audit entry, which do not name the number", () => {
    const { events, result, writes } = decide({
      _tag: "RecordErasure",
      organization,
      actor: host,
      erased,
    })
    assert.deepStrictEqual<unknown>(result, { _tag: "ErasureRecorded" })
    assert.deepStrictEqual<unknown>(events, [
      { _tag: "NumberErased", organization, at: now, ...erased, sequence: 5 },
    ])
    assert.deepStrictEqual<unknown>(writes.events, events)
    assert.deepStrictEqual<unknown>(writes.audit, [
      { ...entry, sequence: 7, action: "number.erased", target: null, after: erased },
    ])
    assert.deepStrictEqual(writes.account, { ...account, lastAt: now, lastEvent: 5, lastAudit: 7 })
  })
})

describe("RecordAudit", () => {
  const command: Command<"RecordAudit"> = {
    _tag: "RecordAudit",
    organization,
    actor: host,
    action: "number.exported",
    target: "+880",
    reason: "asked",
  }

  it("is an audit entry and nothing else", () => {
    const { events, result, writes } = decide(command)
    assert.deepStrictEqual<unknown>(result, { _tag: "Audited" })
    assert.deepStrictEqual([events, Object.keys(writes)], [[], ["account", "audit"]])
    assert.deepStrictEqual<unknown>(writes.audit, [
      { ...entry, sequence: 7, action: "number.exported", target: "+880", reason: "asked" },
    ])
    assert.deepStrictEqual(writes.account, { ...account, lastAt: now, lastAudit: 7 })
  })

  it("writes nothing if the audit is off", () => {
    const { writes } = decide(command, account, { ...defaults, audit: false })
    assert.deepStrictEqual(writes, {})
  })
})

describe("RecordRefusals", () => {
  const { operation, code, reason, channel, country } = refusal
  const count = { operation, code, reason, channel, country, count: 2 }
  const command: Command<"RecordRefusals"> = {
    _tag: "RecordRefusals",
    organization,
    kept: [refusal, { ...refusal, at: now - 5 }],
    counts: [{ ...count, at: now + 5 }],
    reported: undefined,
  }

  it("keeps refusals in the order of their arrival, none later than the organization's time", () => {
    const { events, result, writes } = decide(command)
    assert.deepStrictEqual<unknown>([result, events], [{ _tag: "RefusalsRecorded" }, []])
    assert.deepStrictEqual(writes, {
      account: { ...account, lastAt: now, lastRefusal: 10 },
      refusals: [
        { ...refusal, organization, sequence: 9, at: now },
        { ...refusal, organization, sequence: 10, at: now - 5 },
      ],
      refused: [{ ...count, at: now }],
    })
  })

  it("raises an event with the counts to report", () => {
    const reported = [{ code, reason, count: 2 }]
    const { events } = decide({ ...command, reported })
    assert.deepStrictEqual<unknown>(events, [
      { _tag: "CallsRefused", organization, at: now, refusals: reported, sequence: 5 },
    ])
  })
})

describe("Book", () => {
  const booked = (command: Command<"Book">, own = account) => {
    const { events, writes } = decide(command, own)
    return { events, audit: writes.audit, balance: writes.account?.balance }
  }

  it.each([
    ["a top-up", Samples.topUp(), "ToppedUp", "account.topped_up", "20", "20.00"],
    ["an adjustment", Samples.adjust(), "Adjusted", "account.adjusted", "9", "9.00"],
  ] as const)("%s is an event and an audit entry", (_, command, event, action, after, text) => {
    const { amount, note } = command
    assert.deepStrictEqual<unknown>(booked(command), {
      balance: money(after),
      events: [
        { _tag: event, organization, at: now, amount, balance: money(after), note, sequence: 5 },
      ],
      audit: [
        {
          ...entry,
          sequence: 7,
          action,
          target: "1",
          before: { balance: "10.00" },
          after: { balance: text },
          reason: note,
        },
      ],
    })
  })

  it("an empty note is no reason", () => {
    assert.isNull(booked(Samples.topUp({ note: "" })).audit?.[0]?.reason)
  })

  it("an adjustment of zero has no entry, no event and no audit", () => {
    const { events, result, writes } = decide(Samples.adjust({ amount: money("0") }))
    assert.deepInclude(result, { _tag: "Posted", isRepeat: false, held: money("1") })
    assert.deepStrictEqual([events, writes.entries, writes.audit], [[], [], undefined])
  })

  it.each([
    ["the same", {}, { _tag: "Posted", balance: money("10"), held: money("1"), isRepeat: true }],
    ["another amount", { amount: money("11") }, { _tag: "PaymentMismatch" }],
  ] as const)(
    "a payment that is repeated with %s has the entry of the first",
    (_, change, ends) => {
      const payment = Samples.entry({ paymentId: "p1" })
      const command = Samples.topUp({ paymentId: "p1", ...change })
      const { events, result, writes } = Decision.decide(
        Decision.view({ ...noRows, account, payment: () => payment }, command),
        command,
        now,
        defaults,
      )
      assert.deepStrictEqual<unknown>(
        [result, events, writes],
        [{ ...ends, entry: payment }, [], {}],
      )
    },
  )

  it("raises an event when the balance falls below the threshold, and only then", () => {
    const watched = { ...account, balanceLowAt: money("9.5") }
    const low = { _tag: "BalanceLow", organization, at: now, sequence: 6 }
    const values = { balance: money("9"), threshold: money("9.5") }
    assert.deepStrictEqual<unknown>(booked(Samples.adjust(), watched).events[1], {
      ...low,
      ...values,
    })
    assert.lengthOf(booked(Samples.adjust()).events, 1)
    assert.lengthOf(booked(Samples.topUp(), watched).events, 1)
  })

  it("raises an event when a low balance reaches the threshold, but not at the first booking", () => {
    const watched = { ...account, entries: 3, balanceLowAt: money("10.5") }
    const restored = { _tag: "BalanceRestored", organization, at: now, sequence: 6 }
    assert.deepStrictEqual<unknown>(booked(Samples.topUp(), watched).events[1], {
      ...restored,
      balance: money("20"),
      threshold: money("10.5"),
    })
    // A balance that was low and stays so.
    assert.lengthOf(booked(Samples.topUp(), { ...watched, balanceLowAt: money("5000") }).events, 1)
    assert.lengthOf(booked(Samples.topUp(), { ...watched, entries: 0 }).events, 1)
  })
})
