import { assert, describe, it } from "vitest"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import * as Total from "../../../src/domain/money/Total.ts"

const row = (change: Partial<Total.Total> = {}): Total.Total => ({
  organization: OrganizationId("acme"),
  at: 0,
  kind: "messages",
  channel: "sms",
  gateway: "g",
  country: "BD",
  network: "",
  outcome: "delivered",
  reason: "",
  count: 1,
  amount: Money.make("0.5"),
  refunded: Money.zero,
  ...change,
})

describe("Total", () => {
  it.each([
    [0, 0],
    [899_999, 0],
    [900_000, 900_000],
    [Date.UTC(2026, 0, 31, 23, 59), Date.UTC(2026, 0, 31, 23, 45)],
  ])("the quarter of an hour of %s is that of %s", (at, start) => {
    assert.strictEqual(Total.slotOf(at), start)
  })

  it.each([
    [-1, "5"],
    [0, "5"],
    [4_999, "5"],
    [5_000, "15"],
    [899_999, "900"],
    [3_599_999, "3600"],
    [3_600_000, "more"],
  ])("a delivery after %s ms counts as %s", (millis, outcome) => {
    assert.strictEqual(Total.delayOf(millis), outcome)
  })

  const others: ReadonlyArray<Partial<Total.Total>> = [
    { at: 3_600_000 },
    { kind: "deliveries" },
    { channel: "whatsapp" },
    { gateway: "h" },
    { country: "IN" },
    { network: "Robi" },
    { outcome: "failed" },
    { reason: "recipient" },
  ]

  it("keeps rows apart that come after each other and differ in one dimension", () => {
    for (const other of others) {
      const rows = [row(), row(other), row()]
      assert.deepStrictEqual(Total.inSlots(rows, Total.hourMillis), [
        row({ count: 2, amount: Money.make("1") }),
        row(other),
      ])
    }
    const slots = Total.inSlots([row(), row({ at: 3_600_000 })], 2 * Total.hourMillis)
    assert.deepStrictEqual(slots, [row({ count: 2, amount: Money.make("1") })])
  })

  it("adds up quarters in the slots with the given starts", () => {
    const quarter = Total.quarterMillis
    const rows = [1, 2, 3, 6].map((index) => row({ at: index * quarter }))
    const slots = Total.inStarts(rows, [quarter, 3 * quarter])
    assert.deepStrictEqual(
      slots.map(({ at, count }) => [at / quarter, count]),
      [
        [1, 2],
        [3, 2],
      ],
    )
  })

  it("merges the dimensions that are not asked for", () => {
    const rows = [row(), ...others.map(row)]
    const named = (found: ReadonlyArray<Total.Total>) =>
      found.map(({ channel, count, country, gateway, kind, outcome }) =>
        [kind, channel, gateway, country, outcome, count].join(" "),
      )
    assert.deepStrictEqual(named(Total.by(rows, [])), [
      "messages     7",
      "messages     1",
      "deliveries     1",
    ])
    assert.deepStrictEqual(named(Total.by(rows, ["country", "channel"])), [
      "messages sms  BD  5",
      "messages sms  BD  1",
      "deliveries sms  BD  1",
      "messages whatsapp  BD  1",
      "messages sms  IN  1",
    ])
    assert.deepStrictEqual(Total.by(rows, Total.dimensions), rows)
  })
})

describe("sums", () => {
  const hours = [2, 1, 0].map((hour) => row({ at: hour * Total.hourMillis }))

  it("drop old hours, oldest first, and no more than the limit", () => {
    const sums = new Total.Sums()
    for (const one of hours) sums.add(one)
    const isOld = ({ at }: Total.Total): boolean => at < 2 * Total.hourMillis
    assert.strictEqual(sums.drop(isOld, 1), 1)
    const left = () => sums.rows().map(({ at }) => at / Total.hourMillis)
    assert.deepStrictEqual(left(), [2, 1])
    assert.strictEqual(sums.drop(isOld, 9), 1)
    assert.deepStrictEqual(left(), [2])
  })

  it("have no rows that count nothing, and keep those with money", () => {
    const sums = new Total.Sums()
    const empty = { count: 0, amount: Money.zero }
    sums.add(row({ ...empty, gateway: "none" }))
    sums.add(row({ ...empty, gateway: "refund", refunded: Money.make("1") }))
    sums.add(row({ ...empty, gateway: "amount", amount: Money.make("1") }))
    assert.deepStrictEqual(
      sums.rows().map(({ gateway }) => gateway),
      ["refund", "amount"],
    )
  })
})
