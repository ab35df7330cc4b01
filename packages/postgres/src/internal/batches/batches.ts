/**
 * Commits that commands share. Commands that arrive during a commit wait for the next one, without a timer. Commands
 * that are not urgent wait for the commit of others, at most 10 ms.
 */
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { Command, Tag } from "@countersign/core/decide/Command"
import { isEnding } from "@countersign/core/decide/Needs"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import type { ExecuteOptions, Store } from "@countersign/core/ports/Store"
import * as Call from "@countersign/core/engine/Call"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { CommandEntry, type Done, type Entry, makeWork } from "./batchWork.ts"
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
  const context = yield* Effect.context<never>()
  const runFork = Effect.runForkWith(context)
  const host = Context.get(context, Clock.Clock)
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
  /** The entries of commits whose callers are not notified yet. */
  let notifications: Array<Notification> = []
  let isNotifying = false
  let watching = false
  let isClosing = false
  /** Called when all lanes are free and all callers notified. */
  let whenIdle = (): void => {}
  const delay = yield* Delay
  /** The last command of each organization that is unwritten. They are written in their order. */
  const unwritten = new Map<string, Deferred.Deferred<void>>()
  /** Stops the timer that runs out when a command that is not urgent has waited for `maxWait`. */
  let stopTimer = (): void => {}
  const work = makeWork(database, cache)
  const manyWait = bounds.maxOrganizations === 1 ? 1 : many

  const commit = (
    lane: Lane,
    entries: ReadonlyArray<Entry>,
    done: Call.Done<void, StoreUnavailable>,
  ): void => {
    runFork(clock.hostNow).addObserver((hostNow) => {
      if (Exit.isFailure(hostNow)) return done(Exit.failCause(hostNow.cause))
      const started = host.monotonicTimeNanosUnsafe()
      let made: ReturnType<typeof work>
      try {
        made = work(entries, hostNow.value)
      } catch (defect) {
        return done(Exit.die(defect))
      }
      lane.transact(made, (exit) => {
        if (Exit.isFailure(exit)) return done(exit)
        if (Exit.isFailure(exit.value)) return done(exit.value)
        cache.keep(exit.value.value)
        const seconds = Number(host.monotonicTimeNanosUnsafe() - started) / 1e9
        Telemetry.batchSize.updateUnsafe(entries.length, context)
        Telemetry.commitSeconds.updateUnsafe(seconds, context)
        done(Exit.void)
      })
    })
  }

  const notify = (entry: Entry, exit: Exit.Exit<void, StoreUnavailable>): void => {
    try {
      entry.settle(exit)
    } catch (defect) {
      // A bug of the caller, which concerns no other.
      runFork(Effect.logError("The caller of a command failed", defect))
    }
  }

  // In later turns of the event loop, so that the next commit is sent first, and requests are read in between.
  const notifyNext = (): void => {
    // A turn takes long under load, so four turns notify all callers of a commit.
    const count = Math.max(notifiedAtOnce, Math.ceil(notifications.length / 4))
    const now = notifications.slice(0, count)
    notifications = notifications.slice(count)
    for (const { entry, exit } of now) notify(entry, exit)
    isNotifying = notifications.length > 0
    if (isNotifying) setImmediate(notifyNext)
    else whenIdle()
  }

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
      for (const entry of entries) notify(entry, exit)
      return
    }
    const settled = entries.map((entry) => ({ entry, exit }))
    notifications =
      kind === "regular" ? [...settled, ...notifications] : [...notifications, ...settled]
    if (!isNotifying) setImmediate(notifyNext)
    isNotifying = true
  }

  /** Commits entries. Continues with those that were not committed because a lock was held; they must wait for it. */
  const run = (lane: Lane, taken: TakenBatch<Entry>, next: Continue): void => {
    const { entries, kind } = taken
    commit(lane, entries, (exit) => {
      if (Exit.hasDies(exit) && entries.length > 1) return runHalves(lane, taken, next)
      if (isTimeout(exit) && organizationsOf(entries).length > 1) {
        // A single organization may be the cause. The others must not wait for it.
        return runUnlocked(lane, taken, exit, next)
      }
      if (kind === "locked" || isTimeout(exit)) {
        for (const organization of organizationsOf(entries)) {
          if (isTimeout(exit)) queue.setLocked(organization)
          else queue.setUnlocked(organization)
        }
      }
      settle(exit, taken)
      next([])
    })
  }

  /** Commits the entries of the organizations that are not locked, after the commit of all has failed with `exit`. */
  const runUnlocked = (
    lane: Lane,
    taken: TakenBatch<Entry>,
    exit: Exit.Exit<void, StoreUnavailable>,
    next: Continue,
  ): void => {
    const { entries, kind } = taken
    lane.transact(unlocked(entries), (found) => {
      if (Exit.isFailure(found)) {
        settle(exit, taken)
        return next([])
      }
      const free = found.value
      // If no account is locked, another lock is the cause: each organization must try on its own.
      if (free.length === 0 || free.length === entries.length) return next(entries)
      const locked = entries.filter((entry) => !free.includes(entry))
      run(lane, { entries: free, kind }, (left) => next([...locked, ...left]))
    })
  }

  /** Commits the halves in turn, because a single command may cause the failure. Keeps each organization's order. */
  const runHalves = (lane: Lane, { entries, kind }: TakenBatch<Entry>, next: Continue): void => {
    const middle = entries.length >>> 1
    run(lane, { entries: entries.slice(0, middle), kind }, (left) => {
      const waits = new Set(organizationsOf(left))
      const { behind = [], rest = [] } = Object.groupBy(entries.slice(middle), ({ organization }) =>
        waits.has(organization) ? "behind" : "rest",
      )
      if (rest.length === 0) return next([...left, ...behind])
      run(lane, { entries: rest, kind }, (others) => next([...left, ...behind, ...others]))
    })
  }

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

  /** Commits what was taken, and then what has arrived since. */
  const drain = (lane: Lane, taken: TakenBatch<Entry>): void => {
    const { entries, kind } = taken
    if (kind === undefined) {
      free.push(lane)
      return whenIdle()
    }
    run(lane, taken, (left) => {
      for (const { organization } of entries) busy.delete(organization)
      served[kind] -= 1
      queue.putBack(left)
      // Other lanes wait for their locks.
      for (let others = organizationsOf(left).length; others > 0; others--) start(true)
      drain(lane, take(true))
    })
  }

  /** Starts one more lane, if one is free and has work. */
  const start = (apart: boolean): void => {
    const lane = free.pop()
    if (lane === undefined) return
    drain(lane, take(apart))
  }

  /** Starts further lanes for commands that wait behind a long commit. */
  const watch = (): void => {
    watching = !queue.isIdle
    if (!watching) return
    const before = queue.taken
    setTimeout(() => {
      if (queue.taken === before) start(false)
      watch()
    }, longWait)
  }

  const startWatch = (): void => {
    if (!watching && free.length > 0) watch()
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
    Effect.callback<void>((resume) => {
      isClosing = true
      whenIdle = () => {
        if (free.length === lanes.length && !isNotifying) resume(Effect.void)
      }
      hurry()
      whenIdle()
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

  const add = <T extends Tag>(
    command: Command<T>,
    options: ExecuteOptions | undefined,
    done: Done<T>,
    phoneNumber?: PhoneNumber,
  ): void => {
    if (!isEnding(command) && queue.size >= bounds.maxWaiting) return done(overloaded)
    const isUrgent = isClosing || (options?.isUrgent ?? true)
    const { organization } = command
    const ended = isUrgent ? done : unwrittenUntil(organization, done)
    queue.add(new CommandEntry(command, phoneNumber, records, isUrgent, ended))
    if (!isUrgent) {
      if (queue.patient === 1) {
        stopTimer()
        stopTimer = delay(maxWait, hurry)
      }
      return
    }
    if (free.length === lanes.length || queue.size >= manyWait) start(false)
    else if (!busy.has(organization) && !isServed(queue.kindOf(organization, bounds))) start(true)
    else startWatch()
  }

  /** Notes a command that is not urgent, until it is done. */
  const unwrittenUntil = <T extends Tag>(organization: string, done: Done<T>): Done<T> => {
    const written = Deferred.makeUnsafe<void>()
    unwritten.set(organization, written)
    return (exit) => {
      if (unwritten.get(organization) === written) unwritten.delete(organization)
      Deferred.doneUnsafe(written, Effect.void)
      done(exit)
    }
  }

  const execute: Batches["execute"] = (command, options) =>
    Call.direct((context, done) => {
      if (phoneNumberOf === undefined) add(command, options, done)
      else {
        const added = Call.passing<PhoneNumber | undefined, StoreUnavailable>(done, (number) =>
          add(command, options, done, number),
        )
        Call.begin(phoneNumberOf(command), context, added, true)
      }
      return undefined
    })

  return {
    execute,
    unwritten,
    written,
  }
})

/** Gets the entries that have to wait for a lock. */
type Continue = (left: ReadonlyArray<Entry>) => void

interface Notification {
  readonly entry: Entry
  readonly exit: Exit.Exit<void, StoreUnavailable>
}

/** Number of waiting commands from which a second lane is worthwhile. */
const many = 128

/** Milliseconds that a command may wait without a new commit before another lane starts. */
const longWait = 20

/** Milliseconds that a command that is not urgent waits at most for the commit of others. */
const maxWait = 10

/** Milliseconds that a read waits at most: while another node holds the lock, it sees the older state. */
const maxReadWait = 1_000

const nothing = { rows: [] }

/** Minimum number of callers that one turn of the event loop notifies. */
const notifiedAtOnce = 64

const overloaded = Exit.fail(new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }))

/** Whether a commit failed with a time-out. Then nothing was committed; a lost connection would leave that open. */
const isTimeout = (exit: Exit.Exit<void, StoreUnavailable>): boolean =>
  Option.exists(Exit.findErrorOption(exit), ({ reason }) => reason === "timeout")

const organizationsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(entries.map(({ organization }) => organization)),
]
