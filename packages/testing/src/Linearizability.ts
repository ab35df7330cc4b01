/**
 * Decides whether a history of concurrent calls is linearizable. It is if a sequential model gives the same answers,
 * with the effect of each call at one moment between its start and its answer.
 *
 * The algorithm follows Porcupine: the search of Wing, Gong and Lowe, which remembers the states that it has seen. It
 * runs on each partition of the history alone.
 *
 * @example
 * ```ts
 * const history = Linearizability.recorder<"read" | "add", number>()
 * const answered = history.begin("client 1", "add")
 * answered(await counter.add())
 *
 * const problem = Linearizability.check(model, history.calls())
 * if (problem !== undefined) throw new Error(Linearizability.format(problem))
 * ```
 */
import { search } from "./internal/linearizability/search.ts"

export interface Call<Input, Output> {
  readonly client: string
  readonly input: Input
  /** A position in time. Calls whose times overlap are concurrent. */
  readonly calledAt: number
  /** `undefined`: the client got no answer. The call may take effect at any time after its start, or never. */
  readonly answer: { readonly output: Output; readonly at: number } | undefined
}

/** The sequential specification of a service: its behaviour if calls come one after another. */
export interface Model<State, Input, Output> {
  readonly initial: State
  /**
   * Returns the state after a call; `undefined` if the call cannot have this output in this state. `output` is
   * `undefined` for a call without an answer: any output is right.
   */
  readonly step: (state: State, input: Input, output: Output | undefined) => State | undefined
  /** Equal states have equal texts. @defaultValue `JSON.stringify` */
  readonly key?: ((state: State) => string) | undefined
  /** Describes a call in a counterexample. @defaultValue `JSON.stringify` of both */
  readonly describe?: ((input: Input, output: Output | undefined) => string) | undefined
}

/** A history that no order explains. */
export interface Counterexample {
  /**
   * `illegal`: no order gives the answers of the model. `undecided`: the search has ended at its bound without an
   * order.
   */
  readonly reason: "illegal" | "undecided"
  /** The longest order that the model allows, each call with the state after it. */
  readonly order: ReadonlyArray<Placed>
  /** The calls of which none can be next. */
  readonly blocked: ReadonlyArray<string>
}

export interface Placed {
  readonly call: string
  readonly state: string
}

export interface Options {
  /** Calls of the model before the search ends. @defaultValue 1,000,000 */
  readonly maxSteps?: number | undefined
}

type Calls<Input, Output> = ReadonlyArray<Call<Input, Output>>

/** The history as it was at a time: later calls do not exist, and later answers are not known. */
const until = <Input, Output>(calls: Calls<Input, Output>, time: number): Calls<Input, Output> =>
  calls
    .filter(({ calledAt }) => calledAt <= time)
    .map((call) =>
      call.answer === undefined || call.answer.at <= time ? call : { ...call, answer: undefined },
    )

const describeCall = <State, Input, Output>(
  { describe }: Model<State, Input, Output>,
  { answer, calledAt, client, input }: Call<Input, Output>,
): string => {
  const text =
    describe === undefined
      ? `${JSON.stringify(input)} → ${answer === undefined ? "no answer" : JSON.stringify(answer.output)}`
      : describe(input, answer?.output)
  return `[${calledAt}, ${answer?.at ?? "…"}] ${client}: ${text}`
}

/**
 * Returns `undefined` if a history is linearizable, and a counterexample if it is not. The counterexample explains the
 * shortest part of the history, from its beginning, that is not linearizable.
 */
export const check = <State, Input, Output>(
  model: Model<State, Input, Output>,
  calls: Calls<Input, Output>,
  { maxSteps = 1_000_000 }: Options = {},
): Counterexample | undefined => {
  const whole = search(model, calls, maxSteps)
  if (whole.verdict === "linearizable") return undefined
  const found = whole.verdict === "illegal" ? shortest(model, calls, maxSteps) : calls
  const { order, verdict } = search(model, found, maxSteps)
  const placed = new Set(order.map(({ call }) => call))
  const firstAnswer = Math.min(
    ...found.flatMap((call) =>
      call.answer === undefined || placed.has(call) ? [] : [call.answer.at],
    ),
  )
  return {
    reason: verdict === "undecided" ? "undecided" : "illegal",
    order: order.map(({ call, state }) => ({
      call: describeCall(model, call),
      state: JSON.stringify(state),
    })),
    blocked: found
      .filter((call) => !placed.has(call) && call.calledAt <= firstAnswer)
      .map((call) => describeCall(model, call)),
  }
}

/** The part of an illegal history until the first answer that makes it illegal. */
const shortest = <State, Input, Output>(
  model: Model<State, Input, Output>,
  calls: Calls<Input, Output>,
  maxSteps: number,
): Calls<Input, Output> => {
  const times = calls
    .flatMap(({ answer }) => (answer === undefined ? [] : [answer.at]))
    .toSorted((a, b) => a - b)
  // A history that is linearizable was so at each time before.
  let legal = -1
  let illegal = times.length - 1
  while (illegal - legal > 1) {
    const middle = Math.floor((legal + illegal) / 2)
    const part = until(calls, times[middle] ?? 0)
    if (search(model, part, maxSteps).verdict === "illegal") illegal = middle
    else legal = middle
  }
  return until(calls, times[illegal] ?? Number.POSITIVE_INFINITY)
}

/** Divides a history into histories that do not depend on one another. `undefined`: the call belongs to none. */
export const partition = <Input, Output>(
  calls: Calls<Input, Output>,
  keyOf: (call: Call<Input, Output>) => string | undefined,
): ReadonlyMap<string, Calls<Input, Output>> => {
  const parts = new Map<string, Array<Call<Input, Output>>>()
  for (const call of calls) {
    const key = keyOf(call)
    if (key === undefined) continue
    const part = parts.get(key)
    if (part === undefined) parts.set(key, [call])
    else part.push(call)
  }
  return parts
}

/** Writes a counterexample as text, one call per line. */
export const format = ({ blocked, order, reason }: Counterexample): string =>
  [
    reason === "illegal"
      ? "The history is not linearizable. The model allows these calls in this order, with the state after each:"
      : "The search ended before it found an order. Its longest one, with the state after each call:",
    ...order.map(({ call, state }) => `  ${call}\n      ${state}`),
    "None of these calls can be next:",
    ...blocked.map((call) => `  ${call}`),
  ].join("\n")

export interface Recorder<Input, Output> {
  /** Records the start of a call. Call the result with the output. */
  readonly begin: (client: string, input: Input) => (output: Output) => void
  /** The calls so far, in the order of their starts. */
  readonly calls: () => Calls<Input, Output>
}

/** Makes the record of a history whose clients are in this process. Its times are the order of starts and answers. */
export const recorder = <Input, Output>(): Recorder<Input, Output> => {
  const calls: Array<Call<Input, Output>> = []
  let time = 0
  return {
    begin: (client, input) => {
      const call = { client, input, calledAt: time++ }
      const index = calls.push({ ...call, answer: undefined }) - 1
      return (output) => {
        calls[index] = { ...call, answer: { output, at: time++ } }
      }
    },
    calls: () => [...calls],
  }
}
