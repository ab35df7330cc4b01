/**
 * Deletes old rows: entries of the log, finished requests, and phone numbers without recent requests. Deletes
 * nothing by default.
 *
 * Retention works in steps of a few hundred rows, each in a short transaction of its own. The pause after a
 * step is proportional to the step's duration, so retention slows down if the database is slow or busy. An
 * organization whose lock is not available goes to the end of the queue and is skipped for a while. Any
 * number of nodes may run retention at once.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { BusyOrganizations, isBusy } from "./internal/busyOrganizations.ts"
import { PruneQueue, pageSize, type PruneTask } from "./internal/pruneQueue.ts"
import type { Kind } from "../decide/Pruning.ts"
import { type Pruned, Store } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"

export interface RetentionPolicy {
  /**
   * How long messages stay in the log. Messages with an open outcome stay longer, and so do all messages
   * after them.
   */
  readonly messages: Duration.Duration
  /** How long requests can be read. Pending requests stay longer. */
  readonly verifications: Duration.Duration
  /** How long findings of fraud stay. `undefined`: as long as requests. */
  readonly findings?: Duration.Duration | undefined
  /** Maximum number of rows that one step examines. */
  readonly stepRows: number
  /** Share of the time that steps may take: above 0 and at most 1. 1: no pause between steps. */
  readonly share: number
  /** Pause between two scans of all organizations. */
  readonly interval: Duration.Duration
}

/** The default policy, which keeps everything. */
export const defaults: RetentionPolicy = {
  messages: Duration.infinity,
  verifications: Duration.infinity,
  stepRows: 500,
  share: 0.15,
  interval: Duration.minutes(10),
}

export const RetentionPolicy = Context.Reference<RetentionPolicy>(
  "@countersign/core/RetentionPolicy",
  { defaultValue: () => defaults },
)

const keptFor = (policy: RetentionPolicy, kind: Kind): Duration.Duration => {
  switch (kind) {
    case "messages":
      return policy.messages
    case "verifications":
    case "recipients":
      return policy.verifications
    case "findings":
      return policy.findings ?? policy.verifications
  }
}

/** The kinds of rows that a policy ever drops. Recipients exist for the sake of verifications. */
const kindsOf = (policy: RetentionPolicy): ReadonlyArray<Kind> => {
  const kinds: ReadonlyArray<Kind> = ["messages", "verifications", "recipients", "findings"]
  return kinds.filter((kind) => Duration.isFinite(keptFor(policy, kind)))
}

/** Number of rows that one round has dropped, by kind. */
export interface Round extends Readonly<Record<Kind, number>> {
  /** Whether no work is left until the next scan. */
  readonly isDone: boolean
}

export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Runs one round: one step for each task of the next organizations, and one for each task that its last
     * step did not complete. A scan begins when the previous one is complete and the interval has passed.
     */
    readonly round: Effect.Effect<Round, StoreUnavailable>
  }
>()("@countersign/core/services/Retention") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const policy = yield* RetentionPolicy
  const busy = new BusyOrganizations()
  const oneAtATime = yield* Semaphore.make(1)
  const pruneQueue = new PruneQueue(kindsOf(policy), Duration.toMillis(policy.interval))

  /**
   * Runs a step and pauses in proportion to its duration. No pause follows a step that has only waited
   * for an organization's lock.
   */
  const step = Effect.fnUntraced(function* ({ after, kind, organization }: PruneTask) {
    const keepMillis = Math.ceil(Duration.toMillis(keptFor(policy, kind)))
    const limit = Math.max(1, policy.stepRows)
    const taken = store.prune({ organization, kind, keepMillis, after, limit })
    const [time, pruned] = yield* Effect.timed(busy.run(organization, taken))
    yield* Effect.sleep(Duration.times(time, 1 / policy.share - 1))
    return pruned
  })

  /** Runs a step and returns the number of dropped rows; `undefined` if the organization is busy. */
  const visit = Effect.fnUntraced(function* (one: PruneTask) {
    const pruned = yield* step(one).pipe(
      Effect.tapError(() => Effect.sync(() => pruneQueue.requeue(one))),
      Effect.catchIf(isBusy, () => Effect.undefined),
      Effect.catchDefect(() =>
        Effect.as(Effect.logError("An organization could not be pruned", one), nothing),
      ),
    )
    if (pruned === undefined) return undefined
    const { dropped, next } = pruned
    if (next !== undefined) pruneQueue.requeue({ ...one, after: next })
    yield* Telemetry.countDropped(one.kind, dropped)
    return dropped
  })

  const round = Effect.gen(function* () {
    if (pruneQueue.isScanning(yield* Clock.currentTimeMillis)) {
      pruneQueue.addPage(yield* store.organizations(pruneQueue.after, pageSize))
    }
    const dropped = { messages: 0, verifications: 0, recipients: 0, findings: 0 }
    let isAnyDone = pruneQueue.length === 0
    for (let turns = pruneQueue.length; turns > 0; turns--) {
      const one = pruneQueue.next()
      const rows = one && (yield* visit(one))
      if (one === undefined || rows === undefined) continue
      isAnyDone = true
      dropped[one.kind] += rows
    }
    // All remaining organizations are busy. Without a pause, a caller that runs rounds in a loop would
    // query them constantly.
    if (!isAnyDone) yield* Effect.sleep(busyPause)
    return { ...dropped, isDone: pruneQueue.isOver }
  }).pipe(Effect.withSpan("Retention.round"), oneAtATime.withPermit)

  return Retention.of({ round })
})

export const layer = Layer.effect(Retention, make)

/** Runs rounds for the lifetime of the layer, if the policy ever drops rows. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const retention = yield* Retention
    const policy = yield* RetentionPolicy
    if (kindsOf(policy).length === 0) return
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

const nothing: Pruned = { dropped: 0, next: undefined }

/** Pause after a round in which every organization was busy. */
const busyPause = Duration.seconds(1)
