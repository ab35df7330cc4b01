import { assert, describe, test } from "vitest"
import { othersShare, quietest } from "./quiet.ts"
import { busyTicks, familyTicks } from "./services/processTimes.ts"

describe("quiet check", () => {
  test("takes the bench's own processor time from that of all processes", () => {
    const before = { at: 1_000, busy: 50_000, own: 20_000 }
    assert.strictEqual(othersShare(before, { at: 2_000, busy: 51_700, own: 21_500 }, 2), 0.1)
    assert.strictEqual(othersShare(before, { at: 2_000, busy: 51_000, own: 21_020 }, 2), 0)
  })

  test("counts the descendants of a process, and those that have ended", () => {
    const processes = new Map([
      [1, { parent: 0, own: 1_000_000, ended: 0 }],
      [7, { parent: 1, own: 100, ended: 20 }],
      [8, { parent: 7, own: 3, ended: 0 }],
      [9, { parent: 8, own: 4, ended: 5 }],
      [10, { parent: 1, own: 2_000_000, ended: 0 }],
    ])
    assert.strictEqual(familyTicks(processes, 7), 132)
    assert.strictEqual(familyTicks(processes, 11), 0)
  })

  test("counts other virtual machines, and neither waiting nor interrupts", () => {
    const stat = "cpu  1 20 300 4000 50000 600000 7000000 80000000 0 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n"
    assert.strictEqual(busyTicks(stat), 80_000_321)
    assert.strictEqual(busyTicks(""), 0)
  })

  const runsOf = async (...shares: ReadonlyArray<number>) => {
    const left = [...shares]
    const lines: Array<string> = []
    const { others } = await quietest(
      async () => ({ value: undefined, others: left.shift() ?? Number.NaN }),
      (line) => lines.push(line),
    )
    return { others, runs: shares.length - left.length, lines }
  }

  test("keeps a round that others hardly disturbed", async () => {
    assert.deepEqual(await runsOf(0.05, 0), { others: 0.05, runs: 1, lines: [] })
  })

  test("repeats a round until it is quiet", async () => {
    assert.deepEqual(await runsOf(0.3, 0.2, 0.04, 0), {
      others: 0.04,
      runs: 3,
      lines: [
        "other processes took 30 % of the processors: repeat 1",
        "other processes took 20 % of the processors: repeat 2",
      ],
    })
  })

  test("keeps the quietest of four runs if none is quiet", async () => {
    const { others, runs } = await runsOf(0.3, 0.1, 0.2, 0.4, 0)
    assert.deepEqual({ others, runs }, { others: 0.1, runs: 4 })
  })
})
