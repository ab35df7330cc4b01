/** One store that several nodes reach over a network that fails. It decides a command in one step. */
import type { Command, CommandResult, Tag } from "@countersign/core/decide/Command"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Call from "@countersign/core/engine/Call"
import type { NewQueuedSend, QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import type { CommitResult, Store, StoreEffect } from "@countersign/core/ports/Store"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import { clockOf, type SimulatedNode } from "../../SimulatedWorld.ts"
import { longStop, type Stage, stop } from "./stage.ts"

export const storeFaults = [
  "refuses",
  "loses the answer",
  "stalls",
  "the node dies before",
  "the node dies after",
  "the node stops for a while after",
] as const

export type StoreFault = (typeof storeFaults)[number]

interface Armed {
  readonly node: string
  readonly fault: StoreFault
  /** The write that it waits for. `undefined`: any write. */
  readonly on: Write | undefined
}

/** The writes, which change rows: commands, and methods of the outbox. */
export type Write = Tag | "enqueue" | "takeQueued"

/** Watches commits, in their order. */
export interface Witness {
  readonly before: (command: Command) => void
  readonly after: (
    node: SimulatedNode,
    command: Command,
    committed: CommitResult<CommandResult>,
  ) => void
  readonly enqueued: (sends: ReadonlyArray<NewQueuedSend>) => void
  readonly taken: (node: SimulatedNode, rows: ReadonlyArray<QueuedSend>) => void
}

/** How long a stalled answer takes. Stores have a bound for it. */
const stallMillis = 15_000

const unavailable = Exit.fail(new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 }))

export class SimulatedStore {
  readonly #stage: Stage
  readonly #inner: Store["Service"]
  readonly #context: Context.Context<never>
  readonly #clock: { wallOffset: number; readonly soon: (task: () => void) => void }
  readonly #armed: Array<Armed> = []
  #downUntil = 0
  #ahead = 0
  /** Number of restarts. An answer from before the last one is lost. */
  #life = 0
  /** Whether the clock has gone ahead at once, which ends leases early. */
  hasJumpedAhead = false
  witness: Witness | undefined
  kill: (node: SimulatedNode) => void = (node) => node.kill()

