/**
 * Runs every command against the store, and publishes and counts the committed events.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Command, CommandResult, OwnResult, Tag } from "../decide/Command.ts"
import {
  IdempotencyMismatch,
  OrganizationNotFound,
  type StoreUnavailable,
} from "../domain/errors/Errors.ts"
import type { IdempotencyKey } from "../domain/values/IdempotencyKey.ts"
import * as Call from "./Call.ts"
import { Events } from "./Events.ts"
import { type ExecuteOptions, Store } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"

/** The settings of a command are outdated. `Access.serve` repeats it, and callers never see this error. */
export class StaleSettings extends Data.TaggedError("StaleSettings") {}

/** A call with the same idempotency key has had its effect. Callers get its answer, and never see this error. */
export class RepeatedCall extends Data.TaggedError("RepeatedCall")<{
  readonly key: IdempotencyKey
  /** The organization's time, in epoch milliseconds. */
  readonly now: number
}> {}

/** The queued send has ended, or another node has it. The outbox handles it, and callers never see it. */
export class QueuedElsewhere extends Data.TaggedError("QueuedElsewhere") {}

/** The errors that every command may have. */
export type CommitError = OrganizationNotFound | StaleSettings | StoreUnavailable

/** The errors of a command of a call that may have an idempotency key. */
export type CallError = CommitError | RepeatedCall | IdempotencyMismatch

const isUnavailable = ({ _tag }: CommitError): boolean => _tag === "StoreUnavailable"

/** Retries a commit for about 13 seconds while the store is unavailable. */
export const retryUnavailable = <A, E extends CommitError>(
  commit: Effect.Effect<A, E>,
  isRetryable: (error: E) => boolean = isUnavailable,
): Effect.Effect<A, E> =>
  Effect.retry(commit, {
    schedule: Schedule.exponential("100 millis"),
    times: 7,
    while: isRetryable,
  })

/** For commands without a version of settings. */
export const withoutVersion = <A, E>(effect: Effect.Effect<A, E | StaleSettings>) =>
  Effect.catchIf(effect, isStale, Effect.die)

const isStale = (error: unknown): error is StaleSettings => error instanceof StaleSettings

export class Commits extends Context.Service<
  Commits,
  {
    /** Commits a command. Uninterruptible, so that the events of a commit are always published. */
    readonly run: <T extends Tag>(
      command: Command<T>,
      options?: ExecuteOptions,
    ) => Effect.Effect<OwnResult<T>, CommitError>
    /** As `run`, for a command of a call that may have an idempotency key. */
    readonly runOnce: <T extends Tag>(command: Command<T>) => Effect.Effect<OwnResult<T>, CallError>
  }
>()("@countersign/core/engine/Commits") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const events = yield* Events

  const commit = <T extends Tag, E>(
    command: Command<T>,
    resultOf: (outcome: CommandResult<T>) => Exit.Exit<OwnResult<T>, E>,
    options?: ExecuteOptions,
  ) =>
    Call.direct<OwnResult<T>, E | StoreUnavailable>((context, done) =>
      Call.begin(
        store.execute(command, options),
        context,
        (exit) => {
          if (exit._tag === "Failure") return done(Exit.failCause(exit.cause))
          const { events: raised, result } = exit.value
          if (raised.length > 0) {
            events.publishUnsafe(raised)
            for (const { _tag } of raised) if (_tag === "Refunded") Telemetry.countRefund(context)
          }
          if ("settled" in result && result.settled !== undefined) {
            Telemetry.countOutcome(result.settled)(context)
          }
          done(resultOf(result))
        },
        true,
      ),
    )

  return Commits.of({
    run: (command, options) => commit(command, ownResult, options),
    runOnce: (command) => commit(command, firstResult),
  })
})

export const layer = Layer.effect(Commits, make)

const isOwn = <T extends Tag>(outcome: CommandResult<T>): outcome is OwnResult<T> =>
  !others.has(outcome._tag)

const others: ReadonlySet<string> = new Set([
  "NoAccount",
  "Stale",
  "Repeated",
  "IdempotencyMismatch",
] satisfies ReadonlyArray<CommandResult["_tag"]>)

const ownResult = <T extends Tag>(
  outcome: CommandResult<T>,
): Exit.Exit<OwnResult<T>, OrganizationNotFound | StaleSettings> => {
  if (isOwn<T>(outcome)) return Exit.succeed(outcome)
  if (outcome._tag === "Repeated" || outcome._tag === "IdempotencyMismatch") return Exit.die(keyed)
  return Exit.fail(outcome._tag === "Stale" ? new StaleSettings() : new OrganizationNotFound())
}

const keyed = new Error("Commands of calls with idempotency keys need runOnce")

const firstResult = <T extends Tag>(
  outcome: CommandResult<T>,
): Exit.Exit<OwnResult<T>, CallError> => {
  if (isOwn<T>(outcome)) return Exit.succeed(outcome)
  if (outcome._tag === "Repeated") return Exit.fail(new RepeatedCall(outcome))
  if (outcome._tag === "IdempotencyMismatch") return Exit.fail(new IdempotencyMismatch())
  return ownResult<T>(outcome)
}

/** Continues with `next` if the send has ended, or another node has it. */
export const whenElsewhere =
  <B, E2>(next: Effect.Effect<B, E2>) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | B, E | E2> =>
    Effect.catchDefect(effect, (defect) =>
      defect instanceof QueuedElsewhere ? next : Effect.die(defect),
    )
