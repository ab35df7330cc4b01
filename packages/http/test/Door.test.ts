import { assert, describe, it } from "@effect/vitest"
import { Door } from "../src/Door.ts"

const entered = (door: Door, keys: string): string =>
  [...keys].map((key) => (door.enter(key) ? key : "-")).join("")

describe("the door", () => {
  it("lets in as many as there is room for, in all and for each key", () => {
    const door = new Door({ max: 5, maxPerKey: 3 })
    assert.strictEqual(entered(door, "aaaabbb"), "aaa-bb-")
    assert.strictEqual(door.size, 5)
  })

  it("has room again for every one that leaves", () => {
    const door = new Door({ max: 3, maxPerKey: 2 })
    assert.strictEqual(entered(door, "aab"), "aab")
    door.leave("a")
    assert.strictEqual(entered(door, "aa"), "a-")
    for (const key of "aab") door.leave(key)
    assert.strictEqual(door.size, 0)
    assert.strictEqual(entered(door, "bbb"), "bb-")
  })
})
