/** Mistakes in the limits on events in windows, and in the budgets of wrong codes. */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"

export const budgets: ReadonlyArray<Mistake> = [
  {
    name: "only the last limit of a window applies",
    file: `${core}/domain/SlidingWindow.ts`,
    find: "wait = Math.max(wait, waitOf(past, one, now))",
    replace: "wait = waitOf(past, one, now)",
    test: {
      path: `${coreTest}/domain/SlidingWindow.test.ts`,
      title: "applies several limits at once: the minute is full",
    },
  },
  {
    name: "a window keeps the times of its last limit only",
    file: `${core}/domain/SlidingWindow.ts`,
    find: "longest = Math.max(longest, windowMillis)",
    replace: "longest = windowMillis",
    test: {
      path: `${coreTest}/domain/SlidingWindow.test.ts`,
      title: "applies several limits at once: in any order",
    },
  },
  {
    name: "a wrong code costs nothing of the number's budget",
    file: `${core}/decide/internal/verificationDeciders.ts`,
    find: 'status === "verified" ? Guesses.addRight(before) : Guesses.addWrong(before, limits, now)',
    replace: 'status === "verified" ? Guesses.addRight(before) : before',
    test: {
      path: `${coreTest}/decide/Decision.guesses.test.ts`,
      title: "counts a wrong code of a pending request once, and nothing else",
    },
  },
  {
    name: "a check does not look at the number's budget",
    file: `${core}/decide/internal/verificationDeciders.ts`,
    find: "const guesses = view.recipient?.guesses\n",
    replace: "const guesses = undefined\n",
    test: {
      path: `${coreTest}/decide/Decision.guesses.test.ts`,
      title: "decides on the right code, with 30 in a day",
    },
  },
  {
    name: "the right code of a test number resets the budget",
    file: `${core}/decide/internal/verificationDeciders.ts`,
    find: "isTest ? undefined : limits)",
    replace: "limits)",
    test: {
      path: `${coreTest}/decide/Decision.guesses.test.ts`,
      title:
        "begins again with a right code, but not for the day, and not with that of a test number",
    },
  },
  {
    name: "a series of wrong codes blocks one code late",
    file: `${core}/domain/Guesses.ts`,
    find: "self.sinceSuccess >= guessesSinceSuccess",
    replace: "self.sinceSuccess > guessesSinceSuccess",
    test: {
      path: `${coreTest}/domain/Guesses.test.ts`,
      title: "with too many since the last right code",
    },
  },
  {
    name: "retention forgets a series of wrong codes",
    file: `${core}/domain/Guesses.ts`,
    find: "self.sinceSuccess === 0 && self.window.every",
    replace: "self.window.every",
    test: {
      path: `${coreTest}/decide/Pruning.test.ts`,
      title: "one with a wrong code since the last right one",
    },
  },
]
