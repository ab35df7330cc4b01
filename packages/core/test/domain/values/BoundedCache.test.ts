import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { BoundedCache } from "../../../src/domain/values/BoundedCache.ts"

describe("BoundedCache", () => {
  it("evicts the least recently used value when it is full", () => {
    const cache = new BoundedCache<string, number>(2)
    cache.set("a", 1)
    cache.set("b", 2)
    cache.get("a")
    cache.set("c", 3)
    assert.deepStrictEqual([cache.get("a"), cache.get("b"), cache.get("c")], [1, undefined, 3])
  })

  it("deletes a value on request", () => {
    const cache = new BoundedCache<string, number>(2)
    cache.set("a", 1)
    cache.delete("a")
    cache.delete("b")
    assert.isUndefined(cache.get("a"))
  })

  it("never exceeds its size, and never returns a replaced value", () => {
    const step = fc.record({
      key: fc.nat({ max: 9 }),
      does: fc.constantFrom("set", "get", "delete"),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step), (size, steps) => {
        const cache = new BoundedCache<number, number>(size)
        const latest = new Map<number, number>()
        for (const [index, { does, key }] of steps.entries()) {
          if (does === "set") {
            cache.set(key, index)
            latest.set(key, index)
          } else if (does === "delete") {
            cache.delete(key)
            latest.delete(key)
          } else {
            const found = cache.get(key)
            if (found !== undefined) assert.strictEqual(found, latest.get(key))
          }
        }
        const held = Array.from({ length: 10 }, (_, key) => cache.get(key))
        assert.isAtMost(held.filter((value) => value !== undefined).length, size)
      }),
    )
  })
})
