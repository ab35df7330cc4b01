/**
 * The wrong codes for one phone number over all of its requests. New requests give new attempts, and this
 * budget bounds their sum.
 */
import type { Limits } from "../limits/Limits.ts"
import * as SlidingWindow from "../limits/SlidingWindow.ts"

export interface Guesses {
  readonly window: SlidingWindow.SlidingWindow
  /** Number of wrong codes since the last right one. */
  readonly sinceSuccess: number
}

type Budget = Pick<Limits, "guessesPerNumber" | "guessesSinceSuccess">

export const none: Guesses = { window: SlidingWindow.empty, sinceSuccess: 0 }

/**
 * The wait that callers get when `guessesSinceSuccess` is used up. That state has no end: a right code is not
 * compared, and only the host can reset it. A day keeps clients that obey the wait from asking often.
 */
export const blockedSeconds = 86_400

/** Seconds until the budget allows another check; 0 if it allows one now. */
export const retryAfterSeconds = (self: Guesses, budget: Budget, now: number): number => {
  const { guessesPerNumber, guessesSinceSuccess } = budget
  const seconds =
    guessesPerNumber === undefined
      ? 0
      : SlidingWindow.retryAfterSeconds(self.window, guessesPerNumber, now)
  return guessesSinceSuccess !== undefined && self.sinceSuccess >= guessesSinceSuccess
    ? Math.max(seconds, blockedSeconds)
    : seconds
}

/** Counts a wrong code. Without limits, returns `self`. */
export const addWrong = (self: Guesses, budget: Budget, now: number): Guesses => {
  const { guessesPerNumber, guessesSinceSuccess } = budget
  if (guessesPerNumber === undefined && guessesSinceSuccess === undefined) return self
  const admission = SlidingWindow.admit(self.window, guessesPerNumber, now)
  return {
    window: admission._tag === "Admitted" ? admission.window : self.window,
    sinceSuccess: self.sinceSuccess + (guessesSinceSuccess === undefined ? 0 : 1),
  }
}

/** Counts a right code, which ends the series of wrong ones. The window stays. */
export const addRight = (self: Guesses): Guesses =>
  self.sinceSuccess === 0 ? self : { ...self, sinceSuccess: 0 }

/** Whether the guesses have no effect under any limits, now and later. `earliest` begins the longest window. */
export const isIdle = (self: Guesses, earliest: number): boolean =>
  self.sinceSuccess === 0 && self.window.every((at) => at < earliest)
