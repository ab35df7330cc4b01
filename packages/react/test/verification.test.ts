import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import type { Answer, Problem, Waiting } from "../src/internal/types.ts"
import {
  type Command,
  type Event,
  initial,
  step,
  type VerificationState,
} from "../src/internal/verification.ts"

const phoneNumber = "+8801712345678"

/** The server's clock is an hour behind the device's. */
const serverTime = Date.UTC(2026, 0, 1)
const at = serverTime + 3_600_000

const waiting = (overrides: Partial<Waiting> = {}): Waiting => ({
  status: "waiting",
  phoneNumber,
  channel: "sms",
  codeLength: 6,
  expiresAt: new Date(serverTime + 300_000).toISOString(),
  resendAt: new Date(serverTime + 30_000).toISOString(),
  resendsRemaining: 3,
  attemptsRemaining: 3,
  now: new Date(serverTime).toISOString(),
  ...overrides,
})

const refused = (code: string, more: Partial<Problem> = {}) =>
  ({ ok: false, problem: { code, message: "", ...more } }) as const

const granted = <A>(data: A): Answer<A> => ({ ok: true, data })

const play = (...events: ReadonlyArray<Event>) =>
  events.reduce<{ readonly state: VerificationState; readonly commands: ReadonlyArray<Command> }>(
    ({ commands, state }, event) => {
      const [next, command] = step(state, event)
      return { state: next, commands: command === undefined ? commands : [...commands, command] }
    },
    { state: initial, commands: [] },
  )

const start = { type: "start", phoneNumber: "01712345678" } as const
const sent = { type: "sent", answer: granted(waiting()), at } as const
const check = { type: "check", code: "123456" } as const
const checked = (answer: Answer<unknown>): Event => ({ type: "checked", answer })
const found = (answer: Extract<Event, { type: "found" }>["answer"], time = at): Event => ({
  type: "found",
  answer,
  at: time,
})
const refresh = { type: "refresh" } as const
const expiry = at + 300_000

/** The status, the code of its problem, and what was asked of the server. */
const told = (...events: ReadonlyArray<Event>): string => {
  const { commands, state } = play(...events)
  const problem = "problem" in state ? (state.problem?.code ?? "no problem") : "no problem"
  return `${state.status}, ${problem}: ${commands.map(({ type }) => type).join(" ")}`
}

describe("the transitions of a verification", () => {
  test.each<readonly [string, ReadonlyArray<Event>, string]>([
    ["a code is sent", [start, sent], "waiting, no problem: start"],
    ["a double start", [start, start], "sending, no problem: start"],
    [
      "a refused number",
      [start, { type: "sent", answer: refused("invalid_request"), at }],
      "idle, invalid_request: start",
    ],
    [
      "a send with an unknown outcome asks for the request",
      [start, { type: "sent", answer: refused("sending_failed"), at }],
      "idle, sending_failed: start state",
    ],
    [
      "and goes on with it",
      [start, { type: "sent", answer: refused("sending_failed"), at }, found(granted(waiting()))],
      "waiting, sending_failed: start state",
    ],
    [
      "a right code",
      [start, sent, check, checked(granted({}))],
      "verified, no problem: start check",
    ],
    ["a double check", [start, sent, check, check], "checking, no problem: start check"],
    [
      "a wrong code",
      [start, sent, check, checked(refused("wrong_code", { attemptsRemaining: 2 }))],
      "waiting, wrong_code: start check",
    ],
    [
      "the same wrong code again",
      [start, sent, check, checked(refused("wrong_code", { attemptsRemaining: 2 })), check],
      "waiting, wrong_code: start check",
    ],
    [
      "another code after it",
      [start, sent, check, checked(refused("wrong_code")), { type: "check", code: "654321" }],
      "checking, no problem: start check check",
    ],
    [
      "the same code after a lost answer",
      [start, sent, check, checked(refused("network")), check],
      "checking, no problem: start check check",
    ],
    [
      "the last wrong code",
      [start, sent, check, checked(refused("wrong_code", { attemptsRemaining: 0 }))],
      "failed, wrong_code: start check",
    ],
    [
      "a request that has ended",
      [start, sent, check, checked(refused("request_not_found"))],
      "failed, request_not_found: start check",
    ],
    [
      "another number in another tab",
      [start, sent, check, checked(refused("number_changed"))],
      "failed, number_changed: start check",
    ],
    [
      "a start after a failure",
      [start, sent, check, checked(refused("request_expired")), start],
      "sending, no problem: start check start",
    ],
    ["a resend", [start, sent, { type: "resend" }, sent], "waiting, no problem: start resend"],
    [
      "a check while it is sent again",
      [start, sent, { type: "resend" }, check],
      "sending, no problem: start resend",
    ],
    [
      "a refused resend",
      [start, sent, { type: "resend" }, { type: "sent", answer: refused("rate_limited"), at }],
      "waiting, rate_limited: start resend",
    ],
    ["a cancellation", [start, sent, { type: "cancel" }], "idle, no problem: start cancel"],
    [
      "a cancellation that does not arrive",
      [start, sent, { type: "cancel" }, { type: "cancelled", answer: refused("network") }],
      "idle, network: start cancel",
    ],
    ["the first view of StrictMode", [refresh, refresh], "idle, no problem: state"],
    ["a reload", [refresh, found(granted(waiting()))], "waiting, no problem: state"],
    [
      "a reload without a request",
      [refresh, found(granted({ status: "idle" }))],
      "idle, no problem: state",
    ],
    [
      "a start that is faster than the first view",
      [refresh, start, found(granted(waiting()))],
      "sending, no problem: state start",
    ],
    [
      "an old answer after a cancellation",
      [start, sent, refresh, { type: "cancel" }, found(granted(waiting()))],
      "idle, no problem: start state cancel",
    ],
    [
      "a refresh keeps the problem",
      [start, sent, check, checked(refused("wrong_code")), refresh, found(granted(waiting()))],
      "waiting, wrong_code: start check state",
    ],
    [
      "a request that ended in another tab",
      [start, sent, refresh, found(granted({ status: "idle" }))],
      "failed, request_not_found: start state",
    ],
    [
      "an expired code",
      [start, sent, refresh, found(granted({ status: "idle" }), expiry)],
      "failed, request_expired: start state",
    ],
    [
      "an expired code without a network",
      [start, sent, refresh, found(refused("network"), expiry)],
      "failed, request_expired: start state",
    ],
    [
      "a lost network before that",
      [start, sent, refresh, found(refused("network"))],
      "waiting, network: start state",
    ],
    [
      "a code that expires while it is checked",
      [start, sent, check, refresh, found(granted({ status: "idle" }), expiry)],
      "checking, no problem: start check",
    ],
    [
      "the page that the browser kept, after the login",
      [start, sent, check, checked(granted({})), refresh, found(granted({ status: "idle" }))],
      "idle, no problem: start check state",
    ],
  ])("%s", (_name, events, outcome) => {
    assert.strictEqual(told(...events), outcome)
  })

  test("times are those of the device, whose clock may be wrong", () => {
    const { state } = play(start, sent)
    assert.nestedInclude(state, { "request.expiresAt": expiry, "request.resendAt": at + 30_000 })
  })

  test("a refused resend says when the next one is allowed, or never allows it", () => {
    const resent = (answer: Answer<Waiting>) =>
      play(start, sent, { type: "resend" }, { type: "sent", answer, at }).state
    const later = resent(refused("rate_limited", { retryAfterSeconds: 90 }))
    assert.nestedInclude(later, { "request.resendAt": at + 90_000 })
    const never = resent(refused("resends_exhausted"))
    assert.nestedInclude(never, { "request.resendAt": null, "request.resendsRemaining": 0 })
  })
})

