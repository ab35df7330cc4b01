/**
 * Commits that commands share. Commands that arrive during a commit wait for the next one, without a timer; those
 * that are not urgent wait for the commit of others, at most 10 ms.
 */
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { Command, CommandResult, Tag } from "@countersign/core/decide/Command"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import type { CommitResult, ExecuteOptions, Store } from "@countersign/core/ports/Store"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { type Entry, makeEntry, makeWork } from "./batchWork.ts"
import type { RowCache } from "./rowCache.ts"
import type { Database } from "../database.ts"
import { text } from "../rows/columns.ts"
import type { Lane, Work } from "./transactions.ts"
import { type Kind, type BatchBounds, type TakenBatch, CommitQueue } from "./commitQueue.ts"

/** Reads the phone number of a command's request, where the rows of the request cannot be joined. */
type PhoneNumberOf = <T extends Tag>(
  command: Command<T>,
) => Effect.Effect<PhoneNumber | undefined, StoreUnavailable>

/**
 * Calls `run` after a time in milliseconds, unless the returned function is called before. By default the host's
 * timer: an engine whose clock stands still, as in tests, writes all the same.
 */
export const Delay = Context.Reference<(millis: number, run: () => void) => () => void>(
  "@countersign/postgres/internal/Delay",
  {
    defaultValue: () => (millis, run) => {
      const timer = setTimeout(run, millis)
      return () => clearTimeout(timer)
    },
  },
)

export interface Batches extends Pick<Store["Service"], "execute"> {
  /** The organizations with commands that are not written yet although no caller waits for them. */
  readonly unwritten: ReadonlyMap<string, unknown>
  /** Commits what an organization has unwritten, and waits for it, at most for a second. */
  readonly written: (organization: string) => Effect.Effect<void>
}

/**
 * Commits on one lane, and on more if commands wait for long or in great numbers. Using a second lane earlier
 * would halve the number of commands that share a commit, which costs more than it saves. Hot organizations are
 * the exception: they commit on a lane apart from regular ones, which therefore do not wait for long commits.
 * An organization is on one lane at a time. Closing the scope waits for the commits under way.
 */
