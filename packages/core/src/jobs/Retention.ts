/**
 * Deletes old rows: messages, finished requests, events, and phone numbers without recent requests. By default, it
 * deletes refusals only. The sealed codes of expired requests are always erased.
 *
 * Each step examines a few hundred rows in a short transaction. The pause after it is proportional to its
 * duration, so retention slows down if the database is slow or busy. An organization whose lock is not
 * available is skipped for a while. Any number of nodes may run retention at once.
 */
import { RetentionPolicy, keptFor, type KeptKind } from "../engine/RetentionPolicy.ts"
import * as Tracing from "../engine/Tracing.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import * as Schedule from "effect/Schedule"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { BusyOrganizations, isBusy } from "../engine/internal/busyOrganizations.ts"
import { PruneQueue, pageSize, type PruneTask } from "./internal/pruneQueue.ts"
import { type PruneStep, Store } from "../ports/Store.ts"
import * as Telemetry from "../engine/Telemetry.ts"

const kindsOf = (kept: ReturnType<typeof keptFor>): ReadonlyArray<KeptKind> =>
  Struct.keys(kept).filter((kind) => Duration.isFinite(kept[kind]))

/** Number of rows that one round has dropped, by kind. */
export interface Round extends Readonly<Record<KeptKind, number>> {
  /** Whether no work is left until the next scan. */
  readonly isDone: boolean
}

export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Runs one round: one step for each task of the next organizations, and for each unfinished task. A scan
     * begins when the previous one is complete and the interval has passed.
     */
    readonly round: Effect.Effect<Round, StoreUnavailable>
    /** Erases the sealed codes of all requests that have expired, and returns their number. */
    readonly eraseCodes: Effect.Effect<number, StoreUnavailable>
  }
>()("@countersign/core/jobs/Retention") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const policy = yield* RetentionPolicy
  const kept = keptFor(policy)
  const busy = new BusyOrganizations()
  const oneAtATime = yield* Semaphore.make(1)
  const pruneQueue = new PruneQueue(kindsOf(kept), Duration.toMillis(policy.interval))

  /** Runs a step and pauses in proportion to its duration, without the wait for an organization's lock. */
  const step = Effect.fnUntraced(function* (given: Omit<PruneStep, "limit">) {
    const run = store.prune({ ...given, limit: Math.max(1, policy.stepRows) })
    const [time, pruned] = yield* Effect.timed(busy.run(given.organization, run))
    yield* Effect.sleep(Duration.times(time, 1 / policy.share - 1))
    return pruned
  })

  /** Runs a task and returns the number of dropped rows; `undefined` if the organization is busy. */
  const runTask = Effect.fnUntraced(function* (task: PruneTask) {
    const keepMillis = Math.ceil(Duration.toMillis(kept[task.kind]))
    const pruned = yield* step({ ...task, keepMillis }).pipe(
      Effect.tapError(() => Effect.sync(() => pruneQueue.requeue(task))),
      Effect.catchIf(isBusy, () => Effect.undefined),
      Effect.catchDefect(() =>
        Effect.as(Effect.logError("An organization could not be pruned", task), {
          dropped: 0,
          next: undefined,
        }),
      ),
    )
    if (pruned === undefined) return undefined
    const { dropped, next } = pruned
    if (next !== undefined) pruneQueue.requeue({ ...task, after: next })
    yield* Telemetry.countDropped(task.kind, dropped)
    return dropped
  })

  const round = Effect.gen(function* () {
    if (pruneQueue.isScanning(yield* Clock.currentTimeMillis)) {
      pruneQueue.addPage(yield* store.organizations(pruneQueue.after, pageSize))
    }
    const dropped = Record.map(kept, () => 0)
    let isAnyDone = pruneQueue.length === 0
    for (let left = pruneQueue.length; left > 0; left--) {
      const task = pruneQueue.next()
      const rows = task && (yield* runTask(task))
      if (task === undefined || rows === undefined) continue
      isAnyDone = true
      dropped[task.kind] += rows
    }
    // All are busy. Without a pause, a caller that runs rounds in a loop would query them constantly.
    if (!isAnyDone) yield* Effect.sleep(busyPause)
    return { ...dropped, isDone: pruneQueue.isOver }
  }).pipe(Effect.withSpan("Retention.round", Tracing.background), oneAtATime.withPermit)

  /**
   * Leaves the messages that arrive meanwhile to the next call. An organization may send faster than the steps
   * examine, and would otherwise keep all others waiting.
   */
  const eraseCodesOf = Effect.fnUntraced(function* (organization: OrganizationId) {
    const last = (yield* store.account(organization))?.lastMessage ?? 0
    let erased = 0
    let after: string | undefined
    do {
      const pruned = yield* oneAtATime.withPermit(
        step({ organization, kind: "codes", keepMillis: 0, after }),
      )
      // A round that waits for the permit is next.
      yield* Effect.yieldNow
      erased += pruned.dropped
      after = pruned.next
    } while (after !== undefined && Number(after) < last)
    return erased
  })

  const eraseCodes = Effect.gen(function* () {
    let erased = 0
    let page: ReadonlyArray<OrganizationId> = []
    do {
      page = yield* store.organizations(page.at(-1), pageSize, "with codes")
      for (const organization of page) {
        erased += yield* eraseCodesOf(organization).pipe(
          // The next call erases the codes of an organization that is busy now.
          Effect.catchIf(isBusy, () => Effect.succeed(0)),
          Effect.catchDefect(() =>
            Effect.as(
              Effect.logError("The codes of an organization could not be erased", organization),
              0,
            ),
          ),
        )
      }
    } while (page.length === pageSize)
    return erased
  }).pipe(Effect.withSpan("Retention.eraseCodes", Tracing.background))

  return Retention.of({ round, eraseCodes })
})

export const layer = Layer.effect(Retention, make)

/** Runs rounds for the lifetime of the layer, if the policy ever drops rows, and erases expired codes. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const retention = yield* Retention
    const policy = yield* RetentionPolicy
    yield* retention.eraseCodes.pipe(
      Effect.catchCause(() =>
        Effect.logWarning("Expired codes could not be erased; the next round will try again"),
      ),
      Effect.repeat(Schedule.spaced(eraseInterval)),
      Effect.forkScoped,
    )
    if (kindsOf(keptFor(policy)).length === 0) return
    yield* retention.round.pipe(
      Effect.map(({ isDone }) => isDone),
      Effect.catchCause(() =>
        Effect.as(Effect.logWarning("A retention round failed; the next will go on"), true),
      ),
      Effect.flatMap((isDone) => (isDone ? Effect.sleep(policy.interval) : Effect.void)),
      Effect.forever,
      Effect.forkScoped,
    )
  }),
)

const eraseInterval = Duration.minutes(10)

const busyPause = Duration.seconds(1)
