import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { dayOf } from "../../src/domain/money/Spending.ts"
import { decide, inWords } from "../support/transcript.ts"

const { account, money, now, recipient, requestId, verification } = Samples

const rich = account({ balance: money("10") })
const poor = account({ balance: money("0.4999") })
const fullWindow = Array.from({ length: 10 }, (_, index) => now - 10 + index)
const fivePending = Array.from({ length: 5 }, (_, index) => ({
  requestId: requestId(100 + index),
  until: now + 1,
}))

interface Row<C> {
  readonly given: string
  readonly rows: Partial<View>
  readonly command?: Samples.Overrides<C>
  readonly ends: string
}

describe("AdmitVerification", () => {
  const table: ReadonlyArray<Row<Command<"AdmitVerification">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    {
      given: "an older copy of the settings, and everything else against it",
      rows: {
        account: account({ version: 2 }),
        recipient: recipient({ sends: fullWindow, pending: fivePending }),
      },
      ends: "Stale",
    },
    {
      given: "a full window and five pending",
      rows: { account: rich, recipient: recipient({ sends: fullWindow, pending: fivePending }) },
      ends: "Limited for 60 s",
    },
    {
      given: "five pending",
      rows: { account: rich, recipient: recipient({ pending: fivePending }) },
      ends: "TooManyPending for 1 s | writes account, recipient",
    },
    { given: "no money", rows: { account: poor }, ends: "Admitted | writes account, recipient" },
    {
      given: "a number never seen",
      rows: { account: rich },
      ends: "Admitted | writes account, recipient",
    },
    {
      given: "five that were pending until now",
      rows: {
        account: rich,
        recipient: recipient({
          pending: fivePending.map(({ requestId }) => ({ requestId, until: now })),
        }),
      },
      ends: "Admitted | writes account, recipient",
    },
    {
      given: "ten that were counted a minute ago",
      rows: { account: rich, recipient: recipient({ sends: fullWindow.map(() => now - 60_000) }) },
      ends: "Admitted | writes account, recipient",
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.admitVerification(command), now)), ends)
  })

  it("counts a request that the pending limit refuses, but not one that the window refuses", () => {
    const pending = decide(
      { account: rich, recipient: recipient({ pending: fivePending }) },
      Samples.admitVerification(),
      now,
    )
    assert.deepStrictEqual(pending.writes.recipient?.sends, [now])
    const limited = decide(
      { account: rich, recipient: recipient({ sends: fullWindow }) },
      Samples.admitVerification(),
      now,
    )
    assert.deepStrictEqual(limited.writes, {})
  })
})

