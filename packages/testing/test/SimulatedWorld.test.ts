import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SimulatedNode, SimulatedWorld } from "../src/SimulatedWorld.ts"

const none = Context.empty()

/** Runs an effect on a node that gets what it does, and returns what it has done after a second. */
const onNode = (
  effect: (note: (what: string) => Effect.Effect<void>) => Effect.Effect<unknown>,
  interfere: (node: SimulatedNode, world: SimulatedWorld) => void,
): ReadonlyArray<string> => {
  const done: Array<string> = []
  const world = new SimulatedWorld(1, 0)
  const node = new SimulatedNode(world, "node")
  node.run(
    effect((what) => Effect.sync(() => void done.push(what))),
    none,
    () => done.push("end"),
  )
  world.advance(100)
  interfere(node, world)
  world.advance(900)
  return done
}

const work = (note: (what: string) => Effect.Effect<void>) =>
  Effect.ensuring(
    Effect.andThen(Effect.andThen(note("begin"), Effect.sleep(500)), note("work")),
    note("finalizer"),
  )

describe("a node", () => {
  it("ends without its finalizers when it is killed", () => {
    assert.deepStrictEqual(
      onNode(work, (node) => node.kill()),
      ["begin"],
    )
  })

  it("goes on where it was when its pause is over, and time has passed", () => {
    const paused = (millis: number) =>
      onNode(work, (node, world) => {
        node.pause()
        world.after(millis, () => node.resume())
      })
    assert.deepStrictEqual(paused(2_000), ["begin"])
    assert.deepStrictEqual(paused(700), ["begin", "work", "finalizer", "end"])
  })

  it("has a wall clock that may be wrong, and a monotonic clock that is right", () => {
    const times: Array<number> = []
    onNode(
      () =>
        Effect.andThen(
          Effect.sleep(500),
          Effect.clockWith((clock) =>
            Effect.sync(() => {
              times.push(clock.currentTimeMillisUnsafe())
              times.push(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
            }),
          ),
        ),
      (node) => node.jump(-3_600_000),
    )
    assert.deepStrictEqual(times, [500 - 3_600_000, 500])
  })
})

describe("a world", () => {
  const orderOf = (seed: number): string => {
    const world = new SimulatedWorld(seed, 0)
    const order: Array<number> = []
    for (let task = 0; task < 8; task++) world.soon(() => order.push(task))
    world.advance(0)
    return `${order.join(" ")} ${world.trace}`
  }

  it("runs the work of one moment in an order that its seed determines", () => {
    const orders = [1, 2, 3, 4].map(orderOf)
    assert.deepStrictEqual([1, 2, 3, 4].map(orderOf), orders)
    assert.strictEqual(new Set(orders).size, 4)
  })

  it("fails if the work of a moment does not end", () => {
    const world = new SimulatedWorld(1, 0)
    const again = (): void => world.soon(again)
    again()
    assert.throws(() => world.advance(0), /does not end/)
  })

  it("runs no timer that was cancelled", () => {
    const world = new SimulatedWorld(1, 0)
    const rung: Array<number> = []
    const cancel = world.after(10, () => rung.push(10))
    world.after(20, () => rung.push(world.now))
    cancel()
    world.advance(1_000)
    assert.deepStrictEqual(rung, [20])
  })

  it("gives effects the time of their node", () => {
    const world = new SimulatedWorld(1, 1_000)
    const node = new SimulatedNode(world, "node")
    const seen: Array<number> = []
    const read = Effect.map(Clock.currentTimeMillis, (now) => void seen.push(now))
    node.run(Effect.andThen(Effect.sleep(250), read), none, () => {})
    world.advance(1_000)
    assert.deepStrictEqual(seen, [1_250])
  })
})
