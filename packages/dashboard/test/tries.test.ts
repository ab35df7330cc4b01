import { assert, describe, it } from "vitest"
import { makeTries, makeTurns, maxWaitMillis } from "../src/internal/tries.ts"

describe("tries of passwords", () => {
  it("are ten in a minute for each address", () => {
    const tries = makeTries()
    for (let count = 0; count < 10; count++) assert.isTrue(tries.admit("a", 0))
    assert.isFalse(tries.admit("a", 59_999))
    assert.isTrue(tries.admit("b", 59_999))
    assert.isTrue(tries.admit("a", 60_000))
    tries.clear("a")
    for (let count = 0; count < 10; count++) assert.isTrue(tries.admit("a", 60_000))
  })

  it("from many addresses are limited together, once there are too many to count", () => {
    const tries = makeTries()
    for (let index = 0; index < 1_010; index++) assert.isTrue(tries.admit(`2001:db8::${index}`, 0))
    assert.isFalse(tries.admit("2001:db8::ffff", 0))
    assert.isFalse(tries.admit("2001:db8::fffe", 59_999))
    assert.isTrue(tries.admit("2001:db8::ffff", 60_000))
  })

  it("are counted for a minute, however many addresses come meanwhile", () => {
    const tries = makeTries()
    tries.admit("a", 0)
    for (let count = 0; count < 9; count++) tries.admit("a", 59_000)
    for (let index = 0; index < 999; index++) tries.admit(`2001:db8::${index}`, 59_000)
    assert.isTrue(tries.admit("2001:db8::ffff", 60_000))
    assert.isTrue(tries.admit("a", 60_000))
    assert.isFalse(tries.admit("a", 60_000))
  })
})

describe("turns", () => {
  it("are 60 at once, and then five in a second, one after another", () => {
    const turns = makeTurns()
    const waits = Array.from({ length: 64 }, () => turns.take(0))
    assert.deepStrictEqual([...new Set(waits.slice(0, 60))], [0])
    assert.deepStrictEqual(waits.slice(60), [200, 400, 600, 800])
    assert.strictEqual(turns.take(900), 100)
  })

  it("are refused while too many wait, and no more than five in a second in the long run", () => {
    const turns = makeTurns()
    let taken = 0
    for (let now = 0; now <= 3_600_000; now += 50) if (turns.take(now) !== undefined) taken += 1
    assert.strictEqual(taken, 60 + 5 * (3_600 + maxWaitMillis / 1_000))
  })

  it("do not wait for a clock that was set back", () => {
    const turns = makeTurns()
    turns.take(3_600_000)
    assert.strictEqual(turns.take(0), 0)
  })
})
