import { assert, describe, it } from "vitest"
import type { Total } from "../app/api/types.ts"
import { english } from "../app/i18n/en/en.ts"
import { makeFormat } from "../app/i18n/format.ts"
import { holdsOf } from "../app/pages/balance/holds.ts"
import {
  failuresBy,
  figuresOf,
  linesOf,
  periodOf,
  quantileOf,
  whole,
} from "../app/pages/overview/figures.ts"
import { changeText, pointsText, shareText } from "../app/pages/overview/shares.ts"
import { minus, sum } from "../app/ui/decimal.ts"

const now = Date.UTC(2026, 10, 22, 19, 30)

const total = (given: Partial<Total>): Total => ({
  at: "2026-11-22T18:00:00.000Z",
  kind: "messages",
  channel: "sms",
  gateway: "one",
  country: "",
  network: "",
  outcome: "delivered",
  reason: "",
  count: 1,
  amount: "0.50",
  refunded: "0.00",
  ...given,
})

describe("a period", () => {
  it.each([
    ["24h", "UTC", "2026-11-21T20:00:00.000Z", "2026-11-22T20:00:00.000Z", "hour", 24],
    ["7d", "Asia/Kolkata", "2026-11-15T20:30:00.000Z", "2026-11-22T20:30:00.000Z", "hour", 168],
    ["30d", "Asia/Dhaka", "2026-10-24T18:00:00.000Z", "2026-11-23T18:00:00.000Z", "day", 30],
    ["90d", "UTC", "2026-08-25T00:00:00.000Z", "2026-11-23T00:00:00.000Z", "day", 90],
  ] as const)("of %s in %s is from %s to %s", (range, zone, from, to, every, count) => {
    const period = periodOf(range, now, zone)
    assert.deepInclude(period, { from, to, every })
    assert.lengthOf(period.starts, count)
    assert.lengthOf(period.before.starts, count - 1)
    assert.strictEqual(period.before.to, from)
  })

  it("is compared without the slot that is not over", () => {
    const period = periodOf("24h", now, "UTC")
    const running = total({ at: "2026-11-22T19:00:00.000Z" })
    assert.deepStrictEqual(whole([running, total({})], period), [total({})])
  })
})

describe("the figures", () => {
  it("count what was delivered of what has an outcome, and what waits for a report", () => {
    const found = figuresOf([
      total({ count: 6 }),
      total({ outcome: "undelivered", count: 2, refunded: "1.00", amount: "1.00" }),
      total({ outcome: "rejected", count: 3, amount: "0.00" }),
      total({ outcome: "accepted", count: 4, channel: "whatsapp" }),
      total({ kind: "requests", outcome: "opened", count: 5 }),
      total({ kind: "requests", outcome: "delivered", count: 4 }),
      total({ kind: "requests", outcome: "verified", count: 3 }),
    ])
    assert.deepInclude(found, {
      messages: 15,
      failed: 5,
      delivered: { part: 6, of: 11 },
      verified: { part: 3, of: 5 },
      opened: 5,
      arrived: 4,
      waiting: 4,
      spent: "1.00",
      refunded: "1.00",
    })
  })

  it("tell the bounds below which half and nearly all messages arrive", () => {
    const delay = (outcome: string, count: number) => total({ kind: "deliveries", outcome, count })
    const { delays } = figuresOf([delay("more", 1), delay("15", 3), delay("5", 2)])
    assert.deepStrictEqual(quantileOf(delays, 0.5), { below: 15, count: 3 })
    assert.deepStrictEqual(quantileOf(delays, 0.95), { below: undefined, count: 1 })
    assert.deepStrictEqual(
      delays.map(({ below }) => below),
      [5, 15, undefined],
    )
    assert.isUndefined(quantileOf(figuresOf([]).delays, 0.5))
  })

  it("draw no share of fewer than five messages", () => {
    const starts = [now, now + 1, now + 2]
    const at = (index: number) => new Date(now + index).toISOString()
    const lines = linesOf(
      [
        total({ at: at(0), count: 3 }),
        total({ at: at(0), outcome: "undelivered", count: 1 }),
        total({ at: at(1), count: 4 }),
        total({ at: at(1), outcome: "failed", count: 1 }),
        total({ at: at(1), outcome: "accepted", count: 9 }),
        total({ at: at(9), count: 9 }),
      ],
      starts,
    )
    assert.deepStrictEqual(lines, { all: [4, 14, 0], delivered: [null, 80, null] })
  })
})

describe("failures", () => {
  const period = { starts: [Date.parse("2026-11-22T18:00:00.000Z"), now] }
  const failed = (given: Partial<Total>) => total({ outcome: "failed", ...given })

  it("are divided by one dimension, with the change against the slots before", () => {
    const totals = [
      failed({ reason: "recipient", count: 2 }),
      failed({ reason: "recipient", at: new Date(now).toISOString() }),
      failed({ reason: "", outcome: "unknown", count: 4 }),
      total({ count: 9 }),
      failed({ kind: "deliveries", count: 9 }),
    ]
    const before = [failed({ reason: "recipient", count: 7 }), failed({ reason: "content" })]
    assert.deepStrictEqual(failuresBy("reason", totals, before, period), [
      { value: "", count: 4, whole: 4, before: 0 },
      { value: "recipient", count: 3, whole: 2, before: 7 },
    ])
    assert.deepStrictEqual(failuresBy("gateway", totals, before, period), [
      { value: "one", count: 7, whole: 6, before: 8 },
    ])
  })
})

describe("shares", () => {
  const words = { format: makeFormat("en"), t: english }

  it.each([
    [{ part: 0, of: 0 }, "—"],
    [{ part: 8, of: 15 }, "8 of 15"],
    [{ part: 19, of: 20 }, "95%"],
  ])("%j is written %s", (share, expected) => {
    assert.strictEqual(shareText(share, words), expected)
  })

  it.each([
    [95, 90, "+5 points"],
    [90, 95.5, "−5.5 points"],
    [90, 90, "0 points"],
  ])("from %d to %d is a change of points", (now, before, expected) => {
    const of = (part: number) => ({ part: part * 10, of: 1_000 })
    assert.strictEqual(pointsText(of(now), of(before), words), expected)
    assert.isUndefined(pointsText({ part: 1, of: 19 }, of(before), words))
  })

  it.each([
    [110, 100, "+10% against before"],
    [50, 100, "−50% against before"],
    [5, 0, undefined],
  ])("%d after %d is %s", (now, before, expected) => {
    assert.strictEqual(changeText(now, before, words), expected)
  })
})

it.each([
  [["0.10", "0.20"], "0.30"],
  [["12500.00", "-25.50"], "12474.50"],
  [["-0.05", "0.01"], "-0.04"],
  [["0.0001", "99999999999.9999"], "100000000000.00"],
  [[], "0.00"],
])("%j add up to exactly %s", (decimals, expected) => {
  assert.strictEqual(sum(decimals), expected)
})

it("subtracts exactly", () => {
  assert.strictEqual(minus("0.30", "0.10"), "0.20")
  assert.strictEqual(minus("0.10", "0.30"), "-0.20")
})

describe("the messages that hold an amount", () => {
  const found = ["0.50", "0.00", "0.25"].map((price) => ({ price }))

  it("are counted without those that cost nothing", () => {
    assert.strictEqual(holdsOf(found, "0.75"), 2)
    assert.strictEqual(holdsOf([], "0.00"), 0)
  })

  it("are not counted if they do not add up to what is held", () => {
    assert.isUndefined(holdsOf(found, "1.25"))
  })
})
