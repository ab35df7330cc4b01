/** Clocks that jump: those of nodes, which decide nothing, and that of the database, which goes back. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { onServer } from "../../../packages/postgres/test/fixtures/onServer.ts"
import type { NodeOptions } from "./engine.ts"
import type { Faults } from "./sessions.ts"

const live = Context.get(Context.empty(), Clock.Clock)

const hourMillis = 3_600_000

/** The host's clock with an offset. Its monotonic time is right, as that of a host whose clock was set. */
class JumpingClock implements Clock.Clock {
  aheadMillis = 0

  currentTimeMillisUnsafe(): number {
    return live.currentTimeMillisUnsafe() + this.aheadMillis
  }

  currentTimeNanosUnsafe(): bigint {
    return live.currentTimeNanosUnsafe() + BigInt(this.aheadMillis) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return live.monotonicTimeNanosUnsafe()
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = live.monotonicTimeNanos
  readonly sleep = live.sleep.bind(live)
}

/** What makes nodes whose clocks jump, and the faults. */
export const jumpingNodes = () => {
  const clocks = [new JumpingClock(), new JumpingClock()] as const
  const node = (index: number): Omit<NodeOptions, "url" | "vendor"> => ({
    clock: clocks[index % 2 === 0 ? 0 : 1],
  })
  /** F21: the clock of a node is set to a time within an hour of the right one. */
  const faults: Faults<unknown> = Effect.fnUntraced(function* ({ load, url }, trials, draw) {
    for (let trial = 0; trial < trials; trial++) {
      clocks[trial % 2 === 0 ? 0 : 1].aheadMillis = Math.round((2 * draw() - 1) * hourMillis)
      yield* load.next(3)
    }
    const ahead = yield* onServer(
      url(),
      `SELECT organization FROM countersign.accounts
        WHERE last_at > 1000 * extract(epoch FROM clock_timestamp()) + 1000`,
    )
    if (ahead.length > 0) throw new Error("I27: an organization has the time of a node")
    return { jumps: trials }
  })
  return { node, faults }
}

/** The same for the database: its clock goes back by up to an hour, and comes again. */
export const steppingDatabase = () => {
  let behindMillis = 0
  const clock = Effect.sync(() => Date.now() - behindMillis)
  /** F22. */
  const faults: Faults = Effect.fnUntraced(function* ({ load }, trials, draw) {
    for (let trial = 0; trial < trials; trial++) {
      behindMillis = draw() < 0.3 ? 0 : Math.round(draw() * hourMillis)
      yield* load.next(3)
    }
    behindMillis = 0
    return { stepsBack: trials }
  })
  return { node: () => ({ store: { clock } }), faults }
}
