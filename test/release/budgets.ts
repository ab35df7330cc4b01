/** Mistakes in the limits on events in windows, and in the budgets of wrong codes. */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"

export const budgets: ReadonlyArray<Mistake> = [
  {
    name: "a window forgets an event a millisecond late",
    file: `${core}/domain/limits/SlidingWindow.ts`,
    find: "blocking + windowMillis - now",
    replace: "blocking + windowMillis - now + 1",
    test: {
      path: `${coreTest}/domain/limits/SlidingWindow.test.ts`,
      title: "admits a burst of ten, and the eleventh after the first leaves the window",
    },
  },
  {
    name: "only the last limit of a window applies",
    file: `${core}/domain/limits/SlidingWindow.ts`,
    find: "wait = Math.max(wait, waitOf(past, one, now))",
    replace: "wait = waitOf(past, one, now)",
    test: {
      path: `${coreTest}/domain/limits/SlidingWindow.test.ts`,
      title: "applies several limits at once: the minute is full",
    },
  },
  {
    name: "a window keeps the times of its last limit only",
    file: `${core}/domain/limits/SlidingWindow.ts`,
    find: "longest = Math.max(longest, windowMillis)",
    replace: "longest = windowMillis",
    test: {
      path: `${coreTest}/domain/limits/SlidingWindow.test.ts`,
      title: "applies several limits at once: in any order",
    },
  },
  {
    name: "a wrong code costs nothing of the number's budget",
    file: `${core}/domain/verifications/Recipient.ts`,
    find: "const guesses = Guesses.addWrong(before, limits, now)",
    replace: "const guesses = before",
    test: {
      path: `${coreTest}/decide/Decision.guesses.test.ts`,
      title: "counts a wrong code of a pending request once, and nothing else",
    },
  },
  {
    name: "a check does not look at the number's budget",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: "admitCheck(context, command, limits)",
    replace:
      "admitCheck(context, command, { ...limits, guessesPerNumber: undefined, guessesSinceSuccess: undefined })",
    test: {
      path: `${coreTest}/decide/Decision.guesses.test.ts`,
      title: "decides on the right code, with 30 in a day",
    },
  },
  {
    name: "the right code of a test number resets the budget",
    file: `${core}/decide/commands/verificationDeciders.ts`,
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
    file: `${core}/domain/verifications/Guesses.ts`,
    find: "self.sinceSuccess >= guessesSinceSuccess",
    replace: "self.sinceSuccess > guessesSinceSuccess",
    test: {
      path: `${coreTest}/domain/verifications/Guesses.test.ts`,
      title: "with too many since the last right code",
    },
  },
  {
    name: "retention forgets a series of wrong codes",
    file: `${core}/domain/verifications/Guesses.ts`,
    find: "self.sinceSuccess === 0 && self.window.every",
    replace: "self.window.every",
    test: {
      path: `${coreTest}/decide/maintenance/Pruning.test.ts`,
      title: "one with a wrong code since the last right one",
    },
  },
  {
    name: "the owner of a number pays for the wrong codes of strangers",
    file: `${core}/decide/shared/Guards.ts`,
    find: "known ?? recipient.guesses",
    replace: "recipient.guesses",
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "strangers have spent their budget, and the owner checks",
    },
  },
  {
    name: "a stranger displaces a request",
    file: `${core}/decide/shared/Guards.ts`,
    find: "isKnown ? Recipient.oldestOfStrangers(recipient, now) : undefined",
    replace: "Recipient.oldestOfStrangers(recipient, now)",
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "from a stranger",
    },
  },
  {
    name: "a client that guesses becomes a known one",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: ": Recipient.addWrong(recipient, client, limits, now)",
    replace: ": Recipient.addRight(recipient, client, now)",
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "is a client with a right code, unless the number is a test number",
    },
  },
  {
    name: "a request counts twice for its client",
    file: `${core}/decide/shared/Guards.ts`,
    find: "...clientWrites(context, command, sends && { sends }),",
    replace: "...clientWrites(context, command, sends && { sends: [...sends, now] }),",
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "count requests, once for each that waits for the reachability of its number",
    },
  },
  {
    name: "a code that is sent again does not count for its client",
    file: `${core}/decide/Needs.ts`,
    find: "  AdmitResend: ({ client, limits, requestId }) => ({\n    requestId,\n    ...limitedClient(client, limits.sendsPerClient),",
    replace: "  AdmitResend: ({ requestId }) => ({\n    requestId,",
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "counts for its client, unless it was counted before",
    },
  },
  {
    name: "a request that cannot be paid displaces another",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: "if (crowded !== undefined && crowded.displaces === undefined) {",
    replace: "if (crowded !== undefined) {",
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "from the owner cancels no other if the balance does not suffice",
    },
  },
  {
    name: "under the profile nist, each client has a series of wrong codes of its own",
    file: `${core}/decide/shared/Guards.ts`,
    find: 'profile === "nist" && Recipient.sinceSuccess',
    replace: 'profile !== "nist" && Recipient.sinceSuccess',
    test: {
      path: `${coreTest}/decide/Decision.clients.test.ts`,
      title: "block the number for all of them: 100, under nist",
    },
  },
  {
    name: "under the profile nist, an organization has the window of wrong codes that it wants",
    file: `${core}/domain/limits/Limits.ts`,
    find: ": [thirtyADay, ...limits]",
    replace: ": limits",
    test: {
      path: `${coreTest}/domain/organizations/Organization.test.ts`,
      title: "under the profile nist, keep the window of wrong codes: with a looser one",
    },
  },
  {
    name: "under the profile nist, a verification never ends",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: 'if (profile === "nist" && Verification.isOver(before, now)) {',
    replace: 'if (profile !== "nist" && Verification.isOver(before, now)) {',
    test: {
      path: `${coreTest}/decide/Decision.life.test.ts`,
      title: "with a verification at its end, under nist: Expired | writes account",
    },
  },
  {
    name: "under the profile nist, test numbers are allowed in production",
    file: `${core}/domain/verifications/TestNumber.ts`,
    find: 'if (production && profile === "nist" && numbers.length > 0) {',
    replace: 'if (production && profile === "nist" && numbers.length > maxNumbers) {',
    test: {
      path: `${coreTest}/domain/verifications/TestNumber.test.ts`,
      title: "one that is allowed in production, under nist",
    },
  },
  {
    name: "the digest of a client is the same in every organization",
    file: `${core}/engine/Codes.ts`,
    find: "`client\\n${organization}\\n${client}`",
    replace: "`client\\n${client}`",
    test: {
      path: `${coreTest}/engine/Codes.test.ts`,
      title: "depends on the client, the organization and the secret",
    },
  },
]
