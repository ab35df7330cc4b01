import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { dayOf } from "../../src/domain/money/Spending.ts"
import { decide } from "../support/transcript.ts"
import { decides, type Row } from "../support/decisionTable.ts"

const { account, money, now, recipient, requestId, verification } = Samples

const rich = account({ balance: money("10") })
const poor = account({ balance: money("0.4999") })
const fullWindow = Array.from({ length: 10 }, (_, index) => now - 10 + index)
const fivePending = Array.from({ length: 5 }, (_, index) => ({
  requestId: requestId(100 + index),
  until: now + 1,
}))

describe("AdmitVerification", () => {
  decides(Samples.admitVerification, { account: rich }, [
    [
      "a full window and five pending",
      "Limited for 60 s",
      { recipient: recipient({ sends: fullWindow, pending: fivePending }) },
    ],
    [
      "five pending",
      "TooManyPending for 1 s | writes account, recipient",
      { recipient: recipient({ pending: fivePending }) },
    ],
    ["no money", "Admitted | writes account, recipient", { account: poor }],
    ["a number never seen", "Admitted | writes account, recipient"],
    [
      "five that were pending until now",
      "Admitted | writes account, recipient",
      {
        recipient: recipient({
          pending: fivePending.map(({ requestId }) => ({ requestId, until: now })),
        }),
      },
    ],
    [
      "ten that were counted a minute ago",
      "Admitted | writes account, recipient",
      { recipient: recipient({ sends: fullWindow.map(() => now - 60_000) }) },
    ],
  ])
})

describe("RequestVerification", () => {
  const everything = "writes account, message, recipient, verification"
  decides(Samples.requestVerification, { account: poor }, [
    [
      "a request with the id, and everything else against it",
      "RequestIdTaken",
      {
        recipient: recipient({ sends: fullWindow, pending: fivePending }),
        verification: verification(),
      },
    ],
    [
      "a full window, five pending and too little money",
      "Limited for 60 s",
      { recipient: recipient({ sends: fullWindow, pending: fivePending }) },
    ],
    [
      "five pending and too little money",
      "TooManyPending for 1 s | writes account, recipient",
      { recipient: recipient({ pending: fivePending }) },
    ],
    ["too little money", "Insufficient: 0.50 of 0.4999 | writes account, recipient"],
    [
      "just enough money",
      `Requested as 1, 0.00 left | ${everything}, hold`,
      { account: account({ balance: money("0.5") }) },
    ],
    [
      "messages in the log",
      `Requested as 42, 9.50 left | ${everything}, hold`,
      { account: account({ balance: money("10"), lastMessage: 41, entries: 7 }) },
    ],
    [
      "no money, for a message that costs nothing",
      `Requested as 1, 0.00 left | ${everything}`,
      { account: account() },
      { draft: { charge: Money.zero, channel: "whatsapp" } },
    ],
    [
      "a full window that it was counted in before",
      `Requested as 1, 9.50 left | ${everything}, hold`,
      { account: rich, recipient: recipient({ sends: fullWindow }) },
      { isCounted: true },
    ],
    [
      "five pending since it was counted",
      "TooManyPending for 1 s | writes account, recipient",
      { account: rich, recipient: recipient({ pending: fivePending }) },
      { isCounted: true },
    ],
    [
      "no limit on requests",
      `Requested as 1, 9.50 left | ${everything}, hold`,
      { account: rich, recipient: recipient({ sends: fullWindow }) },
      { limits: { sendsPerNumber: undefined } },
    ],
  ])

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

  const table: ReadonlyArray<Row<Samples.Overrides<Command<"CheckCode">>>> = [
    [
      "a full window, for a request that does not exist",
      "Limited for 1 s",
      { account: account({ checks: fullChecks }) },
    ],
    [
      "a full window, for the right code",
      "Limited for 1 s",
      { ...open, account: account({ checks: fullChecks }) },
    ],
    ["no such request", "NotFound | writes account", { account: rich }],
    ["the right code", `Verified first | ${closing} | Verified`, open],
    ["a wrong code", "WrongCode, 2 left | writes account, recipient, verification", open, wrong],
    [
      "a wrong code at the last attempt",
      `Failed first | ${closing} | Failed by attempts`,
      at("last attempt"),
      wrong,
    ],
    [
      "the right code at the last attempt",
      `Verified first | ${closing} | Verified`,
      at("last attempt"),
    ],
    ["the right code of a verified request", "Verified again | writes account", at("verified")],
    [
      "a wrong code for a verified request",
      "Verified again | writes account",
      at("verified"),
      wrong,
    ],
    ["the right code of a failed request", "Failed again | writes account", at("failed")],
    ["a wrong code for a failed request", "Failed again | writes account", at("failed"), wrong],
    ["the right code at the moment of expiry", "Expired | writes account", at("expired")],
    ["a wrong code at the moment of expiry", "Expired | writes account", at("expired"), wrong],
    [
      "the right code under a secret that is retiring",
      `Verified first | ${closing} | Verified`,
      open,
      {
        candidates: [Samples.codeOf("other", "k2"), Samples.codeOf("right", "k1")],
      },
    ],
    [
      "the right digest under another secret's name",
      "UnknownCodeSecret",
      open,
      { candidates: [Samples.codeOf("right", "k2")] },
    ],
    ["no candidate at all", "UnknownCodeSecret", open, { candidates: [] }],
    [
      "a secret that is gone, and a digest of zeros in the row",
      "UnknownCodeSecret",
      { ...open, verification: verification({ digest: new Uint8Array(32) }) },
      { candidates: [Samples.codeOf("right", "k2")] },
    ],
    [
      "a digest that is too short",
      "WrongCode, 2 left | writes account, recipient, verification",
      open,
      { candidates: [{ pepper: "k1", digest: Samples.digest().subarray(0, 31) }] },
    ],
    [
      "no limit on checks",
      `Verified first | ${closing} | Verified`,
      { ...open, account: account({ checks: fullChecks }) },
      { limits: { checksPerOrganization: undefined } },
    ],
    [
      "a recipient's row that is not there",
      `Verified first | ${closing} | Verified`,
      { ...open, recipient: undefined },
    ],
  ]
  decides(Samples.checkCode, {}, table)

  it("counts every check that the window admits, with any outcome", () => {
    for (const [given, , rows = {}, command] of table) {
      const { result, writes } = decide(
        rows,
        Samples.checkCode({
          limits: { checksPerOrganization: { max: 20, windowMillis: 60_000 } },
          ...command,
        }),
        now,
      )
      const refused = ["NoAccount", "Stale", "Limited", "UnknownCodeSecret"].includes(result._tag)
      if (command?.limits !== undefined) continue
      assert.deepStrictEqual(writes.account?.checks, refused ? undefined : [now], given)
    }
  })
})
