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

  it.each([
    ["2001:db8:0:7::1", "2001:db8:0:7:ffff::2"],
    ["2001:db8::1", "2001:DB8:0:0:1:2:3:4"],
    ["::1", "0:0:0:0:1::"],
    ["2001:db8:1::", "2001:db8:1:0::9"],
  ])("of %s and %s are counted together, because one client has both", (one, other) => {
    const tries = makeTries()
    for (let count = 0; count < 10; count++) assert.isTrue(tries.admit(one, 0))
    assert.isFalse(tries.admit(other, 0))
    tries.clear(other)
    assert.isTrue(tries.admit(one, 0))
  })

  it.each([
    ["2001:db8:0:7::1", "2001:db8:0:8::1"],
    ["2001:db8::7:0:0:0:1", "2001:db8::8:0:0:0:1"],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.2"],
    ["192.0.2.1", "192.0.2.2"],
  ])("of %s and %s are counted apart", (one, other) => {
    const tries = makeTries()
    for (let count = 0; count < 10; count++) tries.admit(one, 0)
    assert.isTrue(tries.admit(other, 0))
  })

  it("from many addresses are limited together, once there are too many to count", () => {
    const tries = makeTries()
    for (let index = 0; index < 1_010; index++) {
      assert.isTrue(tries.admit(`2001:db8:0:${index}::1`, 0))
    }
    assert.isFalse(tries.admit("2001:db8:0:ffff::1", 0))
    assert.isFalse(tries.admit("2001:db8:0:fffe::1", 59_999))
    assert.isTrue(tries.admit("2001:db8:0:ffff::1", 60_000))
  })

  it("are counted for a minute, however many addresses come meanwhile", () => {
    const tries = makeTries()
    tries.admit("a", 0)
    for (let count = 0; count < 9; count++) tries.admit("a", 59_000)
    for (let index = 0; index < 999; index++) tries.admit(`2001:db8:0:${index}::1`, 59_000)
    assert.isTrue(tries.admit("2001:db8:0:ffff::1", 60_000))
    assert.isTrue(tries.admit("a", 60_000))
    assert.isFalse(tries.admit("a", 60_000))
  })
})

describe("turns", () => {
  it("are 60 at once, and then five in a second, one after another", () => {
    const take = makeTurns()
    const waits = Array.from({ length: 64 }, () => take(0))
    assert.deepStrictEqual([...new Set(waits.slice(0, 60))], [0])
    assert.deepStrictEqual(waits.slice(60), [200, 400, 600, 800])
    assert.strictEqual(take(900), 100)
  })

  it("are refused while too many wait, and no more than five in a second in the long run", () => {
    const take = makeTurns()
    let taken = 0
    for (let now = 0; now <= 3_600_000; now += 50) if (take(now) !== undefined) taken += 1
    assert.strictEqual(taken, 60 + 5 * (3_600 + maxWaitMillis / 1_000))
  })

  it("do not wait for a clock that was set back", () => {
    const take = makeTurns()
    take(3_600_000)
    assert.strictEqual(take(0), 0)
  })
})
