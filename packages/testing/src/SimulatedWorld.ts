/**
 * Several nodes in one process, on virtual time. A seed determines the order of all work that can run at a moment.
 * Two runs with one seed are equal, and other seeds try other orders.
 *
 * A node is a process: a scheduler, a clock, and the work that waits for it. `kill` stops it as SIGKILL would:
 * none of its fibers runs again, and no finalizer. `pause` stops it as SIGSTOP would. Effects of a node have to be
 * synchronous apart from what they wait for in this world: use `TestCrypto`, and no promise.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import { seededNumbers } from "./TestCrypto.ts"

type Task = () => void

interface Timer {
  readonly at: number
  run: Task | undefined
}

/** Most tasks of one moment. More are a loop without end. */
const maxTasks = 200_000

/** Most operations of a fiber before it lets others run. */
const maxOperations = 80

export class SimulatedWorld {
  readonly #draw: () => number
  readonly #ready: Array<Task> = []
  /** The latest first. */
  readonly #timers: Array<Timer> = []
  #now: number
  #operationsLeft = maxOperations
  #trace = 0x811c9dc5
  #otherTrace = 0x9e3779b9

  /** `now`: the first moment, in epoch milliseconds. */
  constructor(seed: number, now: number) {
    this.#draw = seededNumbers(seed)
    this.#now = now
  }

  /** Epoch milliseconds. No clock of a node changes it. */
  get now(): number {
    return this.#now
  }

  /** A digest of everything that has happened, and of its order. */
  get trace(): string {
    const [one, other] = [this.#trace, this.#otherTrace].map((part) => (part >>> 0).toString(16))
    return `${one}-${other}`
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return this.#draw() % limit
  }

  chance(probability: number): boolean {
    return this.#draw() < probability * 2 ** 32
  }

  pick<A>(list: readonly [A, ...ReadonlyArray<A>]): A {
    return list[this.below(list.length)] ?? list[0]
  }

  /** Adds to the trace what has happened. */
  note(text: string): void {
    for (let index = 0; index < text.length; index++) this.#mix(text.charCodeAt(index))
  }

  /** Runs a task at this moment, in any order with the others. */
  soon(task: Task): void {
    this.#ready.push(task)
  }

  /** Runs a task when the time has passed. Returns how to cancel it. */
  after(millis: number, task: Task): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, millis), run: task }
    let low = 0
    let high = this.#timers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#timers[middle]?.at ?? 0) > timer.at) low = middle + 1
      else high = middle
    }
    this.#timers.splice(low, 0, timer)
    return () => {
      timer.run = undefined
    }
  }

  /** Lets time pass, and runs all work that falls due meanwhile. */
  advance(millis: number): void {
    const end = this.#now + millis
    this.#drain()
    for (let next = this.#timers.at(-1); next !== undefined; next = this.#timers.at(-1)) {
      if (next.at > end) break
      this.#now = next.at
      this.#mix(next.at)
      while (this.#timers.at(-1)?.at === this.#now) {
        const task = this.#timers.pop()?.run
        if (task !== undefined) this.#ready.push(task)
      }
      this.#drain()
    }
    this.#now = end
  }

  /** Whether a fiber has to let others run now. */
  mustYield(): boolean {
    this.#operationsLeft -= 1
    if (this.#operationsLeft > 0) return false
    this.#operationsLeft = 1 + this.below(maxOperations)
    return true
  }

  #mix(value: number): void {
    this.#trace = Math.imul(this.#trace ^ value, 0x01000193)
    this.#otherTrace = Math.imul(this.#otherTrace ^ this.#trace, 0x85ebca6b) + value
  }

  #drain(): void {
    const ready = this.#ready
    for (let count = 0; ready.length > 0; count++) {
      if (count > maxTasks) throw new Error("The work of one moment does not end")
      const index = ready.length === 1 ? 0 : this.below(ready.length)
      const task = ready[index]
      const last = ready.pop()
      if (last !== undefined && index < ready.length) ready[index] = last
      this.#mix(index)
      task?.()
    }
  }
}

