import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as Increments from "../../src/decide/TotalChanges.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { fromE164 } from "../../src/domain/values/PhoneNumber.ts"
import { delayOf, dimensions, type Total } from "../../src/domain/money/Total.ts"
import { fail } from "../../src/domain/verifications/Verification.ts"

const nothing = { message: undefined, verification: undefined }

const shown = (totals: ReadonlyArray<Total>): ReadonlyArray<string> =>
  totals.map(({ amount, count, kind, refunded, ...row }) => {
    const own = dimensions.map((one) => row[one]).filter((one) => one !== "")
    return [kind, ...own, count, Money.format(amount), Money.format(refunded)].join(" ")
  })

const { message, now, verification } = Samples

const { requestId } = verification()
const pending = message({ status: "pending" })
const accepted = message({ status: "accepted" })
const taken = "messages sms simulated BD Grameenphone accepted -1 -0.50 0.00"
const ofNoCountry = fromE164("+80012345678")
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
    ["that is taken over counts nothing", pending, { ...pending, dispatchNumber: 2 }, []],
    [
      "that was sent counts it",
      pending,
      accepted,
      ["messages sms simulated BD Grameenphone accepted 1 0.50 0.00"],
    ],
    [
      "that is lost counts its refund",
      accepted,
      lost,
      [taken, "messages sms simulated BD Grameenphone undelivered 1 0.50 0.50"],
    ],
    ["that is counted as a contradiction counts nothing", lost, { ...lost, anomalies: 1 }, []],
    [
      "that ends in another hour counts in that of its creation",
      accepted,
      { ...accepted, createdAt: now + 1 },
      [taken, "messages sms simulated BD Grameenphone accepted 1 0.50 0.00"],
    ],
    [
      "whose price is given back counts its refund",
      accepted,
      { ...accepted, hold: "released" },
      [taken, "messages sms simulated BD Grameenphone accepted 1 0.50 0.50"],
    ],
    [
      "with another outcome moves it",
      accepted,
      { ...accepted, status: "unknown" },
      [taken, "messages sms simulated BD Grameenphone unknown 1 0.50 0.00"],
    ],
    [
      "with another reason moves it",
      { ...lost, failureReason: "unknown" },
      { ...lost, failureReason: "recipient" },
      [
        "messages sms simulated BD Grameenphone undelivered unknown -1 -0.50 -0.50",
        "messages sms simulated BD Grameenphone undelivered recipient 1 0.50 0.50",
      ],
    ],
    [
      "with a code that arrives counts for its request",
      { ...accepted, requestId },
      { ...accepted, requestId, status: "delivered" },
      [
        taken,
        "messages sms simulated BD Grameenphone delivered 1 0.50 0.00",
        "requests BD delivered 1 0.00 0.00",
      ],
    ],
    [
      "with a code that has arrived takes it along in time",
      { ...accepted, requestId, status: "delivered" },
      { ...accepted, requestId, status: "delivered", createdAt: now + 1 },
      [
        "messages sms simulated BD Grameenphone delivered -1 -0.50 0.00",
        "requests BD delivered -1 0.00 0.00",
        "messages sms simulated BD Grameenphone delivered 1 0.50 0.00",
        "requests BD delivered 1 0.00 0.00",
      ],
    ],
    [
      "of a number of no country has no country",
      { ...accepted, phoneNumber: ofNoCountry },
      { ...accepted, phoneNumber: ofNoCountry, gateway: "other" },
      ["messages sms simulated accepted -1 -0.50 0.00", "messages sms other accepted 1 0.50 0.00"],
    ],
    [
      "to another gateway moves it",
      accepted,
      { ...accepted, gateway: "other" },
      [taken, "messages sms other BD Grameenphone accepted 1 0.50 0.00"],
    ],
    [
      "to a number of no country has no country",
      pending,
      { ...accepted, phoneNumber: ofNoCountry },
      ["messages sms simulated accepted 1 0.50 0.00"],
    ],
  ]
  it.each(rows)("%s", (_, before, after, expected) => {
    const found = Increments.of({ ...nothing, message: before }, { message: after })
    assert.deepStrictEqual(shown(found), expected)
    assert.isTrue(found.every(({ at }) => at === now))
  })
})

describe("a report", () => {
  const delivered = message({ status: "delivered", hold: "captured", dueAt: null })
  const arrived = Samples.report({ receivedAt: now + 4_000 })
  const found = (before: typeof delivered, after: typeof delivered, one = arrived) =>
    shown(Increments.of({ ...nothing, message: before }, { message: after, report: one })).filter(
      (line) => line.startsWith("deliveries"),
    )

  it("counts how long a message took, once", () => {
    assert.deepStrictEqual(found(accepted, delivered), [
      `deliveries sms simulated BD Grameenphone ${delayOf(4_000)} 1 0.00 0.00`,
    ])
    assert.deepStrictEqual(found(delivered, delivered), [])
    assert.deepStrictEqual(found(accepted, lost), [])
    assert.deepStrictEqual(found(pending, { ...delivered, sequence: 2 }), [])
  })

  it("counts a number of no country", () => {
    const phoneNumber = ofNoCountry
    assert.deepStrictEqual(found({ ...accepted, phoneNumber }, { ...delivered, phoneNumber }), [
      `deliveries sms simulated ${delayOf(4_000)} 1 0.00 0.00`,
    ])
  })
})

describe("refused calls", () => {
  const call = { operation: "verify", code: "rate_limited", at: now, count: 2 } as const
  const refused = [
    { ...call, reason: "number", channel: "sms", country: "BD" },
    { ...call, reason: null, channel: null, country: "" },
  ] as const

  it("count by channel, country and cause", () => {
    const totals = Increments.of(nothing, { account: Samples.account(), refused })
    assert.deepStrictEqual(shown(totals), [
      "refusals sms BD rate_limited:number 2 0.00 0.00",
      "refusals rate_limited 2 0.00 0.00",
    ])
    assert.isTrue(totals.every((one) => one.organization === "acme" && one.at === now))
  })

  it("count in no total without an account", () => {
    assert.deepStrictEqual(Increments.of(nothing, { refused }), [])
  })
})

describe("a change of a request", () => {
  const before = verification()
  const verified = { ...before, status: "verified", verifiedAt: now, consumedAt: null } as const
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
      "of a number of no country",
      undefined,
      { ...before, phoneNumber: ofNoCountry },
      ["requests opened 1 0.00 0.00"],
    ],
    ["that was verified before counts nothing", verified, { ...verified, consumedAt: now }, []],
    ["by the right code", before, verified, ["requests BD verified 1 0.00 0.00"]],
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
