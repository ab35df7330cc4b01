/**
 * The sequential model of an organization's balance: top-ups, charges, refusals for an empty balance, and reads.
 *
 * A send is two changes, which other calls may come between: the charge, and then the end of the dispatch, which may
 * give the price back. The answer tells the balance at its end. So a send is two calls of the model, both between its
 * start and its answer.
 */
import * as Linearizability from "@countersign/testing/Linearizability"
import { type Call, type History, price, refusedNumber, textAt, unitsAt } from "./calls.ts"

interface State {
  readonly available: number
  /** The sends that are charged and have not ended. */
  readonly open: ReadonlyArray<string>
  /** The idempotency keys that have had their effect. */
  readonly keys: ReadonlyArray<string>
  readonly payments: ReadonlyArray<string>
}

type Step =
  | { readonly name: "topUp"; readonly units: number; readonly payment: string }
  | { readonly name: "read" }
  /** `send` names a send whose end is a call as well. */
  | {
      readonly name: "charge"
      readonly send?: string | undefined
      readonly key?: string | undefined
    }
  | { readonly name: "end" | "release"; readonly send: string }
  | { readonly name: "refusal"; readonly key?: string | undefined }
  /** An answer that only a call with the key of an earlier effect gets. */
  | { readonly name: "repeat"; readonly key: string }

/** The balance that an answer tells. `undefined`: it tells none. */
interface Told {
  readonly balance: number | undefined
}

const without = (list: ReadonlyArray<string>, item: string) => list.filter((one) => one !== item)
const withItem = (list: ReadonlyArray<string>, item: string) => [...list, item].toSorted()

/** The state after a step; `undefined` if the step is not possible. */
const after = (state: State, step: Step): State | undefined => {
  const { available, keys, open, payments } = state
  switch (step.name) {
    case "topUp":
      return payments.includes(step.payment)
        ? state
        : {
            ...state,
            available: available + step.units,
            payments: withItem(payments, step.payment),
          }
    case "read":
      return state
    case "charge": {
      const { key, send } = step
      if (key !== undefined && keys.includes(key)) return state
      if (available < price) return undefined
      return {
        ...state,
        available: available - price,
        open: send === undefined ? open : withItem(open, send),
        keys: key === undefined ? keys : withItem(keys, key),
      }
    }
    case "end":
      return open.includes(step.send) ? { ...state, open: without(open, step.send) } : undefined
    case "release":
      return open.includes(step.send)
        ? { ...state, available: available + price, open: without(open, step.send) }
        : undefined
    case "refusal":
      return available < price && !(step.key !== undefined && keys.includes(step.key))
        ? state
        : undefined
    case "repeat":
      return keys.includes(step.key) ? state : undefined
  }
}

const model: Linearizability.Model<State, Step, Told> = {
  initial: { available: 0, open: [], keys: [], payments: [] },
  step: (state, step, told) => {
    const next = after(state, step)
    return next === undefined || told?.balance === undefined || told.balance === next.available
      ? next
      : undefined
  },
  describe: ({ name, ...step }, told) =>
    `${name} ${JSON.stringify(step)} → ${told === undefined ? "no answer" : (told.balance ?? "ok")}`,
}

type Part = Linearizability.Call<Step, Told>

const part = (call: Call, input: Step, told: number | undefined = undefined): Part => ({
  client: call.client,
  input,
  calledAt: call.calledAt,
  answer: call.answer && { output: { balance: told }, at: call.answer.at },
})

/** Codes that a call with an idempotency key gets only after an effect of the key. */
const isOfRepeat = (code: string | undefined): boolean =>
  code === "idempotency_mismatch" || code === "idempotency_in_flight"

/** The steps of a call that may charge a message. `told`: whether its success tells the balance. */
const chargesOf = (call: Call, index: number, told: boolean): ReadonlyArray<Part> => {
  const { answer, input } = call
  const key = "key" in input && input.key !== undefined ? `${input.name} ${input.key}` : undefined
  const send = `${index}`
  const body = answer?.output.body
  switch (answer?.output.code) {
    case "ok":
      return told && key === undefined
        ? [
            part(call, { name: "charge", send }),
            part(call, { name: "end", send }, unitsAt(body, "data", "credits_remaining")),
          ]
        : [part(call, { name: "charge", key })]
    case "sending_failed": {
      const isOpen = textAt(body, "status") === "unknown"
      return key !== undefined || isOpen
        ? [part(call, { name: "charge", key })]
        : [part(call, { name: "charge", send }), part(call, { name: "release", send })]
    }
    case undefined:
      return "phoneNumber" in input && input.phoneNumber === refusedNumber
        ? [part(call, { name: "charge", send }), part(call, { name: "release", send })]
        : [part(call, { name: "charge", key })]
    case "insufficient_balance":
      return [part(call, { name: "refusal", key }, unitsAt(body, "available"))]
    default:
      return isOfRepeat(answer?.output.code) && key !== undefined
        ? [part(call, { name: "repeat", key })]
        : []
  }
}

/** The steps of the balance that a call consists of. */
const partsOf = (call: Call, index: number): ReadonlyArray<Part> => {
  const { answer, input } = call
  const body = answer?.output.body
  switch (input.name) {
    case "topUp":
      return [part(call, { ...input }, answer && unitsAt(body, "balance"))]
    case "balance":
      return answer === undefined
        ? []
        : [part(call, { name: "read" }, unitsAt(body, "data", "balance"))]
    case "verify":
    case "resend":
      return chargesOf(call, index, false)
    case "send":
      return chargesOf(call, index, true)
    default:
      return []
  }
}

export const problem = (history: History): Linearizability.Counterexample | undefined =>
  Linearizability.check(model, history.flatMap(partsOf))