const problemCodes = [
  "wrong_code",
  "network",
  "rate_limited",
  "request_not_found",
  "sending_failed",
  "number_changed",
]

const refusals = fc.record({
  code: fc.constantFrom(...problemCodes),
  attemptsRemaining: fc.constantFrom(undefined, 0, 1),
})

type Outcome = "granted" | "idle" | Problem

/** What the user or the page does, or the answer to the oldest call that is under way. */
type Move = Event | { readonly type: "answer"; readonly outcome: Outcome }

/** Granted answers are the most frequent, so that most histories come to a code. */
const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Outcome>("granted") },
  { weight: 1, arbitrary: fc.constant<Outcome>("idle") },
  { weight: 4, arbitrary: refusals.map((problem) => ({ ...problem, message: "" })) },
)

const events = fc.constantFrom<Event>(
  start,
  { type: "resend" },
  { type: "cancel" },
  refresh,
  check,
  check,
  check,
  { type: "check", code: "111111" },
)

const moves: fc.Arbitrary<Move> = fc.oneof(
  events,
  outcomes.map((outcome): Move => ({ type: "answer", outcome })),
)

const answerTo = ({ type }: Command, outcome: Outcome, time: number): Event => {
  const problem =
    typeof outcome === "string" ? undefined : ({ ok: false, problem: outcome } as const)
  switch (type) {
    case "start":
    case "resend":
      return { type: "sent", answer: problem ?? granted(waiting()), at: time }
    case "check":
      return checked(problem ?? granted({}))
    case "cancel":
      return { type: "cancelled", answer: problem ?? granted({ status: "idle" }) }
    case "state":
      return found(problem ?? granted(outcome === "idle" ? { status: "idle" } : waiting()), time)
  }
}

const problemOf = (state: VerificationState): string | undefined =>
  "problem" in state ? state.problem?.code : undefined

/** The calls that a status waits for. */
const awaited: Readonly<Record<string, ReadonlyArray<string>>> = {
  sending: ["start", "resend"],
  checking: ["check"],
}

/** What holds for every step of a history. */
const inspect = (
  state: VerificationState,
  event: Event,
  next: VerificationState,
  calls: ReadonlyArray<Command>,
): void => {
  const types = calls.map(({ type }) => type)
  assert.isAtMost(types.filter((type) => type === "check").length, 1)
  assert.isAtMost(types.filter((type) => type === "start" || type === "resend").length, 1)
  const waitsFor = awaited[next.status]
  if (waitsFor !== undefined) assert.isTrue(types.some((type) => waitsFor.includes(type)))
  if ((event.type === "sent" || event.type === "checked") && !event.answer.ok)
    assert.strictEqual(problemOf(next), event.answer.problem.code)
  // Only an action of the user, or the answer to it, takes a problem away.
  if (event.type === "found" && problemOf(state) !== undefined) assert.isDefined(problemOf(next))
}

test("no history loses a problem, submits a code twice, or waits for a call that is not under way", () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 40, size: "max" }), (history) => {
      const calls: Array<Command> = []
      let state = initial
      let refusedCode: string | undefined
      for (const [index, move] of history.entries()) {
        const call = move.type === "answer" ? calls.shift() : undefined
        const event =
          move.type === "answer" ? call && answerTo(call, move.outcome, at + index) : move
        if (event === undefined) continue
        const [next, command] = step(state, event)
        if (command !== undefined) calls.push(command)
        inspect(state, event, next, calls)

        if (command?.type === "check") assert.notStrictEqual(command.code, refusedCode)
        if (state.status === "checking" && problemOf(next) === "wrong_code")
          refusedCode = state.code
        if (!("request" in next)) refusedCode = undefined
        state = next
      }
    }),
    { numRuns: 300 },
  )
})
