import * as Samples from "@countersign/testing/Samples"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"

const { now } = Samples
const records = defaults

const view: Decision.View = {
  account: Samples.account({
    balance: Samples.money("10"),
    held: Samples.money("0.5"),
    checks: [now],
    sends: [now],
  }),
  recipient: Samples.recipient({
    sends: [now],
    pending: [{ requestId: Samples.requestId(), until: now + 300_000 }],
  }),
  verification: Samples.verification(),
  message: Samples.message({ dueAt: now, requestId: Samples.requestId() }),
  payment: undefined,
  idempotencyKey: undefined,
  carrier: undefined,
  prefixStats: undefined,
  optOuts: new Map(),
  client: undefined,
  webhook: undefined,
  queued: undefined,
  queuedRows: [],
  batch: undefined,
  alerts: undefined,
  erased: undefined,
}

const commands: ReadonlyArray<readonly [name: string, Command]> = [
  ["AdmitVerification", Samples.admitVerification()],
  ["RequestVerification", Samples.requestVerification({ requestId: Samples.requestId(2) })],
  ["CheckCode, right", Samples.checkCode()],
  ["CheckCode, wrong", Samples.checkCode({ candidates: [Samples.codeOf("wrong")] })],
  ["VerifyCode, right", Samples.verifyCode()],
  ["VerifyCode, wrong", Samples.verifyCode({ candidates: [Samples.codeOf("wrong")] })],
  [
    "AdmitMessage",
    Samples.admitMessage({ limits: { messagesPerOrganization: { max: 2, windowMillis: 60_000 } } }),
  ],
  [
    "HoldMessage",
    Samples.holdMessage({ limits: { messagesPerOrganization: { max: 2, windowMillis: 60_000 } } }),
  ],
  [
    "RecordDispatch, not sent",
    Samples.recordDispatch({
      requestId: Samples.requestId(),
      outcome: { _tag: "NotSent", message: "" },
    }),
  ],
  ["RecordDispatch, accepted", Samples.recordDispatch({ requestId: Samples.requestId() })],
  ["ApplyReport", Samples.applyReport({ status: "undelivered" })],
  ["ReclaimMessage", Samples.reclaimMessage()],
  ["BeginLookup", Samples.beginLookup()],
  ["CloseMessage", Samples.closeMessage()],
  ["Book, a top-up", Samples.topUp()],
  ["Book, an adjustment", Samples.adjust()],
  ["FollowVerification", Samples.followVerification()],
  ["EndFollow", Samples.endFollow()],
  ["AdmitResend", Samples.admitResend()],
  ["ResendVerification", Samples.resendVerification()],
  ["CancelVerification", Samples.cancelVerification()],
  ["ConsumeVerification", Samples.consumeVerification()],
  ["RecordAnswer", Samples.recordAnswer()],
]

const freeze = <A>(value: A): A => {
  // Bytes cannot be frozen; they are compared afterwards.
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}

afterEach(() => vi.restoreAllMocks())

describe("Decision.decide", () => {
  it.each(commands)(
    "%s does not mutate its arguments, and decides the same twice",
    (_, command) => {
      const before = structuredClone({ view, command })
      const frozen = freeze({ view: structuredClone(view), command: structuredClone(command) })
      const first = Decision.decide(frozen.view, frozen.command, now, records)
      const second = Decision.decide(frozen.view, frozen.command, now, records)
      assert.deepStrictEqual(first, second)
      assert.deepStrictEqual(structuredClone(frozen), before)
    },
  )

  it.each(commands)(
    "%s needs an account, and changes nothing under other settings",
    (_, command) => {
      const noAccount = Decision.decide({ ...view, account: undefined }, command, now, records)
      const nothing = { writes: {}, events: [] }
      assert.deepStrictEqual<unknown>(noAccount, { result: { _tag: "NoAccount" }, ...nothing })
      if (!("version" in command)) return
      for (const version of [0, 2]) {
        const stale = Decision.decide(view, { ...command, version }, now, records)
        assert.deepStrictEqual<unknown>(stale, { result: { _tag: "Stale" }, ...nothing })
      }
    },
  )

  it("stamps every account that it writes with the time of the decision", () => {
    for (const [, command] of commands) {
      const { account } = Decision.decide(view, command, now + 7, records).writes
      if (account !== undefined) assert.strictEqual(account.lastAt, now + 7)
    }
  })
})

describe("without records of bodies", () => {
  const textsOf = (command: Command, rows = view, bodies = false) => {
    const { followed, message } = Decision.decide(rows, command, now, { ...records, bodies }).writes
    return [message?.text, followed?.text]
  }
  const follow = Samples.followVerification({ draft: { text: "again" } })
  const carrier = Samples.message({
    requestId: Samples.requestId(),
    status: "rejected",
    hold: "released",
    dueAt: null,
    followAt: now,
  })
  const followed = { ...view, message: carrier, carrier }

  it("no text of a message is stored, nor of one that it follows", () => {
    assert.deepStrictEqual(textsOf(Samples.closeMessage({ isLookedUp: true })), [
      undefined,
      undefined,
    ])
    assert.deepStrictEqual(textsOf(Samples.applyReport()), ["", undefined])
    assert.deepStrictEqual(textsOf(Samples.applyReport(), view, true), [
      view.message?.text,
      undefined,
    ])
    assert.deepStrictEqual(textsOf(follow, followed), ["", ""])
    assert.deepStrictEqual(textsOf(follow, followed, true), ["again", carrier.text])
  })
})

describe("Decision.timeOf", () => {
  it.each([
    [undefined, 5, 5],
    [10, 5, 10],
    [10, 10, 10],
    [10, 11, 11],
  ])(
    "an organization that has seen %s at clock time %d decides at %d",
    (lastAt, clock, expected) => {
      const account = lastAt === undefined ? undefined : Samples.account({ lastAt })
      assert.strictEqual(Decision.timeOf(account, clock), expected)
    },
  )
})

describe("Decision.view", () => {
  const payment = Samples.entry({ paymentId: "p1" })
  const rows: Decision.Rows = {
    account: view.account,
    recipient: (number) => ({ ...Samples.recipient(), phoneNumber: number }),
    verification: (id) => (id === Samples.requestId() ? view.verification : undefined),
    message: (number) => (number === 1 ? view.message : undefined),
    payment: (id) => (id === "p1" ? payment : undefined),
    idempotencyKey: () => undefined,
    prefixStats: () => undefined,
    client: () => undefined,
    webhook: () => undefined,
    queued: () => undefined,
    batch: () => undefined,
    alerts: () => undefined,
    erasedRecipient: () => undefined,
    optOut: () => undefined,
  }

  it("loads the number's row for a request, and the row of the request's number for a check", () => {
    const other = Samples.phoneNumber(9)
    assert.strictEqual(
      Decision.view(rows, Samples.requestVerification({ phoneNumber: other })).recipient
        ?.phoneNumber,
      other,
    )
    assert.strictEqual(
      Decision.view(rows, Samples.checkCode()).recipient?.phoneNumber,
      view.verification?.phoneNumber,
    )
  })

  it("loads the entry with the payment id of a booking", () => {
    assert.strictEqual(Decision.view(rows, Samples.topUp({ paymentId: "p1" })).payment, payment)
  })

  it("loads the message that a request points to, also after a follow-up", () => {
    const followed = Decision.view(rows, Samples.followVerification({ messageSequence: 2 }))
    assert.isUndefined(followed.message)
    assert.strictEqual(followed.carrier, view.message)
    assert.isUndefined(Decision.view(rows, Samples.checkCode()).carrier)
  })
})
