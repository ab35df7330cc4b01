/** Mistakes in the rules: money, windows, budgets, attempts and states. */
import type { Mistake } from "../release/planting.ts"

/** A mistake that the simulation finds, and not a test of its own. */
export type SimulatedMistake = Omit<Mistake, "test">

const domain = "packages/core/src/domain"
const decide = "packages/core/src/decide"
const account = `${domain}/money/Account.ts`
const message = `${domain}/messages/Message.ts`
const verification = `${domain}/verifications/Verification.ts`
const checks = `${decide}/commands/checks.ts`
const messages = `${decide}/commands/messages.ts`
const verifications = `${decide}/commands/verifications.ts`
const guards = `${decide}/shared/Guards.ts`

export const ruleMistakes: ReadonlyArray<SimulatedMistake> = [
  {
    name: "a hold leaves the balance as it was",
    file: account,
    find: "hold: { balance: -1, held: 1 },",
    replace: "hold: { balance: 0, held: 1 },",
  },
  {
    name: "a capture gives the price back",
    file: account,
    find: "capture: { balance: 0, held: -1 },",
    replace: "capture: { balance: 1, held: -1 },",
  },
  {
    name: "a release keeps the price",
    file: account,
    find: "release: { balance: 1, held: -1 },",
    replace: "release: { balance: 0, held: -1 },",
  },
  {
    name: "the balance may be overdrawn by one message",
    file: account,
    find: "if (charge > self.balance) {",
    replace: "if (charge > self.balance + 5_000) {",
  },
  {
    name: "an entry has the balance before it",
    file: account,
    find: "balance: account.balance,",
    replace: "balance: self.balance,",
  },
  {
    name: "a payment is booked twice",
    file: `${decide}/commands/records.ts`,
    find: "if (payment !== undefined) {",
    replace: "if (payment !== undefined && account.lastMessage < 0) {",
  },
  {
    name: "a window is fixed and not sliding",
    file: `${domain}/limits/SlidingWindow.ts`,
    find: "return blocking === undefined ? 0 : blocking + windowMillis - now",
    replace:
      "return blocking === undefined ? 0 : Math.floor(blocking / windowMillis + 1) * windowMillis - now",
  },
  {
    name: "a window admits one event more",
    file: `${domain}/limits/SlidingWindow.ts`,
    find: "const blocking = past[past.length - max]",
    replace: "const blocking = past[past.length - max - 1]",
  },
  {
    name: "a wait is rounded down",
    file: `${domain}/limits/SlidingWindow.ts`,
    find: "return Math.ceil(wait / 1_000)",
    replace: "return Math.floor(wait / 1_000)",
  },
  {
    name: "a series of wrong codes is one longer",
    file: `${domain}/verifications/Guesses.ts`,
    find: "self.sinceSuccess >= guessesSinceSuccess",
    replace: "self.sinceSuccess > guessesSinceSuccess",
  },
  {
    name: "a right code does not end a series of wrong ones",
    file: `${domain}/verifications/Guesses.ts`,
    find: "self.sinceSuccess === 0 ? self : { ...self, sinceSuccess: 0 }",
    replace: "self",
  },
  {
    name: "wrong codes do not count in their window",
    file: `${domain}/verifications/Guesses.ts`,
    find: 'window: admission._tag === "Admitted" ? admission.window : self.window,',
    replace: "window: self.window,",
  },
  {
    name: "a wrong code does not count for its number",
    file: checks,
    find: ": Recipient.addWrong(recipient, client, limits, now)",
    replace: ": recipient",
  },
  {
    name: "checks of an organization are not counted",
    file: guards,
    find: "account: { ...account, checks: windowAfter(window) ?? account.checks },",
    replace: "account,",
  },
  {
    name: "codes for a number are not counted",
    file: guards,
    find: "recipient: { ...recipient, sends: windowAfter(window) ?? recipient.sends },",
    replace: "recipient,",
  },
  {
    name: "one request more may be pending",
    file: guards,
    find: "if (Recipient.pendingAt(recipient, now).length < limits.pendingPerNumber) return undefined",
    replace:
      "if (Recipient.pendingAt(recipient, now).length <= limits.pendingPerNumber) return undefined",
  },
  {
    name: "a request that has ended still counts as pending",
    file: `${domain}/verifications/Recipient.ts`,
    find: "? { ...self, pending: self.pending.filter((pending) => pending.requestId !== requestId) }",
    replace: "? self",
  },
  {
    name: "a request has one attempt more",
    file: verification,
    find: 'const isLast = state === "pending" && self.attemptsRemaining <= 1',
    replace: 'const isLast = state === "pending" && self.attemptsRemaining < 1',
  },
  {
    name: "a wrong code takes no attempt",
    file: verification,
    find: "attemptsRemaining: self.attemptsRemaining - 1,",
    replace: "attemptsRemaining: self.attemptsRemaining,",
  },
  {
    name: "the last wrong code leaves the request pending",
    file: verification,
    find: '"last attempt": { right: "verified", wrong: "failed" },',
    replace: '"last attempt": { right: "verified", wrong: "pending" },',
  },
  {
    name: "a failed request is verified by the right code",
    file: verification,
    find: 'failed: { right: "failed", wrong: "failed" },',
    replace: 'failed: { right: "verified", wrong: "failed" },',
  },
  {
    name: "a code is valid for a second after its expiry",
    file: verification,
    find: "now >= self.expiresAt || now < self.createdAt",
    replace: "now >= self.expiresAt + 1_000 || now < self.createdAt",
  },
  {
    name: "a request is used up twice",
    file: checks,
    find: 'if (before.consumedAt !== null) return Decider.answer({ _tag: "AlreadyConsumed" })',
    replace: "",
  },
  {
    name: "a code uses a request up twice",
    file: checks,
    find: "if (before.consumedAt !== null && rule.isOnce(limits)) {",
    replace: "if (before.consumedAt !== null && now < 0) {",
  },
  {
    name: "a check raises an event without an end",
    file: checks,
    find: "const isEnded = after.status !== before.status",
    replace: "const isEnded = after !== before",
  },
  {
    name: "a report changes a message after its end",
    file: message,
    find: "isClosed(self) ? undefined : transitions[cause][self.status]",
    replace: "transitions[cause][self.status]",
  },
  {
    name: "a message without a report is kept at its deadline",
    file: message,
    find: 'const resolution = status === "delivered" ? "capture" : "release"',
    replace:
      'const resolution = status === "delivered" || status === "unknown" ? "capture" : "release"',
  },
  {
    name: "an undelivered message is paid",
    file: message,
    find: 'const resolution = status === "delivered" ? "capture" : "release"',
    replace:
      'const resolution = status === "delivered" || status === "undelivered" ? "capture" : "release"',
  },
  {
    name: "a message is looked up again and again",
    file: message,
    find: "isOverdue(self, now) && self.dueAt === self.settleBy && millis > 0",
    replace: "isOverdue(self, now) && millis > 0",
  },
  {
    name: "an accepted message has no deadline",
    file: message,
    find: 'const dueAt = self.status === "pending" ? self.settleBy : self.dueAt',
    replace: 'const dueAt = self.status === "pending" ? Infinity : self.dueAt',
  },
  {
    name: "a contradiction is not counted",
    file: message,
    find: "unchanged({ ...self, anomalies: self.anomalies + 1,",
    replace: "unchanged({ ...self, anomalies: self.anomalies,",
  },
  {
    name: "an outcome of an older dispatch counts",
    file: messages,
    find: "if (before.dispatchNumber !== command.dispatchNumber)",
    replace: "if (before.dispatchNumber < command.dispatchNumber)",
  },
  {
    name: "a message settles twice",
    file: messages,
    find: "const settled = Message.isClosed(message) && !Message.isClosed(before) ? message : undefined",
    replace: "const settled = Message.isClosed(message) ? message : undefined",
  },
  {
    name: "a report counts without the token of its message",
    file: messages,
    find: "message?.id.endsWith(token) === true ? message : undefined",
    replace: "message?.id.endsWith(token) === true ? message : message",
  },
  {
    name: "two messages follow one",
    file: verifications,
    find: "    verification.messageSequence !== messageSequence ||\n",
    replace: "",
  },
  {
    name: "a code is sent again once more",
    file: verifications,
    find: "if (verification.resends >= limits.resends)",
    replace: "if (verification.resends > limits.resends)",
  },
  {
    name: "a code is sent again at once",
    file: verifications,
    find: "if (wait > 0) {",
    replace: "if (wait > 1_000_000) {",
  },
  {
    name: "a key is good for every call",
    file: `${decide}/Decision.ts`,
    find: 'return answer(isSameCall(key, call) ? { _tag: "Repeated", key, now } : mismatch)',
    replace:
      'return answer(isSameCall(key, call) || now > 0 ? { _tag: "Repeated", key, now } : mismatch)',
  },
  {
    name: "an attempt counts again when its commit is made again",
    file: `${decide}/CounterChanges.ts`,
    find: "return isFirst ? outcome.attempts : undefined",
    replace: "return isFirst || before !== undefined ? outcome.attempts : undefined",
  },
  {
    name: "an alert is raised again within its pause",
    file: `${domain}/alerts/AlertState.ts`,
    find: "(known.isOpen || !isOver(known.raisedAt, AlertTable.pauseMillis, now))",
    replace: "(known.isOpen || !isOver(known.raisedAt, 1, now))",
  },
  {
    name: "an open alert is raised again",
    file: `${domain}/alerts/AlertState.ts`,
    find: "(known.isOpen || !isOver(known.raisedAt, AlertTable.pauseMillis, now))",
    replace: "!isOver(known.raisedAt, AlertTable.pauseMillis, now)",
  },
  {
    name: "an alert that is over stays open",
    file: `${domain}/alerts/AlertState.ts`,
    find: "if (known?.isOpen !== true) return",
    replace: "if (known?.isOpen !== true || now > 0) return",
  },
  {
    name: "the time of an organization goes back",
    file: `${decide}/Decision.ts`,
    find: "Math.max(clockMillis, account?.lastAt ?? 0)",
    replace: "clockMillis",
  },
  {
    name: "a clock that jumps ahead is believed",
    file: `${domain}/values/ClockGuard.ts`,
    find: "if (aheadMillis <= maxJumpMillis) return accepted",
    replace: "if (aheadMillis <= 100 * maxJumpMillis) return accepted",
  },
]
