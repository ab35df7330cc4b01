import { assert, describe, it } from "@effect/vitest"
import { Unwritten } from "../../../src/internal/batches/unwritten.ts"

/** Commands of an organization, and what waits for them. */
const setup = () => {
  const timers = new Map<() => void, number>()
  const unwritten = new Unwritten((millis, run) => {
    timers.set(run, millis)
    return () => timers.delete(run)
  })
  const told: Array<string> = []
  const wait = (name: string) => unwritten.wait("a", () => void told.push(name))
  return { timers, unwritten, told, wait }
}

describe("Unwritten", () => {
  it("lets a read wait for the commands before it only", () => {
    const { timers, told, unwritten, wait } = setup()
    unwritten.add("a")
    wait("first")
    unwritten.add("a")
    wait("second")
    unwritten.add("b")
    unwritten.remove("b")
    assert.deepStrictEqual(told, [])
    unwritten.remove("a")
    assert.deepStrictEqual(told, ["first"])
    assert.isTrue(unwritten.has("a"))
    unwritten.add("a")
    unwritten.remove("a")
    assert.deepStrictEqual(told, ["first", "second"])
    unwritten.remove("a")
    assert.isFalse(unwritten.has("a"))
    assert.deepStrictEqual(unwritten.organizations, [])
    assert.strictEqual(timers.size, 0)
  })

  it("does not let a read wait when nothing is to be written", () => {
    const { timers, told, wait } = setup()
    wait("one")
    assert.deepStrictEqual(told, ["one"])
    assert.strictEqual(timers.size, 0)
  })

  it("lets a read wait for a second at most", () => {
    const { timers, told, unwritten, wait } = setup()
    unwritten.add("a")
    wait("one")
    assert.deepStrictEqual([...timers.values()], [1_000])
    for (const [run] of timers) run()
    assert.deepStrictEqual(told, ["one"])
    unwritten.remove("a")
    assert.deepStrictEqual(told, ["one"], "once")
  })

  it("tells a read that was given up nothing", () => {
    const { timers, told, unwritten, wait } = setup()
    unwritten.add("a")
    wait("one")()
    assert.strictEqual(timers.size, 0)
    unwritten.remove("a")
    assert.deepStrictEqual(told, [])
  })
})
