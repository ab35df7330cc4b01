import * as Effect from "effect/Effect"

/** How long a test waits for something that happens on a socket, by the machine's own clock. */
const withinMillis = 20_000

/**
 * Dies with a word on what was waited for when that does not happen. The clock of a test stands still
 * while sockets do what they do, so this is the one time here that `TestClock` does not govern.
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
