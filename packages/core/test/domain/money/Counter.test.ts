import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Counter from "../../../src/domain/money/Counter.ts"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"

const hour = 3_600_000

const answers = (name: string, count: number) => ({ name, count })

describe("a histogram of answers", () => {
  it.each([
    [0, "25"],
    [24, "25"],
    [25, "50"],
    [29_999, "30000"],
    [30_000, "more"],
    [1e9, "more"],
  ])("%d ms are below %s", (millis, bound) => {
    assert.strictEqual(Counter.boundOf(millis), bound)
  })

  it.each([
    ["no answer", [], null, null],
    ["one answer", [answers("100", 1)], 75, 98],
    ["two bounds", [answers("100", 90), answers("1000", 10)], 78, 875],
    ["all beyond the last bound", [answers("more", 3)], 30_000, 30_000],
    ["some beyond the last bound", [answers("25", 9), answers("more", 1)], 14, 30_000],
  ])("%s: half within %s, most within %s", (_, rows, p50, p95) => {
    const histogram = Counter.histogramOf(rows)
    const found = [Counter.quantile(histogram, 0.5), Counter.quantile(histogram, 0.95)]
    assert.deepStrictEqual(found, [p50, p95])
  })

  it("has a quantile between the bounds of the exact one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 29_999 }), { minLength: 1, maxLength: 50 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (times, share) => {
          const rows = times.map((millis) => answers(Counter.boundOf(millis), 1))
          const found = Counter.quantile(Counter.histogramOf(rows), share) ?? -1
          const exact = times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0
          const upper = Number(Counter.boundOf(exact))
          const below = Counter.answerBounds.filter((bound) => bound < upper).at(-1) ?? 0
          assert.isAtLeast(found, below)
          assert.isAtMost(found, upper)
        },
      ),
    )
  })
})

describe("sums of counters", () => {
  const row = (name: string, at: number, sequence: number): Counter.Counter =>
    Counter.one({ kind: "errors", subject: "a", name }, at, {
      organization: OrganizationId(`org-${sequence}`),
      sequence,
    })

  it("keep the newest message of an error, in any order", () => {
    const rows = [row("x", 5, 1), row("x", 9, 2), row("x", 7, 3), row("y", 1, 4)]
    for (const order of [rows, rows.toReversed()]) {
      const found = Counter.inSlots(order, hour).map(({ count, lastAt, lastSequence, name }) => [
        name,
        count,
        lastAt,
        lastSequence,
      ])
      assert.sameDeepMembers(found, [
        ["x", 3, 9, 2],
        ["y", 1, 1, 4],
      ])
    }
  })

  it("omit what counts nothing any more", () => {
    const sums = new Counter.Sums()
    const sent = Counter.one({ kind: "messages", subject: "a", name: "accepted" }, 0)
    sums.add(sent)
    sums.add({ ...sent, count: -1 })
    assert.deepStrictEqual(sums.rows(), [])
  })

  it("drop the slots before a time", () => {
    const sums = new Counter.Sums()
    for (const at of [0, hour, 2 * hour]) sums.add(row("x", at, 1))
    sums.dropBefore(hour)
    assert.deepStrictEqual(
      sums.rows().map((one) => one.hour),
      [hour, 2 * hour],
    )
  })
})
