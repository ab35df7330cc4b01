import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import { decide, inWords } from "../support/transcript.ts"
import { decides } from "../support/decisionTable.ts"

const { account, message, messageId, money, now, recipient, requestId, verification } = Samples

const rich = account({ balance: money("10"), lastMessage: 1 })
const poor = account({ balance: money("0.4999"), lastMessage: 1 })
const of = (change?: Parameters<typeof verification>[0]) => ({
  verification: verification({ channel: "whatsapp", ...change }),
})
const second = { messageSequence: 2 }
const verified = { status: "verified", verifiedAt: now } as const
const first = of().verification
const rejected = message({
  channel: "whatsapp",
  status: "rejected",
  hold: "released",
  dueAt: null,
  requestId: requestId(),
})

describe("FollowVerification", () => {
  const followed =
    "Followed as 2, 9.50 left | writes account, followed, message, verification, hold"
  const failed = "writes account, message, recipient, verification | Failed by sending"
  const carrier = message({ sequence: 2, id: messageId(2), requestId: requestId() })
  decides(Samples.followVerification, { verification: first, account: rich, message: rejected }, [
    ["no such request", "NotFound", { verification: undefined, message: undefined }],
    ["a request whose message was refused", followed],
    [
      "a message that has waited for its report",
      followed,
      { message: message({ status: "accepted", requestId: requestId() }) },
    ],
    [
      "a message that has arrived",
      "NotNeeded",
      { message: message({ status: "delivered", hold: "captured", dueAt: null }) },
    ],
    ["a request that another message follows", "NotNeeded", of(second)],
    [
      "the message that this command has written already",
      "Followed as 2, 10.00 left",
      { ...of(second), carrier },
    ],
    [
      "the message that this command has written already, of a request that is verified",
      "Followed as 2, 10.00 left",
      { ...of({ ...second, ...verified }), carrier },
    ],
    [
      "the message of another command",
      "NotNeeded",
      { ...of(second), carrier: { ...carrier, id: messageId(3) } },
    ],
    ["a verified request", "NotNeeded", of(verified)],
    ["a failed request", "NotNeeded", of({ status: "failed" })],
    ["an expired request", "NotNeeded | writes account, message", of({ expiresAt: now })],
    [
      "no money, and a code that is nowhere",
      `Insufficient: 0.50 of 0.4999 | ${failed}`,
      { account: poor },
    ],
    [
      "no money, and a code that may have arrived",
      "Insufficient: 0.50 of 0.4999",
      { account: poor, message: message({ status: "accepted" }) },
    ],
    [
      "a cap that leaves no room, and a code that is nowhere",
      `Capped | ${failed}`,
      {},
      { limits: { spendPerDay: money("0.4999") } },
    ],
  ])

  it("points the request to the new message, and keeps its code, time and attempts", () => {
    const before = { ...first, attemptsRemaining: 2 }
    const rows = { account: rich, verification: before, message: rejected }
    const { writes } = decide(rows, Samples.followVerification(), now + 1_000)
    assert.deepStrictEqual(writes.verification, {
      ...before,
      channel: "sms",
      messageSequence: 2,
      earlierMessages: [1],
      sentAt: now + 1_000,
    })
    assert.deepInclude(writes.message, {
      sequence: 2,
      requestId: before.requestId,
      status: "pending",
    })
  })
})

