/**
 * The sequential model of an idempotency key: one effect, the first answer to each repeat, 422 for another body, and
 * 409 while the first call is under way.
 *
 * A call that is answered like the first one is two calls of the model: the effect, and the record of its answer. Between
 * them the key is under way.
 */
import * as Linearizability from "@countersign/testing/Linearizability"
import { at, type Call, type History } from "./calls.ts"

interface State {
  /** The body of the call that has had the effect. */
  readonly body: string | null
  /** The first answer; `null` until it is recorded. */
  readonly answer: string | null
}

type Step =
  | { readonly name: "effect" | "mismatch" | "inFlight" | "refusal"; readonly body: string }
  | { readonly name: "answer"; readonly body: string; readonly answer: string }
  /** The messages in the log that the key has sent. */
  | { readonly name: "count"; readonly count: number }

const model: Linearizability.Model<State, Step, true> = {
  initial: { body: null, answer: null },
  step: (state, step) => {
    switch (step.name) {
      case "effect":
        if (state.body === null) return { body: step.body, answer: null }
        return state.body === step.body ? state : undefined
      case "answer":
        if (state.body !== step.body) return undefined
        return state.answer === null || state.answer === step.answer
          ? { ...state, answer: step.answer }
          : undefined
      case "mismatch":
        return state.body !== null && state.body !== step.body ? state : undefined
      case "inFlight":
        return state.body === step.body && state.answer === null ? state : undefined
      case "refusal":
        return state.body === null ? state : undefined
      case "count":
        return step.count === (state.body === null ? 0 : 1) ? state : undefined
    }
  },
  describe: ({ name, ...step }, output) =>
    `${name} ${JSON.stringify(step)} → ${output === undefined ? "no answer" : "ok"}`,
}

type Part = Linearizability.Call<Step, true>

const part = ({ answer, calledAt, client }: Call, input: Step): Part => ({
  client,
  input,
  calledAt,
  answer: answer && { output: true, at: answer.at },
})

/** A call with a key, and what makes it another call than one with the same key. */
const keyed = (call: Call) => {
  const { input } = call
  if (input.name !== "send" && input.name !== "verify") return undefined
  const { key, phoneNumber } = input
  if (key === undefined) return undefined
  const body = input.name === "send" ? input.text : ""
  return { call, key: `${input.name} ${key}`, phoneNumber, body }
}

const partsOf = (call: Call, body: string): ReadonlyArray<Part> => {
  const { answer } = call
  if (answer === undefined) return [part(call, { name: "effect", body })]
  switch (answer.output.code) {
    case "idempotency_mismatch":
      return [part(call, { name: "mismatch", body })]
    case "idempotency_in_flight":
      return [part(call, { name: "inFlight", body })]
    case "insufficient_balance":
      return [part(call, { name: "refusal", body })]
    default: {
      const text = `${answer.output.status} ${JSON.stringify(answer.output.body)}`
      return [
        part(call, { name: "effect", body }),
        part(call, { name: "answer", body, answer: text }),
      ]
    }
  }
}

/** The number of messages to a phone number in an answer with the whole log. */
const countIn = ({ answer }: Call, phoneNumber: string): number => {
  const entries = at(answer?.output.body, "data")
  if (!Array.isArray(entries)) return 0
  return entries.filter((entry) => at(entry, "recipient") === phoneNumber.slice(1)).length
}

/**
 * The histories of the keys. Each key has a phone number of its own, to which the log counts the messages. The code of a
 * verification may be sent again, so only messages are counted.
 */
export const histories = (history: History): ReadonlyMap<string, ReadonlyArray<Part>> => {
  const calls = history.flatMap((call) => keyed(call) ?? [])
  const logs = history.filter(({ answer, input }) => input.name === "log" && answer !== undefined)
  const parts = new Map<string, Array<Part>>()
  for (const { body, call, key, phoneNumber } of calls) {
    const counts = (): Array<Part> =>
      call.input.name === "verify"
        ? []
        : logs.map((log) => part(log, { name: "count", count: countIn(log, phoneNumber) }))
    const found = parts.get(key) ?? counts()
    found.push(...partsOf(call, body))
    parts.set(key, found)
  }
  return parts
}

export const problem = (calls: ReadonlyArray<Part>): Linearizability.Counterexample | undefined =>
  Linearizability.check(model, calls)