/** A node: a process with a clock of its own. */
export class SimulatedNode {
  readonly name: string
  /** Context of the node's fibers: its scheduler and its clock. Nothing is logged. */
  readonly context: Context.Context<never>
  readonly #world: SimulatedWorld
  #state: "running" | "paused" | "dead" = "running"
  #held: Array<Task> = []
  #wallOffset = 0

  constructor(world: SimulatedWorld, name: string) {
    this.name = name
    this.#world = world
    this.context = Context.empty().pipe(
      Context.add(Scheduler.Scheduler, schedulerOf(world, this)),
      Context.add(Clock.Clock, clockOf(world, this)),
      Context.add(References.MinimumLogLevel, "None"),
    )
  }

  get state(): "running" | "paused" | "dead" {
    return this.#state
  }

  /** Milliseconds by which the node's wall clock is ahead. Its monotonic clock is always right. */
  get wallOffset(): number {
    return this.#wallOffset
  }

  /** Sets the wall clock. */
  jump(wallOffset: number): void {
    this.#wallOffset = wallOffset
  }

  /** Ends the node. Data that it has sent may still arrive, and nothing that it waits for reaches it. */
  kill(): void {
    this.#state = "dead"
    this.#held = []
  }

  /** Stops the node. Time goes on. */
  pause(): void {
    if (this.#state === "running") this.#state = "paused"
  }

  resume(): void {
    if (this.#state !== "paused") return
    this.#state = "running"
    for (const task of this.#held.splice(0)) this.soon(task)
  }

  /** Runs a task on the node, unless it is dead by then. A paused node runs it later. */
  soon(task: Task): void {
    if (this.#state === "dead") return
    this.#world.soon(() => {
      if (this.#state === "running") task()
      else if (this.#state === "paused") this.#held.push(task)
    })
  }

  /**
   * Starts an effect on the node, and returns how to interrupt it. `done` is not called if the node dies before the end.
   */
  run<A, E, R>(
    effect: Effect.Effect<A, E, R>,
    services: Context.Context<R>,
    done: (exit: Exit.Exit<A, E>) => void,
  ): () => void {
    let interrupt = (): void => {}
    this.soon(() => {
      const fiber = Effect.runForkWith(Context.merge(services, this.context))(effect)
      fiber.addObserver(done)
      interrupt = () => fiber.interruptUnsafe()
    })
    return () => this.soon(() => interrupt())
  }
}

const schedulerOf = (world: SimulatedWorld, node: SimulatedNode): Scheduler.Scheduler => {
  const dispatcher: Scheduler.SchedulerDispatcher = {
    scheduleTask: (task) => node.soon(task),
    flush: () => {},
  }
  return {
    executionMode: "async",
    shouldYield: () => world.mustYield(),
    makeDispatcher: () => dispatcher,
  }
}

const nanos = (millis: number): bigint => BigInt(Math.floor(millis)) * 1_000_000n

/** The wall clock of a node can be wrong, its monotonic clock is right. */
export const clockOf = (
  world: SimulatedWorld,
  node: Pick<SimulatedNode, "soon" | "wallOffset">,
): Clock.Clock => {
  const wall = () => world.now + node.wallOffset
  const monotonic = () => nanos(world.now)
  return {
    currentTimeMillisUnsafe: wall,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanosUnsafe: () => nanos(wall()),
    currentTimeNanos: Effect.sync(() => nanos(wall())),
    monotonicTimeNanosUnsafe: monotonic,
    monotonicTimeNanos: Effect.sync(monotonic),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      if (!Number.isFinite(millis)) return Effect.never
      return Effect.callback<void>((resume) => {
        const cancel = world.after(millis, () => node.soon(() => resume(Effect.void)))
        return Effect.sync(cancel)
      })
    },
  }
}
