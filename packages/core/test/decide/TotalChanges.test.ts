import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as Increments from "../../src/decide/TotalChanges.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { fromE164 } from "../../src/domain/values/PhoneNumber.ts"
import type { Total } from "../../src/domain/money/Total.ts"
import { fail } from "../../src/domain/verifications/Verification.ts"

const nothing = { message: undefined, verification: undefined }

const shown = (totals: ReadonlyArray<Total>): ReadonlyArray<string> =>
  totals.map(({ amount, channel, count, country, gateway, kind, outcome, refunded }) => {
    const dimensions = [kind, channel, gateway, country, outcome].filter((one) => one !== "")
    return [...dimensions, count, Money.format(amount), Money.format(refunded)].join(" ")
  })

const { message, now, verification } = Samples

const pending = message({ status: "pending" })
const accepted = message({ status: "accepted" })
const lost = message({ status: "undelivered", hold: "released", dueAt: null })

describe("a change of a message", () => {
  const rows: ReadonlyArray<
    readonly [
      string,
      before: typeof pending | undefined,
      after: typeof pending,
      expected: ReadonlyArray<string>,
    ]
  > = [
    ["that is being sent counts nothing", undefined, pending, []],
    ["that is taken over counts nothing", pending, { ...pending, attempt: 2 }, []],
    [
      "that was sent counts it",
      pending,
      accepted,
      ["messages sms simulated BD accepted 1 0.50 0.00"],
    ],
    [
      "that is lost counts its refund",
      accepted,
      lost,
      [
        "messages sms simulated BD accepted -1 -0.50 0.00",
        "messages sms simulated BD undelivered 1 0.50 0.50",
      ],
    ],
    ["that is counted as a contradiction counts nothing", lost, { ...lost, anomalies: 1 }, []],
    [
      "to another gateway moves it",
      accepted,
      { ...accepted, gateway: "other" },
      [
        "messages sms simulated BD accepted -1 -0.50 0.00",
        "messages sms other BD accepted 1 0.50 0.00",
      ],
    ],
    [
      "to a number of no country has no country",
      pending,
      { ...accepted, phoneNumber: fromE164("+80012345678") },
      ["messages sms simulated accepted 1 0.50 0.00"],
    ],
  ]
  it.each(rows)("%s", (_, before, after, expected) => {
    const found = Increments.of({ ...nothing, message: before }, { message: after })
    assert.deepStrictEqual(shown(found), expected)
    assert.isTrue(found.every(({ hour }) => hour === now))
  })

  it("to a message that follows it counts the new one", () => {
    const next = { ...accepted, sequence: 2 }
    const found = Increments.of({ ...nothing, message: accepted }, { message: next })
    assert.deepStrictEqual(shown(found), ["messages sms simulated BD accepted 1 0.50 0.00"])
  })
})

describe("a change of a request", () => {
  const before = verification()
  const rows: ReadonlyArray<
    readonly [
      string,
      view: typeof before | undefined,
      after: typeof before,
      expected: ReadonlyArray<string>,
    ]
  > = [
    ["that opens it", undefined, before, ["requests BD opened 1 0.00 0.00"]],
    ["that sends its code again counts nothing", before, { ...before, resends: 1 }, []],
    [
      "by a wrong code",
      before,
      { ...before, attemptsRemaining: 2 },
      ["requests BD wrong_code 1 0.00 0.00"],
    ],
    [
      "by the last wrong code",
      { ...before, attemptsRemaining: 1 },
      { ...fail(before, now), attemptsRemaining: 0 },
      ["requests BD wrong_code 1 0.00 0.00", "requests BD failed 1 0.00 0.00"],
    ],
    [
      "by the right code",
      before,
      { ...before, status: "verified", verifiedAt: now, consumedAt: null },
      ["requests BD verified 1 0.00 0.00"],
    ],
  ]
  it.each(rows)("%s", (_, view, after, expected) => {
    const found = Increments.of({ ...nothing, verification: view }, { verification: after })
    assert.deepStrictEqual(shown(found), expected)
  })
})

it("entries of the host count, those of messages do not", () => {
  const entries = [
    Samples.entry(),
    Samples.entry({ kind: "adjustment", amount: Money.make("-1") }),
    Samples.entry({ kind: "hold" }),
    Samples.entry({ kind: "capture" }),
    Samples.entry({ kind: "release" }),
  ]
  assert.deepStrictEqual(shown(Increments.of(nothing, { entries })), [
    "bookings top-up 1 10.00 0.00",
    "bookings adjustment 1 -1.00 0.00",
  ])
})
