/**
 * Forgets what is old: entries of the log, requests that are over, and numbers
 * that nobody has asked for lately. Nothing goes unless the host says so.
 *
 * It works in steps of a few hundred rows, each a short transaction of its own,
 * and rests after each, the longer the longer the step took: where the database
 * is slow or busy, it slows down by itself. An organization whose lock cannot
 * be had goes to the end of the line and is left alone for a while. Any number
 * of nodes may do this at once.
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
  /** How long messages stay in the log; those whose outcome is open stay longer, and so do all after them. */
  readonly messages: Duration.Duration
  /** How long requests can be asked about; those that are pending stay longer. */
  readonly verifications: Duration.Duration
  /** How long findings of fraud stay; as long as requests, when left out. */
  readonly findings?: Duration.Duration | undefined
  /** Rows that one step may look at. */
  readonly stepRows: number
  /** How much of the time may be spent in steps: above 0, and at most 1, which leaves no rest between them. */
  readonly share: number
  /** Pause between two walks over all organizations. */
  readonly interval: Duration.Duration
}

/** Everything is kept for ever. */
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

/** What is ever dropped by a policy; recipients are there for the sake of verifications. */
const kindsOf = (policy: RetentionPolicy): ReadonlyArray<Kind> => {
  const kinds: ReadonlyArray<Kind> = ["messages", "verifications", "recipients", "findings"]
  return kinds.filter((kind) => Duration.isFinite(keptFor(policy, kind)))
}

/** What one round has dropped. */
export interface Round extends Readonly<Record<Kind, number>> {
  /** Whether nothing is left to do until the next walk. */
  readonly isDone: boolean
}

export class Retention extends Context.Service<
  Retention,
  {
    /**
     * One round: a step for each of the next organizations of the walk, and one for each where the last
     * step was not enough. A walk begins when the one before it is over and the interval has passed.
     */
    readonly round: Effect.Effect<Round, StoreUnavailable>
  }
>()("@countersign/core/services/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const store = yield* Store
      const policy = yield* RetentionPolicy
      const busy = new BusyOrganizations()
      const oneAtATime = yield* Semaphore.make(1)
      const pruneQueue = new PruneQueue(kindsOf(policy), Duration.toMillis(policy.interval))

      /**
       * A step, and a rest that is the longer the longer it took. None follows a step that has only waited
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

      /** Answers how many rows it has dropped; `undefined` where the organization is busy. */
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
        // All that are left are busy: who runs one round after another must not ask for them all the time.
        if (!isAnyDone) yield* Effect.sleep(busyPause)
        return { ...dropped, isDone: pruneQueue.isOver }
      }).pipe(Effect.withSpan("Retention.round"), oneAtATime.withPermit)

      return Retention.of({ round })
    }),
  )

  /** Runs rounds for as long as the layer lives, if anything is ever dropped by the policy. */
  static readonly layerBackground = Layer.effectDiscard(
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
}

const nothing: Pruned = { dropped: 0, next: undefined }

/** Rest after a round in which every organization was busy. */
const busyPause = Duration.seconds(1)
