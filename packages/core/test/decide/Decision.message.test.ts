import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { needs } from "../../src/decide/Needs.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, message, money, now, recipient, requestId, verification } = Samples

interface Row<C> {
  readonly given: string
  readonly rows: Partial<View>
  readonly command?: Samples.Overrides<C>
  readonly ends: string
}

const limit = { max: 2, windowMillis: 60_000 }
const rich = account({ balance: money("10") })
const full = account({ balance: money("10"), sends: [now - 1_000, now] })

describe("AdmitMessage", () => {
  const table: ReadonlyArray<Row<Command<"AdmitMessage">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    {
      given: "an older copy of the settings",
      rows: { account: account({ version: 2 }) },
      ends: "Stale",
    },
    {
      given: "a full window",
      rows: { account: full },
      command: { limits: { messagesPerOrganization: limit } },
      ends: "Limited for 59 s",
    },
    {
      given: "room in the window",
      rows: { account: rich },
      command: { limits: { messagesPerOrganization: limit } },
      ends: "Admitted | writes account",
    },
    { given: "no limit", rows: { account: full }, ends: "Admitted | writes account" },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.admitMessage(command), now)), ends)
  })
})

describe("HoldMessage", () => {
  const table: ReadonlyArray<Row<Command<"HoldMessage">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    {
      given: "an older copy of the settings",
      rows: { account: account({ version: 2 }) },
      command: { limits: { messagesPerOrganization: limit } },
      ends: "Stale",
    },
    {
      given: "a full window and no money",
      rows: { account: { ...full, balance: Money.zero } },
      command: { limits: { messagesPerOrganization: limit } },
      ends: "Limited for 59 s",
    },
    {
      given: "no money",
      rows: { account: account() },
      command: { limits: { messagesPerOrganization: limit } },
      ends: "Insufficient: 0.50 of 0.00 | writes account",
    },
    {
      given: "just enough money",
      rows: { account: account({ balance: money("0.5") }) },
      ends: "Held as 1, 0.00 left | writes account, message, hold",
    },
    {
      given: "a full window that it was counted in before",
      rows: { account: full },
      command: { limits: { messagesPerOrganization: limit }, isCounted: true },
      ends: "Held as 1, 9.50 left | writes account, message, hold",
    },
    {
      given: "no money, for a message that costs nothing",
      rows: { account: account() },
      command: { draft: Samples.draft({ charge: Money.zero }) },
      ends: "Held as 1, 0.00 left | writes account, message",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.holdMessage(command), now)), ends)
  })

  it("writes the message as drafted, due at the end of its lease", () => {
    const { writes } = decide(
      { account: rich },
      Samples.holdMessage({ limits: { messagesPerOrganization: limit } }),
      now,
    )
    assert.deepStrictEqual(writes.message, message())
    assert.deepStrictEqual(writes.account?.sends, [now])
  })

  it("marks a message that costs nothing as having no hold", () => {
    const free = Samples.holdMessage({ draft: Samples.draft({ charge: Money.zero }) })
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

  const table: ReadonlyArray<Row<Command<"RecordDispatch">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    { given: "no such message", rows: { account: held }, ends: "NotFound" },
    {
      given: "an older dispatch",
      rows: { account: held, message: message({ attempt: 2 }) },
      ends: "Fenced",
    },
    {
      given: "accepted",
      rows: dispatched,
      ends: "Recorded accepted, 9.50 left | writes account, gatewayId, message",
    },
    {
      given: "accepted by a gateway that never reports",
      rows: dispatched,
      command: { hasReports: false },
      ends: "Recorded delivered, 9.50 left | writes account, message, capture | MessageSettled delivered",
    },
    {
      given: "delivered",
      rows: dispatched,
      command: { outcome: outcomes.Delivered },
      ends: "Recorded delivered, 9.50 left | writes account, message, capture | MessageSettled delivered",
    },
    {
      given: "rejected",
      rows: dispatched,
      command: { outcome: outcomes.Rejected },
      ends: "Recorded rejected, 10.00 left | writes account, message, release | MessageSettled rejected, Refunded 0.50",
    },
    {
      given: "not sent",
      rows: dispatched,
      command: { outcome: outcomes.NotSent },
      ends: "Recorded failed, 10.00 left | writes account, message, release | MessageSettled failed, Refunded 0.50",
    },
    {
      given: "throttled",
      rows: dispatched,
      command: { outcome: outcomes.Throttled },
      ends: "Recorded failed, 10.00 left | writes account, message, release | MessageSettled failed, Refunded 0.50",
    },
    {
      given: "an unknown outcome",
      rows: dispatched,
      command: { outcome: outcomes.Unknown },
      ends: "Recorded unknown, 9.50 left | writes account, message",
    },
    {
      given: "a free message that was rejected",
      rows: { account: rich, message: message({ charge: Money.zero, hold: "none" }) },
      command: { outcome: outcomes.Rejected },
      ends: "Recorded rejected, 10.00 left | writes account, message | MessageSettled rejected",
    },
    {
      given: "a report that came first and agrees",
      rows: closed,
      command: { outcome: outcomes.Delivered },
      ends: "Recorded delivered, 9.50 left | writes account, message",
    },
    {
      given: "a report that came first and disagrees",
      rows: closed,
      command: { outcome: outcomes.Rejected },
      ends: "Recorded delivered, 9.50 left | writes account, message",
    },
    {
      given: "a code that was accepted",
      rows: code,
      command: { requestId: requestId() },
      ends: "Recorded accepted, 9.50 left | writes account, gatewayId, message | VerificationSent",
    },
    {
      given: "a code that was delivered",
      rows: code,
      command: { requestId: requestId(), outcome: outcomes.Delivered },
      ends: "Recorded delivered, 9.50 left | writes account, message, capture | MessageSettled delivered, VerificationSent",
    },
    {
      given: "a code whose fate is unknown",
      rows: code,
      command: { requestId: requestId(), outcome: outcomes.Unknown },
      ends: "Recorded unknown, 9.50 left | writes account, message | VerificationSent",
    },
    {
      given: "a code that was rejected",
      rows: code,
      command: { requestId: requestId(), outcome: outcomes.Rejected },
      ends: "Recorded rejected, 10.00 left | writes account, message, recipient, verification, release | MessageSettled rejected, Refunded 0.50, Failed by sending",
    },
    {
      given: "a code that was not sent",
      rows: code,
      command: { requestId: requestId(), outcome: outcomes.NotSent },
      ends: "Recorded failed, 10.00 left | writes account, message, recipient, verification, release | MessageSettled failed, Refunded 0.50, Failed by sending",
    },
    {
      given: "a code that was not sent, after its request has expired",
      rows: expired,
      command: { requestId: requestId(), outcome: outcomes.NotSent },
      ends: "Recorded failed, 10.00 left | writes account, message, release | MessageSettled failed, Refunded 0.50",
    },
    {
      given: "a code that was not sent, by the word of a gateway that has reported it delivered",
      rows: { ...code, account: closed.account, message: reported("delivered") },
      command: { requestId: requestId(), outcome: outcomes.NotSent },
      ends: "Recorded delivered, 9.50 left | writes account, message | VerificationSent",
    },
    {
      given: "a code that was rejected, by the word of a gateway that has reported it undelivered",
      rows: { ...code, account: closed.account, message: reported("undelivered") },
      command: { requestId: requestId(), outcome: outcomes.Rejected },
      ends: "Recorded undelivered, 9.50 left | writes account, message | VerificationSent",
    },
    {
      given: "a code that was not sent, as its gateway has reported before",
      rows: { ...code, account: closed.account, message: reported("failed") },
      command: { requestId: requestId(), outcome: outcomes.NotSent },
      ends: "Recorded failed, 9.50 left | writes account, message, recipient, verification | Failed by sending",
    },
    {
      given: "a code that was rejected although it was verified",
      rows: verified,
      command: { requestId: requestId(), outcome: outcomes.Rejected },
      ends: "Recorded rejected, 10.00 left | writes account, message, release | MessageSettled rejected, Refunded 0.50",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.recordDispatch(command), now)), ends)
  })

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

  it("fails a request whose code was not sent: the request is no longer pending", () => {
    const { writes } = decide(
      code,
      Samples.recordDispatch({ requestId: requestId(), outcome: outcomes.NotSent }),
      now,
    )
    assert.deepStrictEqual<unknown>(writes.verification, {
      ...code.verification,
      status: "failed",
      sealed: null,
    })
    assert.deepStrictEqual(writes.recipient?.pending, [])
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
