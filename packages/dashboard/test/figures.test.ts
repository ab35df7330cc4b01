import { assert, describe, it } from "vitest"
import type { Total } from "../app/api/types.ts"
import { figuresOf, holdsOf, periodOf } from "../app/pages/overview/figures.ts"
import { minus, sum } from "../app/ui/decimal.ts"

const now = Date.UTC(2026, 10, 22, 19, 30)

const total = (given: Partial<Total>): Total => ({
  at: "2026-11-22T18:00:00.000Z",
  kind: "messages",
  channel: "sms",
  gateway: "one",
  country: "",
  outcome: "delivered",
  count: 1,
  amount: "0.50",
  refunded: "0.00",
  ...given,
})

describe("a range", () => {
  it.each([
    ["hour", "2026-11-22T18:00:00.000Z", "hour", 2],
    ["day", "2026-11-21T19:00:00.000Z", "hour", 25],
    ["week", "2026-11-15T19:00:00.000Z", "hour", 169],
    ["month", "2026-10-23T00:00:00.000Z", "day", 31],
    ["year", "2025-11-22T00:00:00.000Z", "day", 366],
  ] as const)("of a %s begins at %s, by the %s, in %i slots", (range, from, every, slots) => {
    const period = periodOf(range, now)
    assert.deepStrictEqual(period, { from, to: "2026-11-22T20:00:00.000Z", every })
    assert.lengthOf(figuresOf([], period).lines.times, slots)
  })
})

describe("the figures", () => {
  const period = periodOf("hour", now)

  it("count what was delivered of what has an outcome, and what waits for a report", () => {
    const found = figuresOf(
      [
        total({ count: 6 }),
        total({
          outcome: "undelivered",
          count: 2,
          gateway: "two",
          refunded: "1.00",
          amount: "1.00",
        }),
        total({ outcome: "rejected", count: 3, amount: "0.00" }),
        total({ outcome: "accepted", count: 4, channel: "whatsapp" }),
      ],
      period,
    )
    assert.deepInclude(found, {
      messages: 15,
      delivered: 6,
      withOutcome: 11,
      waiting: 4,
      spent: "1.00",
      refunded: "1.00",
    })
    assert.deepStrictEqual(found.failures, [
      { gateway: "one", outcome: "rejected", count: 3 },
      { gateway: "two", outcome: "undelivered", count: 2 },
    ])
    assert.deepStrictEqual(
      found.channels.map(({ all, channel }) => [channel, all]),
      [
        ["sms", 11],
        ["whatsapp", 4],
      ],
    )
    assert.deepStrictEqual(found.lines.all, [15, 0])
    assert.deepStrictEqual(found.lines.failed, [5, 0])
  })

  it("tell the bound below which half of the messages arrive", () => {
    const delay = (outcome: string, count: number) => total({ kind: "deliveries", outcome, count })
    const found = figuresOf([delay("more", 1), delay("15", 3), delay("5", 2)], period)
    assert.deepStrictEqual(found.median, { below: 15, count: 3 })
    assert.strictEqual(found.measured, 6)
    assert.deepStrictEqual(
      found.delays.map(({ below }) => below),
      [5, 15, undefined],
    )
    assert.isUndefined(figuresOf([], period).median)
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