  constructor(stage: Stage, inner: Store["Service"]) {
    this.#stage = stage
    this.#inner = inner
    this.#clock = { wallOffset: 0, soon: (task) => stage.world.soon(task) }
    this.#context = Context.empty().pipe(
      Context.add(Clock.Clock, clockOf(stage.world, this.#clock)),
      Context.add(References.MinimumLogLevel, "None"),
    )
  }

  /** The latest time that a clock of the store has shown. */
  get latest(): number {
    return this.#stage.world.now + Math.max(0, this.#ahead)
  }

  /** Sets the store's clock. */
  jump(wallOffset: number): void {
    if (wallOffset > this.#clock.wallOffset) this.hasJumpedAhead = true
    this.#ahead = Math.max(this.#ahead, wallOffset)
    this.#clock.wallOffset = wallOffset
  }

  /** Ends all connections. Nothing answers until the time is over. */
  restart(millis: number): void {
    this.#life += 1
    this.#downUntil = this.#stage.world.now + millis
  }

  arm(armed: Armed): void {
    this.#armed.push(armed)
  }

  /** Ends all faults. */
  heal(): void {
    this.#armed.length = 0
    this.#downUntil = 0
  }

  /** Runs an effect inside the store, without the network. */
  now<A, E>(use: (store: Store["Service"]) => Effect.Effect<A, E>): A {
    const exit = this.#run(use(this.#inner))
    if (Exit.isSuccess(exit)) return exit.value
    throw new Error(`The store failed: ${String(exit.cause)}`)
  }

  /** The store as a node reaches it. */
  portOf(node: SimulatedNode): Store["Service"] {
    const execute: Store["Service"]["execute"] = <T extends Tag>(command: Command<T>) =>
      this.#through<CommitResult<CommandResult<T>>>(
        node,
        command._tag,
        () => this.#inner.execute(command),
        () => this.witness?.before(asAny(command)),
        (committed) => this.witness?.after(node, asAny(command), committed),
      )
    const own: Partial<Store["Service"]> = {
      execute,
      enqueue: (sends) =>
        this.#through(
          node,
          "enqueue",
          () => this.#inner.enqueue(sends),
          () => {},
          () => this.witness?.enqueued(sends),
        ),
      takeQueued: (shares, leaseMillis) =>
        this.#through(
          node,
          "takeQueued",
          () => this.#inner.takeQueued(shares, leaseMillis),
          () => {},
          (rows) => this.witness?.taken(node, rows),
        ),
      nextOfBatch: (share, leaseMillis) =>
        this.#through(
          node,
          "takeQueued",
          () => this.#inner.nextOfBatch(share, leaseMillis),
          () => {},
          (rows) => this.witness?.taken(node, rows),
        ),
      enqueueStatement: this.#inner.enqueueStatement,
    }
    return new Proxy(this.#inner, {
      get: (inner, name) => {
        const replaced: unknown = Reflect.get(own, name)
        if (replaced !== undefined) return replaced
        const member: unknown = Reflect.get(inner, name)
        if (typeof member === "function") {
          return (...args: ReadonlyArray<unknown>) =>
            this.#through(node, undefined, () => {
              const effect: unknown = Reflect.apply(member, inner, args)
              return isStoreEffect(effect) ? effect : Effect.die(effect)
            })
        }
        return isStoreEffect(member) ? this.#through(node, undefined, () => member) : member
      },
    })
  }

  #run<A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> {
    const exit = Effect.runForkWith(this.#context)(effect).pollUnsafe()
    if (exit === undefined) throw new Error("The store has to answer in one step")
    return exit
  }

  #faultFor(node: SimulatedNode, tag: Write | undefined): StoreFault | undefined {
    const index = this.#armed.findIndex(
      (one) => one.node === node.name && (one.on === undefined || one.on === tag),
    )
    return index < 0 ? undefined : this.#armed.splice(index, 1)[0]?.fault
  }

  #through<A>(
    node: SimulatedNode,
    tag: Write | undefined,
    effect: () => StoreEffect<A>,
    before: () => void = () => {},
    after: (value: A) => void = () => {},
  ): StoreEffect<A> {
    const { world } = this.#stage
    return Call.direct<A, StoreUnavailable>((_, done) => {
      let isOver = false
      const end: Call.Done<A, StoreUnavailable> = (exit) => {
        if (isOver) return
        isOver = true
        done(exit)
      }
      const life = this.#life
      const answer = (exit: Exit.Exit<A, StoreUnavailable>, millis = this.#stage.latency()) =>
        void world.after(millis, () =>
          node.soon(() => end(life === this.#life ? exit : unavailable)),
        )
      world.after(this.#stage.latency(), () => {
        const fault = this.#faultFor(node, tag)
        if (fault !== undefined) {
          this.#stage.meet(`fault: the store ${fault}`)
          this.#stage.tell(`${node.name}: ${tag ?? "a read"}: ${fault}`)
        }
        if (fault === "the node dies before") return this.kill(node)
        // A request of a dead node may be on its way.
        if (node.state === "dead" && world.chance(0.5)) return undefined
        const isDown = world.now < this.#downUntil || life !== this.#life
        if (isDown || fault === "refuses") return answer(unavailable)
        before()
        const exit = this.#run(effect())
        if (Exit.isSuccess(exit)) after(exit.value)
        if (fault === "the node dies after") return this.kill(node)
        if (fault === "the node stops for a while after") stop(this.#stage, node, longStop)
        if (fault === "stalls") return answer(unavailable, stallMillis)
        return answer(fault === "loses the answer" ? unavailable : exit)
      })
      // What was sent is awaited, except reads.
      return tag === undefined ? () => end(Exit.interrupt()) : undefined
    })
  }
}

/** The same command, as one of any tag. */
function asAny<T extends Tag>(command: Command<T>): Command
function asAny(command: unknown): unknown {
  return command
}

const isStoreEffect = (value: unknown): value is StoreEffect<unknown> => Effect.isEffect(value)
