/**
 * The sequential model of one verification request: section 3.1 of the interface document, with resends, cancellation
 * and consumption.
 */
import * as Linearizability from "@countersign/testing/Linearizability"
import { type Answer, at, type Call, describe, type History, type Input, textAt } from "./calls.ts"

interface State {
  readonly status: "none" | "pending" | "verified" | "failed" | "expired"
  readonly attempts: number
  readonly resends: number
  /** `null` also if no answer has told it yet. */
  readonly verifiedAt: string | null
  readonly isConsumed: boolean
  readonly consumedAt: string | null
}

/** The code of the answer, and the state after it. */
type Outcome = readonly [code: string, after: State]

/** The limits of the histories. One resend, so that some requests use it up. */
const attempts = 3
const resends = 1

const check = (state: State, isRight: boolean): Outcome => {
  switch (state.status) {
    case "none":
      return ["request_not_found", state]
    case "verified":
      return ["ok", state]
    case "failed":
      return ["attempts_exhausted", state]
    case "expired":
      return ["request_expired", state]
    case "pending": {
      if (isRight) return ["ok", { ...state, status: "verified" }]
      const left = state.attempts - 1
      return left === 0
        ? ["attempts_exhausted", { ...state, status: "failed", attempts: 0 }]
        : ["wrong_code", { ...state, attempts: left }]
    }
  }
}

const resend = (state: State): Outcome => {
  switch (state.status) {
    case "none":
      return ["request_not_found", state]
    case "verified":
      return ["already_verified", state]
    case "failed":
      return ["attempts_exhausted", state]
    case "expired":
      return ["request_expired", state]
    case "pending":
      return state.resends === 0
        ? ["resends_exhausted", state]
        : ["ok", { ...state, resends: state.resends - 1 }]
  }
}

const cancel = (state: State): Outcome => {
  switch (state.status) {
    case "none":
      return ["request_not_found", state]
    case "verified":
      return ["already_verified", state]
    case "failed":
      return ["ok", state]
    case "expired":
      return ["request_expired", state]
    case "pending":
      return ["ok", { ...state, status: "failed" }]
  }
}

const consume = (state: State): Outcome => {
  switch (state.status) {
    case "none":
      return ["request_not_found", state]
    case "verified":
      return state.isConsumed ? ["already_consumed", state] : ["ok", { ...state, isConsumed: true }]
    case "failed":
      return ["attempts_exhausted", state]
    case "expired":
      return ["request_expired", state]
    case "pending":
      return ["not_verified", state]
  }
}

const outcomeOf = (state: State, input: Input): Outcome => {
  switch (input.name) {
    case "verify":
      // A repeat under an idempotency key gets the id of the first request.
      return state.status === "none" || input.key !== undefined
        ? ["ok", state.status === "none" ? { ...state, status: "pending" } : state]
        : ["request_id_taken", state]
    case "check":
      return check(state, input.isRight)
    case "resend":
      return resend(state)
    case "cancel":
      return cancel(state)
    case "consume":
      return consume(state)
    case "status":
      return [state.status === "none" ? "request_not_found" : "ok", state]
    case "expire":
      return ["ok", state.status === "pending" ? { ...state, status: "expired" } : state]
    default:
      return ["ok", state]
  }
}

/** The answer to a call that ends before it reaches the request, if the request would have admitted it. */
const isRefusedForItsPrice = (input: Input, { code }: Answer, expected: string): boolean =>
  input.name === "resend" && code === "insufficient_balance" && expected === "ok"

type Known = "verifiedAt" | "consumedAt"

/** The state with a time that an answer tells; `undefined` if another answer has told another time. */
const learn = (state: State, name: Known, told: unknown): State | undefined => {
  if (typeof told !== "string") return undefined
  const known = state[name]
  return known === null || known === told ? { ...state, [name]: told } : undefined
}