describe("RequestVerification", () => {
  const everything = "writes account, message, recipient, verification"
  const table: ReadonlyArray<Row<Command<"RequestVerification">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    {
      given: "an older copy of the settings, and everything else against it",
      rows: {
        account: account({ version: 2 }),
        recipient: recipient({ sends: fullWindow, pending: fivePending }),
      },
      ends: "Stale",
    },
    {
      given: "a request with the id, and everything else against it",
      rows: {
        account: poor,
        recipient: recipient({ sends: fullWindow, pending: fivePending }),
        verification: verification(),
      },
      ends: "RequestIdTaken",
    },
    {
      given: "a full window, five pending and too little money",
      rows: { account: poor, recipient: recipient({ sends: fullWindow, pending: fivePending }) },
      ends: "Limited for 60 s",
    },
    {
      given: "five pending and too little money",
      rows: { account: poor, recipient: recipient({ pending: fivePending }) },
      ends: "TooManyPending for 1 s | writes account, recipient",
    },
    {
      given: "too little money",
      rows: { account: poor },
      ends: "Insufficient: 0.50 of 0.4999 | writes account, recipient",
    },
    {
      given: "just enough money",
      rows: { account: account({ balance: money("0.5") }) },
      ends: `Requested as 1, 0.00 left | ${everything}, hold`,
    },
    {
      given: "messages in the log",
      rows: { account: account({ balance: money("10"), lastMessage: 41, entries: 7 }) },
      ends: `Requested as 42, 9.50 left | ${everything}, hold`,
    },
    {
      given: "no money, for a message that costs nothing",
      rows: { account: account() },
      command: { draft: Samples.draft({ charge: Money.zero, channel: "whatsapp" }) },
      ends: `Requested as 1, 0.00 left | ${everything}`,
    },
    {
      given: "a full window that it was counted in before",
      rows: { account: rich, recipient: recipient({ sends: fullWindow }) },
      command: { isCounted: true },
      ends: `Requested as 1, 9.50 left | ${everything}, hold`,
    },
    {
      given: "five pending since it was counted",
      rows: { account: rich, recipient: recipient({ pending: fivePending }) },
      command: { isCounted: true },
      ends: "TooManyPending for 1 s | writes account, recipient",
    },
    {
      given: "no limit on requests",
      rows: { account: rich, recipient: recipient({ sends: fullWindow }) },
      command: { limits: { sendsPerNumber: undefined } },
      ends: `Requested as 1, 9.50 left | ${everything}, hold`,
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.requestVerification(command), now)), ends)
  })

  it("writes the request, its message, the hold and the count at one time", () => {
    const { writes } = decide(
      { account: rich },
      Samples.requestVerification({ expirySeconds: 60 }),
      now,
    )
    assert.deepStrictEqual(writes.verification, verification({ expiresAt: now + 60_000 }))
    assert.deepStrictEqual(writes.recipient, {
      ...recipient(),
      sends: [now],
      pending: [{ requestId: requestId(), until: now + 60_000 }],
    })
    assert.deepStrictEqual(
      writes.message,
      Samples.message({ text: "•••••• is your verification code.", requestId: requestId() }),
    )
    assert.deepStrictEqual(writes.account, {
      ...rich,
      balance: money("9.5"),
      held: money("0.5"),
      entries: 1,
      lastMessage: 1,
      spentOn: dayOf(now),
      spent: money("0.5"),
    })
    assert.deepInclude(writes.entries?.[0], {
      kind: "hold",
      sequence: 1,
      amount: money("0.5"),
      messageSequence: 1,
    })
  })

  it("counts a request once if it was counted before, also if it cannot be paid", () => {
    const counted = recipient({ sends: [now - 1] })
    const again = decide(
      { account: rich, recipient: counted },
      Samples.requestVerification({ isCounted: true }),
      now,
    )
    assert.deepStrictEqual(again.writes.recipient?.sends, [now - 1])
    const unpaid = decide({ account: poor }, Samples.requestVerification(), now)
    assert.deepStrictEqual(unpaid.writes.recipient, recipient({ sends: [now] }))
    assert.isUndefined(unpaid.writes.message)
  })
})

