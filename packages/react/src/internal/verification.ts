/**
 * The rules of a verification on a page, as a pure function. From a state and an event, it returns the next state and
 * at most one command to carry out. Times are milliseconds of the device's clock.
 */
import type {
  Answer,
  Channel,
  CheckInput,
  Idle,
  Problem,
  ResendInput,
  StartInput,
  Waiting,
} from "./types.ts"

/** A request for a code that waits for the code. */
export interface CodeRequest {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly channel: Channel
  /** Number of digits. */
  readonly codeLength: number
  /** A time of the device's clock, in milliseconds. */
  readonly expiresAt: number
  /** A time of the device's clock, in milliseconds; `null`: never. */
  readonly resendAt: number | null
  readonly resendsRemaining: number
  readonly attemptsRemaining: number
}

/** A code that the server has refused, so that it is not sent twice: each check costs an attempt. */
interface Rejected {
  readonly code: string
  readonly problem: Problem
}

interface OfRequest {
  readonly request: CodeRequest
  readonly rejected: Rejected | null
}

/** No code is awaited. `phoneNumber` is the last one, as the user typed it. */
export interface IdleState {
  readonly status: "idle"
  readonly phoneNumber: string
  readonly problem: Problem | null
  /** Whether the server is being asked for a request of this browser. */
  readonly isRefreshing: boolean
}

/** A code is being sent, for the first time if `request` is `null`. */
export interface SendingState {
  readonly status: "sending"
  readonly phoneNumber: string
  readonly request: CodeRequest | null
  readonly rejected: Rejected | null
}

export interface WaitingState extends OfRequest {
  readonly status: "waiting"
  readonly problem: Problem | null
  /** Whether the server is being asked for the state of the request. */
  readonly isRefreshing: boolean
}

export interface CheckingState extends OfRequest {
  readonly status: "checking"
  readonly code: string
}

export interface VerifiedState {
  readonly status: "verified"
  readonly phoneNumber: string
  /** The answer of the host's `onVerified`: its JSON, its text, or `{ redirectedTo }`. */
  readonly data: unknown
}

/** The request has ended, and only a new one has a code. */
export interface FailedState {
  readonly status: "failed"
  readonly phoneNumber: string
  readonly problem: Problem
}

/** A union by `status`, which may grow. */
export type VerificationState =
  | IdleState
  | SendingState
  | WaitingState
  | CheckingState
  | VerifiedState
  | FailedState

/** A call of the protocol. At most one is under way for each of `start`, `resend` and `check`. */
export type Command =
  | ({ readonly type: "start" } & StartInput)
  | ({ readonly type: "resend" } & ResendInput)
  | ({ readonly type: "check" } & CheckInput)
  | { readonly type: "cancel" | "state" }

/** The requests of the user or the page, and the answers to the commands. */
export type Event =
  | ({ readonly type: "start" } & StartInput)
  | ({ readonly type: "resend" } & ResendInput)
  | { readonly type: "check"; readonly code: string }
  | { readonly type: "cancel" | "refresh" }
  | { readonly type: "sent"; readonly answer: Answer<Waiting>; readonly at: number }
  | { readonly type: "checked"; readonly answer: Answer<unknown> }
  | { readonly type: "cancelled"; readonly answer: Answer<Idle> }
  | { readonly type: "found"; readonly answer: Answer<Waiting | Idle>; readonly at: number }

type Step = readonly [VerificationState, Command?]

const idle = (
  phoneNumber: string,
  problem: Problem | null = null,
  isRefreshing = false,
): IdleState => ({ status: "idle", phoneNumber, problem, isRefreshing })

export const initial: VerificationState = idle("")

const expired: Problem = {
  code: "request_expired",
  message: "The verification request has expired",
}

const ended: Problem = {
  code: "request_not_found",
  message: "The verification request has ended elsewhere",
}

/** After these the request has no code that could be right. */
const final: ReadonlySet<string> = new Set([
  "already_consumed",
  "already_verified",
  "attempts_exhausted",
  "number_changed",
  "request_expired",
  "request_not_found",
])

const isFinal = ({ attemptsRemaining, code }: Problem): boolean =>
  final.has(code) || (code === "wrong_code" && attemptsRemaining === 0)

/** Whether a message may have left although the call has failed. */
const isUnknown = ({ code }: Problem): boolean => code === "network" || code === "sending_failed"

/** Moves the times of the server to the device's clock. */
const requestOf = (waiting: Waiting, at: number): CodeRequest => {
  const { attemptsRemaining, channel, codeLength, phoneNumber, resendsRemaining } = waiting
  const onDevice = (time: string): number => at + Date.parse(time) - Date.parse(waiting.now)
  return {
    phoneNumber,
    channel,
    codeLength,
    resendsRemaining,
    attemptsRemaining,
    expiresAt: onDevice(waiting.expiresAt),
    resendAt: waiting.resendAt === null ? null : onDevice(waiting.resendAt),
  }
}

const failed = (phoneNumber: string, problem: Problem): FailedState => ({
  status: "failed",
  phoneNumber,
  problem,
})

const wait = (
  { rejected, request }: OfRequest,
  problem: Problem | null,
  isRefreshing = false,
): WaitingState => ({ status: "waiting", request, rejected, problem, isRefreshing })