export const make = Effect.fnUntraced(function* (
  database: Database,
  lanes: ReadonlyArray<Lane>,
  cache: RowCache,
  bounds: BatchBounds & { readonly maxWaiting: number },
  phoneNumberOf?: PhoneNumberOf,
): Effect.fn.Return<Batches, never, Scope.Scope> {
  const { clock, records, sql } = database
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const queue = new CommitQueue<Entry>()
  const free = [...lanes]
  const busy = new Set<string>()
  const served: Record<Kind, number> = { regular: 0, hot: 0, locked: 0 }
  // Lanes that wait for a lock leave one lane to regular organizations and one to hot ones.
  const maxServed: Record<Kind, number> = {
    regular: 1,
    hot: 1,
    locked: Math.max(1, lanes.length - 2),
  }
  const draining = new Set<Fiber.Fiber<void>>()
  const notifications: Array<() => void> = []
  let notifying: Fiber.Fiber<void> | undefined
  let watching = false
  let isClosing = false
  const delay = yield* Delay
  /** The last command of each organization that is unwritten. They are written in their order. */
  const unwritten = new Map<string, Deferred.Deferred<void>>()
  /** Stops the timer that runs out when a command that is not urgent has waited for `maxWait`. */
  let stopTimer = (): void => {}
  const work = makeWork(database, cache)
  const manyWait = bounds.maxOrganizations === 1 ? 1 : many

  const commit = Effect.fnUntraced(function* (lane: Lane, entries: ReadonlyArray<Entry>) {
    const hostNow = yield* clock.hostNow
    const started = yield* Clock.currentTimeNanos
    cache.keep(yield* yield* lane.transact(work(entries, hostNow)))
    const ended = yield* Clock.currentTimeNanos
    yield* Metric.update(Telemetry.batchSize, entries.length)
    yield* Metric.update(Telemetry.commitMillis, Number(ended - started) / 1e6)
  })

  // In later turns of the event loop, so that the next commit is sent first, and requests are read in between.
  const notify = Effect.gen(function* () {
    while (notifications.length > 0) {
      yield* Effect.yieldNow
      // A turn takes long under load, so four turns notify all callers of a commit.
      const count = Math.max(notifiedAtOnce, Math.ceil(notifications.length / 4))
      for (const next of notifications.splice(0, count)) next()
    }
    notifying = undefined
  })

  /** Returns the entries of the organizations that no other transaction has locked. */
  const unlocked = (entries: ReadonlyArray<Entry>): Work<ReadonlyArray<Entry>> => ({
    home: "",
    reads: () => [sql.lockUnlocked(organizationsOf(entries))],
    decide: ([found = nothing]) => {
      const names = new Set(found.rows.map((row) => text.decode(row, "organization")))
      return { value: entries.filter(({ organization }) => names.has(organization)), rows: [] }
    },
  })

  const settle = (
    exit: Exit.Exit<void, StoreUnavailable>,
    { entries, kind }: TakenBatch<Entry>,
  ) => {
    if (queue.isIdle && entries.length <= notifiedAtOnce) {
      // The queue has no further commit, so this delays none.
      for (const entry of entries) entry.settle(exit)
      return
    }
    const settled = entries.map((entry) => () => entry.settle(exit))
    if (kind === "regular") notifications.unshift(...settled)
    else notifications.push(...settled)
    notifying ??= runFork(notify)
  }

  /** Commits entries. Returns those that were not committed because a lock was held; they must wait for it. */
  const run = Effect.fnUntraced(function* (
    lane: Lane,
    taken: TakenBatch<Entry>,
  ): Effect.fn.Return<ReadonlyArray<Entry>> {
    const { entries, kind } = taken
    const exit = yield* Effect.exit(commit(lane, entries))
    if (Exit.hasDies(exit) && entries.length > 1) return yield* runHalves(lane, taken)
    if (isTimeout(exit) && organizationsOf(entries).length > 1) {
      // A single organization may be the cause. The others must not wait for it.
      const free = yield* Effect.exit(lane.transact(unlocked(entries)))
      if (Exit.isSuccess(free)) {
        // If no account is locked, another lock is the cause: each organization must try on its own.
        if (free.value.length === 0 || free.value.length === entries.length) return entries
        const left = yield* run(lane, { entries: free.value, kind })
        return [...entries.filter((entry) => !free.value.includes(entry)), ...left]
      }
    } else if (kind === "locked" || isTimeout(exit)) {
      for (const organization of organizationsOf(entries)) {
        if (isTimeout(exit)) queue.setLocked(organization)
        else queue.setUnlocked(organization)
      }
    }
    settle(exit, taken)
    return []
  })

  /** Commits the halves in turn, because a single command may cause the failure. Keeps each organization's order. */
  const runHalves = Effect.fnUntraced(function* (
    lane: Lane,
    { entries, kind }: TakenBatch<Entry>,
  ): Effect.fn.Return<ReadonlyArray<Entry>> {
    const middle = entries.length >>> 1
    const left = yield* run(lane, { entries: entries.slice(0, middle), kind })
    const waits = new Set(organizationsOf(left))
    const { behind = [], rest = [] } = Object.groupBy(entries.slice(middle), ({ organization }) =>
      waits.has(organization) ? "behind" : "rest",
    )
    if (rest.length === 0) return [...left, ...behind]
    return [...left, ...behind, ...(yield* run(lane, { entries: rest, kind }))]
  })

  const isServed = (kind: Kind): boolean => served[kind] >= maxServed[kind]

  /** Takes the entries of the next commit; with `apart`, only kinds that no other lane handles. */
  const take = (apart: boolean): TakenBatch<Entry> => {
    const kinds = (["regular", "hot", "locked"] as const).filter(
      (kind) => (apart || kind === "locked") && isServed(kind),
    )
    const taken = queue.take(bounds, { busy, kinds: new Set(kinds) })
    for (const { organization } of taken.entries) busy.add(organization)
    if (taken.kind !== undefined) served[taken.kind] += 1
    return taken
  }

  const drain = Effect.fnUntraced(function* (lane: Lane, first: TakenBatch<Entry>) {
    for (let taken = first; taken.kind !== undefined; taken = take(true)) {
      const left = yield* run(lane, taken)
      for (const { organization } of taken.entries) busy.delete(organization)
      served[taken.kind] -= 1
      queue.putBack(left)
      // Other lanes wait for their locks.
      for (let others = organizationsOf(left).length; others > 0; others--) start(true)
    }
    free.push(lane)
  })

  /** Starts one more lane, if one is free and has work. */
  const start = (apart: boolean): void => {
    const lane = free.pop()
    if (lane === undefined) return
    const taken = take(apart)
    if (taken.kind === undefined) {
      free.push(lane)
      return
    }
    const fiber = runFork(drain(lane, taken))
    draining.add(fiber)
    fiber.addObserver(() => void draining.delete(fiber))
  }

  /** Starts further lanes for commands that wait behind a long commit. */
  const watch = Effect.gen(function* () {
    while (!queue.isIdle) {
      const before = queue.taken
      yield* Effect.sleep(longWait)
      if (queue.taken === before) start(false)
    }
    watching = false
  })

  const startWatch = (): void => {
    if (watching || free.length === 0) return
    watching = true
    runFork(watch)
  }

  /** Commits what could wait: now, or after the commit under way. */
  const hurry = (): void => {
    stopTimer()
    queue.hurry()
    if (queue.isIdle) return
    start(true)
    if (!queue.isIdle) startWatch()
  }

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isClosing = true
      hurry()
      while (draining.size > 0) yield* Fiber.awaitAll(draining)
      if (notifying !== undefined) yield* Fiber.await(notifying)
    }),
  )

  const written: Batches["written"] = (organization) =>
    Effect.suspend(() => {
      const last = unwritten.get(organization)
      if (last === undefined) return Effect.void
      hurry()
      return Effect.raceFirst(
        Deferred.await(last),
        Effect.callback<void>((resume) =>
          Effect.sync(delay(maxReadWait, () => resume(Effect.void))),
        ),
      )
    })

  const enqueue = <T extends Tag>(
    command: Command<T>,
    options?: ExecuteOptions,
    phoneNumber?: PhoneNumber,
  ) =>
    Effect.callback<CommitResult<CommandResult<T>>, StoreUnavailable>((resume) => {
      const isUrgent = isClosing || (options?.isUrgent ?? true)
      const { organization } = command
      const done = Deferred.makeUnsafe<void>()
      const end: typeof resume = (result) => {
        if (unwritten.get(organization) === done) unwritten.delete(organization)
        Deferred.doneUnsafe(done, Effect.void)
        resume(result)
      }
      const entry = makeEntry(command, phoneNumber, records, isUrgent, isUrgent ? resume : end)
      if (!entry.isEnding && queue.size >= bounds.maxWaiting) return resume(Effect.fail(overloaded))
      queue.add(entry)
      if (!isUrgent) {
        unwritten.set(organization, done)
        if (queue.patient === 1) {
          stopTimer()
          stopTimer = delay(maxWait, hurry)
        }
        return
      }
      if (free.length === lanes.length || queue.size >= manyWait) start(false)
      else if (!busy.has(organization) && !isServed(queue.kindOf(organization, bounds))) start(true)
      else startWatch()
    })

  return {
    execute:
      phoneNumberOf === undefined
        ? enqueue
        : (command, options) =>
            Effect.flatMap(phoneNumberOf(command), (number) => enqueue(command, options, number)),
    unwritten,
    written,
  }
})

/** Number of waiting commands from which a second lane is worthwhile. */
const many = 128

/** How long a command may wait without a new commit before another lane starts. */
const longWait = Duration.millis(20)

/** Milliseconds that a command that is not urgent waits at most for the commit of others. */
const maxWait = 10

/** Milliseconds that a read waits at most: while another node holds the lock, it sees the older state. */
const maxReadWait = 1_000

const nothing = { rows: [] }

/** Minimum number of callers that one turn of the event loop notifies. */
const notifiedAtOnce = 64

const overloaded = new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })

/** Whether a commit failed with a time-out. Then nothing was committed; a lost connection would leave that open. */
const isTimeout = (exit: Exit.Exit<void, StoreUnavailable>): boolean =>
  Option.exists(Exit.findErrorOption(exit), ({ reason }) => reason === "timeout")

const organizationsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(entries.map(({ organization }) => organization)),
]