describe("CheckCode", () => {
  const wrong = { candidates: [Samples.codeOf("wrong")] }
  const fullChecks = Array.from({ length: 20 }, () => now - 59_500)
  const open = {
    account: rich,
    verification: verification(),
    recipient: recipient({ pending: [{ requestId: requestId(), until: now + 300_000 }] }),
  }
  const at = (status: "verified" | "failed" | "expired" | "last attempt") => ({
    ...open,
    verification: {
      verified: verification({ status: "verified", verifiedAt: now - 1 }),
      failed: verification({ status: "failed", attemptsRemaining: 0 }),
      expired: verification({ expiresAt: now }),
      "last attempt": verification({ attemptsRemaining: 1 }),
    }[status],
  })
  const closing = "writes account, recipient, verification"

  const table: ReadonlyArray<Row<Command<"CheckCode">>> = [
    { given: "no account", rows: {}, ends: "NoAccount" },
    {
      given: "an older copy of the settings and a full window",
      rows: { ...open, account: account({ version: 2, checks: fullChecks }) },
      ends: "Stale",
    },
    {
      given: "a full window, for a request that does not exist",
      rows: { account: account({ checks: fullChecks }) },
      ends: "Limited for 1 s",
    },
    {
      given: "a full window, for the right code",
      rows: { ...open, account: account({ checks: fullChecks }) },
      ends: "Limited for 1 s",
    },
    { given: "no such request", rows: { account: rich }, ends: "NotFound | writes account" },
    { given: "the right code", rows: open, ends: `Verified first | ${closing} | Verified` },
    {
      given: "a wrong code",
      rows: open,
      command: wrong,
      ends: "WrongCode, 2 left | writes account, recipient, verification",
    },
    {
      given: "a wrong code at the last attempt",
      rows: at("last attempt"),
      command: wrong,
      ends: `Failed first | ${closing} | Failed by attempts`,
    },
    {
      given: "the right code at the last attempt",
      rows: at("last attempt"),
      ends: `Verified first | ${closing} | Verified`,
    },
    {
      given: "the right code of a verified request",
      rows: at("verified"),
      ends: "Verified again | writes account",
    },
    {
      given: "a wrong code for a verified request",
      rows: at("verified"),
      command: wrong,
      ends: "Verified again | writes account",
    },
    {
      given: "the right code of a failed request",
      rows: at("failed"),
      ends: "Failed again | writes account",
    },
    {
      given: "a wrong code for a failed request",
      rows: at("failed"),
      command: wrong,
      ends: "Failed again | writes account",
    },
    {
      given: "the right code at the moment of expiry",
      rows: at("expired"),
      ends: "Expired | writes account",
    },
    {
      given: "a wrong code at the moment of expiry",
      rows: at("expired"),
      command: wrong,
      ends: "Expired | writes account",
    },
    {
      given: "the right code under a secret that is retiring",
      rows: open,
      command: {
        candidates: [Samples.codeOf("other", "k2"), Samples.codeOf("right", "k1")],
      },
      ends: `Verified first | ${closing} | Verified`,
    },
    {
      given: "the right digest under another secret's name",
      rows: open,
      command: { candidates: [Samples.codeOf("right", "k2")] },
      ends: "UnknownCodeSecret",
    },
    {
      given: "no candidate at all",
      rows: open,
      command: { candidates: [] },
      ends: "UnknownCodeSecret",
    },
    {
      given: "a secret that is gone, and a digest of zeros in the row",
      rows: { ...open, verification: verification({ digest: new Uint8Array(32) }) },
      command: { candidates: [Samples.codeOf("right", "k2")] },
      ends: "UnknownCodeSecret",
    },
    {
      given: "a digest that is too short",
      rows: open,
      command: { candidates: [{ pepper: "k1", digest: Samples.digest().subarray(0, 31) }] },
      ends: "WrongCode, 2 left | writes account, recipient, verification",
    },
    {
      given: "no limit on checks",
      rows: { ...open, account: account({ checks: fullChecks }) },
      command: { limits: { checksPerOrganization: undefined } },
      ends: `Verified first | ${closing} | Verified`,
    },
    {
      given: "a recipient's row that is not there",
      rows: { ...open, recipient: undefined },
      ends: `Verified first | ${closing} | Verified`,
    },
  ]
  it.each(table)("with $given: $ends", ({ command, ends, rows }) => {
    assert.strictEqual(inWords(decide(rows, Samples.checkCode(command), now)), ends)
  })

  it("counts every check that the window admits, with any outcome", () => {
    for (const { command, given, rows } of table) {
      const { outcome, writes } = decide(
        rows,
        Samples.checkCode({
          limits: { checksPerOrganization: { max: 20, windowMillis: 60_000 } },
          ...command,
        }),
        now,
      )
      const refused = ["NoAccount", "Stale", "Limited", "UnknownCodeSecret"].includes(outcome._tag)
      if (command?.limits !== undefined) continue
      assert.deepStrictEqual(writes.account?.checks, refused ? undefined : [now], given)
    }
  })

  it("removes a closed request from the number's pending requests", () => {
    const verified = decide(open, Samples.checkCode(), now)
    assert.deepStrictEqual(verified.writes.recipient?.pending, [])
    const failed = decide(at("last attempt"), Samples.checkCode(wrong), now)
    assert.deepStrictEqual(failed.writes.recipient?.pending, [])
  })

  it("returns the number and the time of verification, for the first check and every repeat", () => {
    const first = decide(open, Samples.checkCode(), now + 5)
    assert.deepInclude(first.outcome, { phoneNumber: Samples.phoneNumber(), verifiedAt: now + 5 })
    assert.deepStrictEqual(first.events, [
      {
        _tag: "Verified",
        organization: Samples.organizationId,
        at: now + 5,
        requestId: requestId(),
        phoneNumber: Samples.phoneNumber(),
        purpose: null,
        metadata: null,
      },
    ])
    const again = decide(
      { ...open, verification: first.writes.verification },
      Samples.checkCode(wrong),
      now + 900_000,
    )
    assert.deepInclude(again.outcome, {
      phoneNumber: Samples.phoneNumber(),
      verifiedAt: now + 5,
      isFirst: false,
    })
  })
})
