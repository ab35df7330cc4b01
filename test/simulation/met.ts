/** What histories have to meet: each fault, each edge of the tables of transitions, and each error. */
import * as Message from "@countersign/core/domain/messages/Message"
import * as Verification from "@countersign/core/domain/verifications/Verification"
import * as Simulation from "@countersign/testing/Simulation"

/** The errors of calls that a history can lead to. All others are about access, settings and invalid input. */
const errors = [
  "AlreadyConsumed",
  "AlreadyVerified",
  "AttemptsExhausted",
  "IdempotencyInFlight",
  "IdempotencyMismatch",
  "InsufficientBalance",
  "MessageNotFound",
  "NotOnWhatsApp",
  "NotQueued",
  "NotVerified",
  "RateLimited",
  "RequestExpired",
  "RequestNotFound",
  "ResendsExhausted",
  "SendingFailed",
  "StoreUnavailable",
  "TooManyPending",
  "WrongCode",
].map((error) => `error: ${error}`)

/** What happens to queued sends. */
const outbox = [
  "a command after the end",
  "an old claim",
  "cancelled",
  "expired",
  "moved",
  "refused",
  "rolled back",
  "sent",
  "sent by its caller",
  "taken again",
  "taken for the first time",
  "taken to be released",
].map((what) => `outbox: ${what}`)

/** What happens to alerts, and to the counters of gateways. */
const figures = [
  "alert: over",
  "alert: paused",
  "alert: raised",
  "alert: raised again",
  "alert: still open",
  "counter: answers",
  "counter: errors",
]

const edgesOf = (
  what: string,
  table: Readonly<Record<string, Readonly<Record<string, string>>>>,
  edge: (row: string, column: string) => string,
): ReadonlyArray<string> =>
  Object.entries(table).flatMap(([row, columns]) =>
    Object.entries(columns).map(([column, after]) => `${what} ${edge(row, column)} -> ${after}`),
  )

/** The repeats of a commit whose answer was lost. */
const repeats: ReadonlySet<string> = new Set([
  "message accepted, Accepted -> accepted",
  "message unknown, Unknown -> unknown",
])

/**
 * Edges that no history reaches. The outcome of a dispatch is recorded once: a repeat of the commit has the same outcome, a
 * later dispatch begins with `pending`, and no report moves a pending message to `accepted`.
 */
const isUnreachable = (edge: string): boolean =>
  /^message (unknown|accepted), [A-Z]/.test(edge) && !repeats.has(edge)

const expected: ReadonlyArray<string> = [
  ...Simulation.faults,
  ...errors,
  ...outbox,
  ...figures,
  ...edgesOf("message", Message.transitions, (cause, before) => `${before}, ${cause}`),
  "message accepted, deadline -> unknown",
  "message unknown, deadline -> unknown",
  ...edgesOf("request", Verification.transitions, (before, code) => `${before}, ${code}`),
  "request pending, an unsent code -> failed",
].filter((edge) => !isUnreachable(edge))

/** What sixty histories may not meet: each change of the engine changes all histories. */
const seldom: ReadonlySet<string> = new Set([
  "error: ResendsExhausted",
  "error: TooManyPending",
  "fault: the clock of the store jumps",
  "outbox: an old claim",
  "outbox: cancelled",
  "outbox: moved",
  "outbox: taken again",
  "message accepted, Accepted -> accepted",
  "message pending, Throttled -> failed",
  "message pending, accepted -> pending",
  "message unknown, rejected -> rejected",
  "request last attempt, right -> verified",
  "message unknown, Unknown -> unknown",
  "message unknown, accepted -> accepted",
  "message unknown, undelivered -> undelivered",
  "message pending, failed -> failed",
  "message pending, rejected -> rejected",
  "message pending, undelivered -> undelivered",
])

/** What these histories should have met and have not. */
export const unmet = (
  met: ReadonlyMap<string, number>,
  wanted: "all" | "often",
): ReadonlyArray<string> =>
  expected.filter((what) => !met.has(what) && (wanted === "all" || !seldom.has(what)))
