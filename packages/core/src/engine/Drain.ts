/**
 * Runs calls until a scope closes. Closing waits for the calls in progress, for a bounded time.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Call from "./Call.ts"

/** Closing waits for the calls that have entered, and none enters once the scope has begun to close. */
export interface Drain extends Call.Hold {
  /** Runs an effect; closing the scope waits for it. Interrupts once the scope has begun to close. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /**
   * Completes in the background what a running effect has begun, for which closing and the host's visit wait. Once
   * the scope has begun to close, completes it before it returns.
   */
  readonly finish: (effect: Effect.Effect<unknown>) => Effect.Effect<void>
}

/** A call of the host, which the host counts while it lasts. */
export interface Visit {
  /** Lets the visit last after its answer, until the returned function is called. */
  readonly extend: () => () => void
}

/** The visit that an effect is part of. */
export const Visit = Context.Reference<Visit>("@countersign/core/services/Drain/Visit", {
  defaultValue: () => ({ extend: () => () => {} }),
})

/** Default time, in milliseconds, that closing waits. It is longer than a gateway may take. */
export const defaultGraceMillis = 20_000

/** Waits until `whenEmpty` calls back, at most `graceMillis`. For finalizers, which cannot be interrupted. */
export const wait = (
  whenEmpty: (tell: () => void) => void,
  graceMillis: number,
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => whenEmpty(() => resume(Effect.void))).pipe(
    // A time-out ends only an interruptible effect.
    Effect.interruptible,
    Effect.timeoutOption(graceMillis),
    Effect.asVoid,
  )

/** Makes a drain for the scope. Closing waits at most `graceMillis`. */
export const make = Effect.fnUntraced(function* (
  graceMillis: number = defaultGraceMillis,
): Effect.fn.Return<Drain, never, Scope.Scope> {
  let underWay = 0
  let isClosing = false
  let tellEmpty = (): void => {}
  const enter = (): boolean => {
    if (!isClosing) underWay += 1
    return !isClosing
  }
  const leave = (): void => {
    underWay -= 1
    if (underWay === 0) tellEmpty()
  }
  yield* Effect.addFinalizer(() =>
    wait((tell) => {
      isClosing = true
      tellEmpty = tell
      if (underWay === 0) tell()
    }, graceMillis),
  )
  return {
    enter,
    leave,
    run: (effect) =>
      Call.direct((context, done) => {
        if (!enter()) {
          done(Exit.interrupt())
          return undefined
        }
        return Call.begin(effect, context, (exit) => {
          leave()
          done(exit)
        })
      }),
    finish: (effect) =>
      Call.direct((context, done) => {
        const isWaiting = !enter()
        const endVisit = isWaiting ? undefined : Context.get(context, Visit).extend()
        Call.begin(
          effect,
          context,
          () => {
            if (endVisit === undefined) return done(Exit.void)
            endVisit()
            leave()
          },
          true,
        )
        if (!isWaiting) done(Exit.void)
        return undefined
      }),
  }
})
