import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { FairQueue } from "../../src/internal/fairQueue.ts"

/** An event loop whose turns the test controls. */
const loop = (bounds: { readonly perKey: number; readonly maxInLine: number }) => {
  let planned: Array<() => void> = []
  const begun: Array<string> = []
  const fairQueue = new FairQueue(bounds, (turn) => planned.push(turn))
  return {
    turns: fairQueue,
    begun,
    ask: (keys: string) =>
      [...keys].map((key) => fairQueue.run(key, () => begun.push(key))).every((taken) => taken),
    turn: () => {
      const now = planned
      planned = []
      for (const one of now) one()
      return begun.splice(0).join("")
    },
    isIdle: () => planned.length === 0,
  }
}

describe("FairQueue", () => {
  it("starts a few requests of a busy key in each turn, and those of other keys at once", () => {
    const { ask, begun, isIdle, turn } = loop({ perKey: 2, maxInLine: 10 })
    assert.isTrue(ask("aaaaab"))
    assert.strictEqual(begun.splice(0).join(""), "aab")
    assert.isTrue(ask("b"))
    assert.strictEqual(turn(), "baa")
    assert.isTrue(ask("ac"))
    assert.strictEqual(turn(), "caa")
    assert.strictEqual(turn(), "")
    assert.isTrue(isIdle())
  })

  it("rejects requests beyond a key's queue, until there is room", () => {
    const { ask, turn } = loop({ perKey: 1, maxInLine: 2 })
    assert.isTrue(ask("aaa"))
    assert.isFalse(ask("a"))
    assert.isTrue(ask("b"))
    assert.strictEqual(turn(), "aba")
    assert.isTrue(ask("a"))
    assert.isFalse(ask("a"))
  })

  it("notifies when it is empty", () => {
    const { ask, turn, turns: fairQueue } = loop({ perKey: 1, maxInLine: 10 })
    let times = 0
    ask("aaa")
    fairQueue.whenEmpty(() => (times += 1))
    turn()
    assert.strictEqual(times, 0)
    turn()
    assert.strictEqual(times, 1)
  })

  it("law: everything starts once, in the order of its key, within the key's bound in each turn", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.array(FastCheck.constantFrom("a", "b", "c"), { maxLength: 20 })),
        FastCheck.integer({ min: 1, max: 4 }),
        (arrivals, perKey) => {
          let turn = 0
          const planned: Array<() => void> = []
          const begun: Array<{ key: string; id: number; turn: number }> = []
          const fairQueue = new FairQueue({ perKey, maxInLine: 1_000 }, (next) =>
            planned.push(next),
          )
          const next = (): void => {
            turn += 1
            planned.shift()?.()
          }
          let id = 0
          for (const keys of arrivals) {
            for (const key of keys) {
              const own = id++
              fairQueue.run(key, () => begun.push({ key, id: own, turn }))
            }
            next()
          }
          while (planned.length > 0) next()
          assert.strictEqual(begun.length, id)
          for (const [, own] of Map.groupBy(begun, ({ key }) => key)) {
            assert.deepStrictEqual(
              own.map((one) => one.id),
              own.map((one) => one.id).toSorted((x, y) => x - y),
            )
            for (const [, together] of Map.groupBy(own, (one) => one.turn)) {
              assert.isAtMost(together.length, perKey)
            }
          }
        },
      ),
    )
  })
})
