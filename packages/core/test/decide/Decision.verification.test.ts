import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { dayOf } from "../../src/domain/money/Account.ts"
import { decide } from "../support/transcript.ts"
import { decides, type Row } from "../support/decisionTable.ts"

const { account, money, now, recipient, requestId, verification } = Samples

const rich = account({ balance: money("10") })
const poor = account({ balance: money("0.4999") })
const tenSends = Array.from({ length: 10 }, (_, index) => now - 10 + index)
const five = Array.from({ length: 5 }, (_, index) => ({
  requestId: requestId(100 + index),
  until: now + 1,
}))
const fullWindow = { recipient: recipient({ sends: tenSends }) }
const fivePending = { recipient: recipient({ pending: five }) }
const both = { recipient: recipient({ sends: tenSends, pending: five }) }
const tooMany = "TooManyPending for 1 s | writes account, recipient"

describe("AdmitVerification", () => {
  const admitted = "Admitted | writes account, recipient"
  const since = five.map((one) => ({ ...one, until: now }))
  const aMinuteAgo = tenSends.map(() => now - 60_000)
  decides(Samples.admitVerification, { account: rich }, [
    ["a full window and five pending", "Limited for 60 s", both],
    ["five pending", tooMany, fivePending],
    ["no money", admitted, { account: poor }],
    ["a number never seen", admitted],
    ["five that were pending until now", admitted, { recipient: recipient({ pending: since }) }],
    [
      "ten that were counted a minute ago",
      admitted,
      { recipient: recipient({ sends: aMinuteAgo }) },
    ],
  ])
})

describe("RequestVerification", () => {
  const everything = "writes account, message, recipient, verification"
  const charged = `Requested as 1, 9.50 left | ${everything}, hold`
  const paying = (rows: Partial<View>) => ({ account: rich, ...rows })
  decides(Samples.requestVerification, { account: poor }, [
    [
      "a request with the id, and everything else against it",
      "RequestIdTaken",
      { ...both, verification: verification() },
    ],
    ["a full window, five pending and too little money", "Limited for 60 s", both],
    ["five pending and too little money", tooMany, fivePending],
    ["too little money", "Insufficient: 0.50 of 0.4999 | writes account, recipient"],
    [
      "just enough money",
      `Requested as 1, 0.00 left | ${everything}, hold`,
      { account: account({ balance: money("0.5") }) },
    ],
    [
      "messages in the log",
      `Requested as 42, 9.50 left | ${everything}, hold`,
      { account: { ...rich, lastMessage: 41, entries: 7 } },
    ],
    [
      "no money, for a message that costs nothing",
      `Requested as 1, 0.00 left | ${everything}`,
      { account: account() },
      { draft: { charge: Money.zero, channel: "whatsapp" } },
    ],
    [
      "a full window that it was counted in before",
      charged,
      paying(fullWindow),
      { isCounted: true },
    ],
    ["five pending since it was counted", tooMany, paying(fivePending), { isCounted: true }],
    [
      "no limit on requests",
      charged,
      paying(fullWindow),
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
  const full = account({ checks: Array.from({ length: 20 }, () => now - 59_500) })
  const open = {
    account: rich,
    verification: verification(),
    recipient: recipient({ pending: [{ requestId: requestId(), until: now + 300_000 }] }),
  }
  const of = (change: Parameters<typeof verification>[0]) => ({
    ...open,
    verification: verification(change),
  })
  const verified = of({ status: "verified", verifiedAt: now - 1 })
  const failed = of({ status: "failed", attemptsRemaining: 0 })
  const expired = of({ expiresAt: now })
  const lastAttempt = of({ attemptsRemaining: 1 })
  const closing = "writes account, recipient, verification"
  const closed = `Verified first | ${closing} | Verified`
  const guessed = `WrongCode, 2 left | ${closing}`
  const verifiedBefore = "Verified again | writes account"
  const failedBefore = "Failed again | writes account"
  const retiring = { candidates: [Samples.codeOf("other", "k2"), Samples.codeOf("right", "k1")] }
  const unknown = { candidates: [Samples.codeOf("right", "k2")] }

  const table: ReadonlyArray<Row<Samples.Overrides<Command<"CheckCode">>>> = [
    ["a full window, for a request that does not exist", "Limited for 1 s", { account: full }],
    ["a full window, for the right code", "Limited for 1 s", { ...open, account: full }],
    ["no such request", "NotFound | writes account", { account: rich }],
    ["the right code", closed, open],
    ["a wrong code", guessed, open, wrong],
    [
      "a wrong code at the last attempt",
      `Failed first | ${closing} | Failed by attempts`,
      lastAttempt,
      wrong,
    ],
    ["the right code at the last attempt", closed, lastAttempt],
    ["the right code of a verified request", verifiedBefore, verified],
    ["a wrong code for a verified request", verifiedBefore, verified, wrong],
    ["the right code of a failed request", failedBefore, failed],
    ["a wrong code for a failed request", failedBefore, failed, wrong],
    ["the right code at the moment of expiry", "Expired | writes account", expired],
    ["a wrong code at the moment of expiry", "Expired | writes account", expired, wrong],
    ["the right code under a secret that is retiring", closed, open, retiring],
    ["the right digest under another secret's name", "UnknownCodeSecret", open, unknown],
    ["no candidate at all", "UnknownCodeSecret", open, { candidates: [] }],
    ["a failed request, and a secret that is gone", failedBefore, failed, unknown],
    [
      "a secret that is gone, and a digest of zeros in the row",
      "UnknownCodeSecret",
      of({ digest: new Uint8Array(32) }),
      unknown,
    ],
    [
      "a digest that is too short",
      guessed,
      open,
      { candidates: [{ pepper: "k1", digest: Samples.digest().subarray(0, 31) }] },
    ],
    [
      "no limit on checks",
      closed,
      { ...open, account: full },
      { limits: { checksPerOrganization: undefined } },
    ],
    ["a recipient's row that is not there", closed, { ...open, recipient: undefined }],
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