/** A refused resend, which may say when the next one is allowed. */
const afterResend = (request: CodeRequest, problem: Problem, at: number): CodeRequest => {
  if (problem.code === "resends_exhausted") {
    return { ...request, resendAt: null, resendsRemaining: 0 }
  }
  const { retryAfterSeconds } = problem
  return request.resendAt === null || retryAfterSeconds === undefined
    ? request
    : { ...request, resendAt: at + retryAfterSeconds * 1000 }
}

const onSent = (state: SendingState, answer: Answer<Waiting>, at: number): Step => {
  const { phoneNumber, rejected, request } = state
  if (answer.ok) return [wait({ request: requestOf(answer.data, at), rejected }, null)]
  const { problem } = answer
  if (request === null) {
    return isUnknown(problem)
      ? [idle(phoneNumber, problem, true), { type: "state" }]
      : [idle(phoneNumber, problem)]
  }
  if (isFinal(problem)) return [failed(phoneNumber, problem)]
  return [wait({ request: afterResend(request, problem, at), rejected }, problem)]
}

const onChecked = (state: CheckingState, answer: Answer<unknown>): Step => {
  const { code, rejected, request } = state
  const { phoneNumber } = request
  if (answer.ok) return [{ status: "verified", phoneNumber, data: answer.data }]
  const { problem } = answer
  if (isFinal(problem)) return [failed(phoneNumber, problem)]
  if (problem.code !== "wrong_code") return [wait({ request, rejected }, problem)]
  const { attemptsRemaining = request.attemptsRemaining } = problem
  return [
    wait({ request: { ...request, attemptsRemaining }, rejected: { code, problem } }, problem),
  ]
}

/** Handles the state that the server reports: at the first view, after sleep, and when a code has expired. */
const onFound = (state: VerificationState, answer: Answer<Waiting | Idle>, at: number): Step => {
  const found =
    answer.ok && answer.data.status === "waiting" ? requestOf(answer.data, at) : undefined
  const isOpen = found !== undefined && found.expiresAt > at
  switch (state.status) {
    case "idle":
      // The answer to an older question: the user has cancelled since.
      if (!state.isRefreshing) return [state]
      if (isOpen) return [wait({ request: found, rejected: null }, state.problem)]
      return [idle(state.phoneNumber, state.problem ?? (answer.ok ? null : answer.problem))]
    case "waiting": {
      const { problem, request } = state
      if (isOpen) {
        const rejected = found.phoneNumber === request.phoneNumber ? state.rejected : null
        return [wait({ request: found, rejected }, problem)]
      }
      if (request.expiresAt <= at || found !== undefined) {
        return [failed(request.phoneNumber, expired)]
      }
      return answer.ok ? [failed(request.phoneNumber, ended)] : [wait(state, answer.problem)]
    }
    case "verified":
      // The page came back from the browser's cache after the login.
      return answer.ok ? [initial] : [state]
    default:
      // An action of the user was faster; its own answer counts.
      return [state]
  }
}

const onCheck = (state: WaitingState, code: string): Step => {
  const { rejected, request } = state
  if (code === rejected?.code) {
    // A new object, so that the page treats it as a new refusal.
    const problem = { ...rejected.problem }
    return [wait({ request, rejected: { code, problem } }, problem, state.isRefreshing)]
  }
  const { phoneNumber } = request
  return [
    { status: "checking", request, rejected, code },
    { type: "check", code, phoneNumber },
  ]
}

const onCancel = (state: VerificationState): Step => {
  switch (state.status) {
    case "waiting":
      return [idle(state.request.phoneNumber), { type: "cancel" }]
    case "failed":
      return [idle(state.phoneNumber)]
    case "verified":
      return [initial]
    default:
      return [state]
  }
}

const onRefresh = (state: VerificationState): Step => {
  switch (state.status) {
    case "idle":
    case "waiting":
      return state.isRefreshing ? [state] : [{ ...state, isRefreshing: true }, { type: "state" }]
    case "verified":
      return [state, { type: "state" }]
    default:
      return [state]
  }
}

/** The rules. An event that does not fit the state, such as a second `check`, changes nothing. */
export const step = (state: VerificationState, event: Event): Step => {
  switch (event.type) {
    case "start": {
      if (state.status !== "idle" && state.status !== "failed") return [state]
      const { phoneNumber = "" } = event
      return [{ status: "sending", phoneNumber, request: null, rejected: null }, event]
    }
    case "resend": {
      if (state.status !== "waiting") return [state]
      const { rejected, request } = state
      return [{ status: "sending", phoneNumber: request.phoneNumber, request, rejected }, event]
    }
    case "check":
      return state.status === "waiting" ? onCheck(state, event.code) : [state]
    case "cancel":
      return onCancel(state)
    case "refresh":
      return onRefresh(state)
    case "sent":
      return state.status === "sending" ? onSent(state, event.answer, event.at) : [state]
    case "checked":
      return state.status === "checking" ? onChecked(state, event.answer) : [state]
    case "cancelled":
      return state.status === "idle" && !event.answer.ok
        ? [{ ...state, problem: event.answer.problem }]
        : [state]
    case "found":
      return onFound(state, event.answer, event.at)
  }
}