/** The state after a successful check, with the time that it tells. */
const checked = (before: State, after: State, { body, isFirst }: Answer): State | undefined =>
  isFirst === (before.status === "pending")
    ? learn(after, "verifiedAt", at(body, "data", "verified_at"))
    : undefined

const consumed = (after: State, { body }: Answer): State | undefined => {
  const verified = learn(after, "verifiedAt", at(body, "data", "verified_at"))
  return verified && learn(verified, "consumedAt", at(body, "data", "consumed_at"))
}

const read = (state: State, { body }: Answer): State | undefined => {
  const shown = {
    status: at(body, "data", "status"),
    attempts: at(body, "data", "attempts_remaining"),
    resends: at(body, "data", "resends_remaining"),
  }
  const isOpen = state.status === "pending"
  if (shown.status !== state.status || shown.attempts !== state.attempts) return undefined
  if (shown.resends !== (isOpen ? state.resends : 0)) return undefined
  const verifiedAt = at(body, "data", "verified_at")
  const consumedAt = at(body, "data", "consumed_at")
  if (state.status !== "verified")
    return verifiedAt === null && consumedAt === null ? state : undefined
  const verified = learn(state, "verifiedAt", verifiedAt)
  if (state.isConsumed) return verified && learn(verified, "consumedAt", consumedAt)
  return consumedAt === null ? verified : undefined
}

/** Compares an answer with the state after the call. Returns the state with what the answer tells. */
const compare = (
  before: State,
  after: State,
  { name }: Input,
  answer: Answer,
): State | undefined => {
  const { body, code } = answer
  const told = at(body, "data", "status")
  if (code === "wrong_code") {
    return at(body, "data", "attempts_remaining") === after.attempts ? after : undefined
  }
  if (code === "attempts_exhausted") return told === "failed" ? after : undefined
  if (code === "request_expired") return told === "expired" ? after : undefined
  if (code !== "ok") return after
  switch (name) {
    case "check":
      return checked(before, after, answer)
    case "consume":
      return consumed(after, answer)
    case "resend":
      return at(body, "data", "resends_remaining") === after.resends ? after : undefined
    case "status":
      return read(after, answer)
    default:
      return after
  }
}

const model: Linearizability.Model<State, Input, Answer> = {
  initial: {
    status: "none",
    attempts,
    resends,
    verifiedAt: null,
    isConsumed: false,
    consumedAt: null,
  },
  step: (state, input, answer) => {
    const [code, after] = outcomeOf(state, input)
    if (answer === undefined) return after
    if (isRefusedForItsPrice(input, answer, code)) return state
    return answer.code === code ? compare(state, after, input, answer) : undefined
  },
  describe,
}

const idOf = ({ answer }: Call): string | undefined =>
  textAt(answer?.output.body, "data", "request_id")

/**
 * The histories of the requests, by their ids. Every one has the calls that concern all requests. A call without an
 * answer may have sent the code for which a repeat under its idempotency key gets the id.
 */
export const histories = (history: History): ReadonlyMap<string, History> => {
  const all = history.filter(({ input }) => input.name === "expire")
  const ofKeys = new Map(
    history.flatMap((call): ReadonlyArray<readonly [key: string, id: string]> => {
      const { input } = call
      const id = idOf(call)
      return input.name !== "verify" || input.key === undefined || id === undefined
        ? []
        : [[input.key, id]]
    }),
  )
  const requestOf = (call: Call): string | undefined => {
    const { input } = call
    if ("requestId" in input) return input.requestId
    if (input.name !== "verify") return undefined
    return call.answer === undefined ? ofKeys.get(input.key ?? "") : idOf(call)
  }
  const parts = Linearizability.partition(history, requestOf)
  return new Map([...parts].map(([id, calls]) => [id, [...calls, ...all]]))
}

export const problem = (calls: History): Linearizability.Counterexample | undefined =>
  Linearizability.check(model, calls)