describe("EndFollow", () => {
  const waiting = message({
    channel: "whatsapp",
    status: "accepted",
    requestId: requestId(),
    followAt: now,
  })
  const refused = { ...rejected, followAt: now }
  const ended = "Ended | writes account, message"
  decides(Samples.endFollow, { account: rich, verification: first, message: refused }, [
    ["no such message", "NotFound", { message: undefined }],
    [
      "a code that was certainly not sent",
      "Ended | writes account, message, recipient, verification | Failed by sending",
    ],
    ["a code that may have arrived with this message", ended, { message: waiting }],
    ["a code that may have arrived with an earlier message", ended, of({ mayHaveArrived: true })],
    ["a code that another message carries", ended, of(second)],
    ["a verified request", ended, { verification: verification(verified) }],
    ["a request that has expired", ended, of({ expiresAt: now })],
    ["a request that is gone", ended, { verification: undefined }],
    ["a message that no other was to follow", "Ended", { message: { ...waiting, followAt: null } }],
  ])

  it("leaves nothing that follows the message", () => {
    const rows = { account: rich, verification: first, message: refused }
    assert.isNull(decide(rows, Samples.endFollow(), now).writes.message?.followAt)
  })
})

describe("RecordDispatch of a code that may follow by SMS", () => {
  const refused = { _tag: "Rejected", reason: "recipient", message: "not there" } as const
  const rows = {
    account: account({ balance: money("9.5"), held: money("0.5"), entries: 2, lastMessage: 2 }),
    recipient: recipient({ pending: [{ requestId: requestId(), until: now + 300_000 }] }),
    message: message({ requestId: requestId() }),
  }
  const settle = (overrides: Samples.Overrides<Command<"RecordDispatch">>) =>
    Samples.recordDispatch({ outcome: refused, requestId: requestId(), ...overrides })

  it.each([
    ["follows", first, { followMillis: 30_000 }],
    ["already carries the code", { ...first, channel: "sms" as const, messageSequence: 2 }, {}],
  ])("keeps its request pending if another message %s", (_, request, command) => {
    const decision = decide({ ...rows, verification: request }, settle(command), now)
    assert.strictEqual(
      inWords(decision),
      "Recorded rejected, 10.00 left | writes account, message, release | MessageSettled rejected, Refunded 0.50",
    )
  })
})

describe("A message that another is to follow", () => {
  const waiting = message({
    channel: "whatsapp",
    status: "accepted",
    requestId: requestId(),
    settleBy: now,
    dueAt: now,
    followAt: now + 5_000,
  })
  const holding = account({ balance: money("9.5"), held: money("0.5"), lastMessage: 1 })

  const close = (one: typeof waiting, at: number) =>
    decide({ account: holding, message: one }, Samples.closeMessage(), at)

  it.each([
    { given: "before its time", followAt: now + 1, ends: "NotDue" },
    { given: "at its time", followAt: now, ends: "FollowDue" },
    { given: "without one that follows", followAt: null, ends: "NotDue" },
  ])("asks for the other $given: $ends", ({ ends, followAt }) => {
    const open = { ...waiting, settleBy: now + 9, dueAt: now + 9, followAt }
    assert.strictEqual(inWords(close(open, now)), ends)
  })

  it("is still followed if its outcome is unknown at its deadline, which comes first", () => {
    const closed = close(waiting, now)
    assert.strictEqual(
      inWords(closed),
      "Closed | writes account, message, release | MessageSettled unknown, Refunded 0.50",
    )
    const after = closed.writes.message
    assert.deepInclude(after, { status: "unknown", dueAt: null, followAt: now + 5_000 })
    assert.strictEqual(inWords(close(after ?? waiting, now + 4_999)), "NotDue")
    assert.strictEqual(inWords(close(after ?? waiting, now + 5_000)), "FollowDue")
  })

  it.each([
    { status: "delivered", followAt: null },
    { status: "accepted", followAt: now + 5_000 },
    // At the time of the message: at once.
    { status: "undelivered", followAt: now },
    { status: "failed", followAt: now },
    { status: "rejected", followAt: now },
  ] as const)("is followed at $followAt after the report $status", ({ followAt, status }) => {
    const { result, writes } = decide(
      { account: holding, message: waiting },
      Samples.applyReport({ status }),
      now,
    )
    assert.strictEqual((writes.message ?? waiting).followAt, followAt)
    const isDue = status !== "delivered" && status !== "accepted"
    assert.deepInclude(result, { followDue: isDue ? requestId() : null })
  })
})
