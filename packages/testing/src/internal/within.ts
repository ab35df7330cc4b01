import * as Effect from "effect/Effect"

/** Longest wait for an event on a socket, in real milliseconds. */
const withinMillis = 20_000

/**
 * Dies with the awaited event's name if it does not happen in time. The clock of a test stands still during
 * work on sockets, so this timeout alone uses real time instead of `TestClock`.
 */
export const within = <A, E, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(
        () => resume(Effect.die(new Error(`Waited ${withinMillis} ms for ${what}`))),
        withinMillis,
      )
      return Effect.sync(() => clearTimeout(timer))
    }),
  )
