/**
 * Commits shared by commands: what arrives while a commit is under way goes into the next one. There is
 * no timer, so a command that comes alone waits for nobody.
 */
import { StoreUnavailable } from "@countersign/core/Errors"
import type { Command, Outcome, Tag } from "@countersign/core/Command"
import * as Decision from "@countersign/core/Decision"
import type { Committed } from "@countersign/core/Store"
import * as Telemetry from "@countersign/core/Telemetry"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { BatchRows, Wanted } from "./batchRows.ts"
import * as Columns from "./columns.ts"
import type { Statements } from "./statements.ts"
import type { Writes } from "./writes.ts"
import type { Lane, Work } from "./transactions.ts"
import { type Share, Waiting } from "./waiting.ts"

export interface BatchOptions {
  /** Commands that one commit may carry. */
  readonly share: Share
  /** Commands that may wait in front of one lane; beyond it they are refused at once. */
  readonly maxWaiting: number
  /** The time of a decision; `undefined` takes the database's, read while the locks are held. */
  readonly clock: Effect.Effect<number> | undefined
}

/** A command on its way, with its types hidden: what it comes to is kept until the commit is known. */
interface Entry {
  readonly organization: string
  readonly want: (wanted: Wanted) => void
  readonly decide: (rows: Decision.Rows, now: number) => Decision.Writes
  readonly settle: (exit: Exit.Exit<void, StoreUnavailable>) => void
}

export interface Batches {
  readonly execute: <T extends Tag>(
    command: Command<T>,
  ) => Effect.Effect<Committed<Outcome<T>>, StoreUnavailable>
}

const makeEntry = <T extends Tag>(
  command: Command<T>,
  resume: (effect: Effect.Effect<Committed<Outcome<T>>, StoreUnavailable>) => void,
): Entry => {
  let committed: Committed<Outcome<T>> | undefined
  return {
    organization: command.organization,
    want: (wanted) => wanted.add(command),
    decide: (rows, clockMillis) => {
      const now = Decision.timeOf(rows.account, clockMillis)
      const decision = Decision.decide(Decision.view(rows, command), command, now)
      committed = { outcome: decision.outcome, events: decision.events }
      return decision.writes
    },
    settle: (exit) => {
      if (Exit.isFailure(exit)) resume(Effect.failCause(exit.cause))
      else if (committed !== undefined) resume(Effect.succeed(committed))
    },
  }
}

/** One lane's queue. Closing the scope waits for what is under way. */
const makeQueue = Effect.fnUntraced(function* (
  lane: Lane,
  sql: Statements,
  writes: Writes,
  options: BatchOptions,
): Effect.fn.Return<Batches, never, Scope.Scope> {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Waiting<Entry>()
  let draining: Fiber.Fiber<void> | undefined
  const known: Array<() => void> = []
  let telling: Fiber.Fiber<void> | undefined

  const work = (entries: ReadonlyArray<Entry>, effectNow: number | undefined): Work<void> => {
    const wanted = new Wanted()
    for (const entry of entries) entry.want(wanted)
    const organizations = wanted.organizations()
    const reads = wanted.statements(sql)
    return {
      home: organizations[0] ?? "",
      accounts: organizations,
      reads: reads.map(({ statement }) => statement),
      decide: ([accounts = nothing, ...results]) => {
        const rows = new BatchRows()
        rows.loadAccounts(accounts.rows)
        for (const [index, { kind }] of reads.entries()) {
          rows.load(kind, results[index]?.rows ?? [])
        }
        // The last account's, because its lock was the last to be given.
        const last = accounts.rows.at(-1)
        const now = effectNow ?? (last === undefined ? 0 : Columns.numberOf(last, "now"))
        for (const entry of entries) {
          const own = rows.of(entry.organization)
          rows.apply(own, entry.decide(own, now))
        }
        return { value: undefined, rows: rows.writes(writes) }
      },
    }
  }

  const commit = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>) {
    const now = options.clock === undefined ? undefined : yield* options.clock
    const started = yield* Clock.currentTimeNanos
    yield* lane.transact(work(entries, now))
    const ended = yield* Clock.currentTimeNanos
    yield* Metric.update(Telemetry.batchSize, entries.length)
    yield* Metric.update(Telemetry.commitMillis, Number(ended - started) / 1e6)
  })

  // The callers of a commit are told a few at a time, with a turn of the event loop before each few: the
  // next commit is on its way by then, and the database works on it while this process answers.
  const tell = Effect.gen(function* () {
    while (known.length > 0) {
      yield* Effect.yieldNow
      for (const next of known.splice(0, toldAtOnce)) next()
    }
    telling = undefined
  })

  const run = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>): Effect.fn.Return<void> {
    const exit = yield* Effect.exit(commit(entries))
    if (Exit.isSuccess(exit) || !isTimeout(exit) || !isShared(entries)) {
      for (const entry of entries) known.push(() => entry.settle(exit))
      telling ??= runFork(tell)
      return
    }
    // One organization may be the reason; the others must not pay for it.
    for (const organization of new Set(entries.map((entry) => entry.organization))) {
      yield* run(entries.filter((entry) => entry.organization === organization))
    }
  })

  const drain = Effect.gen(function* () {
    while (waiting.size > 0) yield* run(waiting.take(options.share))
    draining = undefined
  })

  const done = (fiber: Fiber.Fiber<void> | undefined) =>
    fiber === undefined ? Effect.void : Fiber.await(fiber)
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.suspend(() => done(draining)),
      Effect.suspend(() => done(telling)),
    ),
  )

  return {
    execute: (command) =>
      Effect.callback((resume) => {
        if (waiting.size >= options.maxWaiting) {
          resume(Effect.fail(overloaded))
          return
        }
        waiting.add(makeEntry(command, resume))
        draining ??= runFork(drain)
      }),
  }
})

const nothing = { rows: [] }

/** How many callers are told before the event loop has its turn. */
const toldAtOnce = 8

const overloaded = new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })

/** Nothing of it was committed, which a lost connection would leave open. */
const isTimeout = (exit: Exit.Exit<void, StoreUnavailable>): boolean =>
  Option.match(Exit.findErrorOption(exit), {
    onNone: () => false,
    onSome: ({ reason }) => reason === "timeout",
  })

const isShared = (entries: ReadonlyArray<Entry>): boolean =>
  new Set(entries.map((entry) => entry.organization)).size > 1

/** Spreads organizations over lanes; one organization is always on the same one. */
export const make = Effect.fnUntraced(function* (
  lanes: ReadonlyArray<Lane>,
  sql: Statements,
  writes: Writes,
  options: BatchOptions,
) {
  const queues = yield* Effect.forEach(lanes, (lane) => makeQueue(lane, sql, writes, options))
  const batches: Batches = {
    execute: (command) => {
      const queue = queues[hash(command.organization) % queues.length]
      return queue === undefined
        ? Effect.die(new Error("A store needs a lane"))
        : queue.execute(command)
    },
  }
  return batches
})

const hash = (text: string): number => {
  let value = 0
  for (let index = 0; index < text.length; index++) {
    value = (Math.imul(value, 31) + text.charCodeAt(index)) >>> 0
  }
  return value
}
