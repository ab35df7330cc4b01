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

  it("tells everybody who waits for it that nobody is inside, once", () => {
    const door = new Door({ max: 2, maxPerKey: 2 })
    const told: Array<string> = []
    entered(door, "ab")
    for (const name of ["one", "other"]) door.whenEmpty(() => told.push(name))
    door.leave("a")
    assert.deepStrictEqual(told, [])
    door.leave("b")
    entered(door, "a")
    door.leave("a")
    assert.deepStrictEqual(told, ["one", "other"])
    door.whenEmpty(() => told.push("at once"))
    assert.lengthOf(told, 3)
  })
})
