/**
 * The search for an order of calls. The events of the history are a list. The search takes a call with a place out of
 * the list, and puts it back when it returns to the place before.
 */
import type { Call, Model } from "../../Linearizability.ts"

export interface Search<State, Input, Output> {
  readonly verdict: "linearizable" | "illegal" | "undecided"
  /** The longest order that was found. */
  readonly order: ReadonlyArray<{
    readonly call: Call<Input, Output>
    readonly state: State
  }>
}

interface Event<Input, Output> {
  readonly call: Call<Input, Output>
  /** The bit of the call among all calls. */
  readonly index: number
  readonly isAnswer: boolean
  before: Event<Input, Output> | undefined
  after: Event<Input, Output> | undefined
  /** The answer of a start. */
  answer: Event<Input, Output> | undefined
}

/** The events in order. A start comes before an answer at the same time, so such calls are concurrent. */
const eventsOf = <Input, Output>(
  calls: ReadonlyArray<Call<Input, Output>>,
): ReadonlyArray<Event<Input, Output>> => {
  const none = { before: undefined, after: undefined, answer: undefined }
  const timed = calls.flatMap((call, index) => {
    const start: Event<Input, Output> = { call, index, isAnswer: false, ...none }
    if (call.answer === undefined) return [{ at: call.calledAt, event: start }]
    const answer: Event<Input, Output> = { call, index, isAnswer: true, ...none }
    start.answer = answer
    return [
      { at: call.calledAt, event: start },
      { at: call.answer.at, event: answer },
    ]
  })
  return timed
    .toSorted((a, b) => a.at - b.at || Number(a.event.isAnswer) - Number(b.event.isAnswer))
    .map(({ event }) => event)
}

/** Takes an event out of the list. It keeps its neighbours, so that `putBack` finds its place. */
const takeOut = <Input, Output>({ after, before }: Event<Input, Output>): void => {
  if (before !== undefined) before.after = after
  if (after !== undefined) after.before = before
}

/** Undoes the last `takeOut`. */
const putBack = <Input, Output>(event: Event<Input, Output>): void => {
  const { after, before } = event
  if (before !== undefined) before.after = event
  if (after !== undefined) after.before = event
}

/** The calls that have a place, as bits. */
class Places {
  readonly #words: Uint32Array

  constructor(size: number) {
    this.#words = new Uint32Array(Math.ceil(size / 32))
  }

  flip(index: number): void {
    const word = index >>> 5
    this.#words[word] = (this.#words[word] ?? 0) ^ (1 << (index & 31))
  }

  text(): string {
    return this.#words.join()
  }
}

/** Searches until each call with an answer has a place. Calls without an answer need none. */
export const search = <State, Input, Output>(
  { initial, key = (state) => JSON.stringify(state), step }: Model<State, Input, Output>,
  calls: ReadonlyArray<Call<Input, Output>>,
  maxSteps: number,
): Search<State, Input, Output> => {
  const events = eventsOf(calls)
  for (const [index, event] of events.entries()) {
    event.before = events[index - 1]
    event.after = events[index + 1]
  }
  let first = events[0]
  let unplaced = calls.filter(({ answer }) => answer !== undefined).length
  let state = initial
  let steps = 0
  const places = new Places(calls.length)
  const seen = new Set<string>()
  const stack: Array<{ readonly event: Event<Input, Output>; readonly before: State }> = []
  let longest: Search<State, Input, Output>["order"] = []

  const orderOf = () =>
    stack.map(({ event: { call } }, index) => ({ call, state: stack[index + 1]?.before ?? state }))

  /** Gives a call a place after those that have one, unless the same calls have led to the same state before. */
  const place = (event: Event<Input, Output>, after: State): boolean => {
    places.flip(event.index)
    const known = `${places.text()} ${key(after)}`
    if (seen.has(known)) {
      places.flip(event.index)
      return false
    }
    seen.add(known)
    stack.push({ event, before: state })
    state = after
    if (event === first) first = event.after
    takeOut(event)
    if (event.answer !== undefined) {
      if (event.answer === first) first = event.answer.after
      takeOut(event.answer)
      unplaced -= 1
    }
    return true
  }

  /** Takes the last place back. Returns the start of its call; `undefined` if no call has a place. */
  const undo = (): Event<Input, Output> | undefined => {
    const last = stack.pop()
    if (last === undefined) return undefined
    const { before, event } = last
    if (event.answer !== undefined) {
      putBack(event.answer)
      unplaced += 1
    }
    putBack(event)
    if (event.before === undefined) first = event
    places.flip(event.index)
    state = before
    return event
  }

  let event = first
  for (;;) {
    if (unplaced === 0) return { verdict: "linearizable", order: orderOf() }
    if (event === undefined || event.isAnswer) {
      // This call has to have a place before its answer.
      if (stack.length > longest.length) longest = orderOf()
      const undone = undo()
      if (undone === undefined) return { verdict: "illegal", order: longest }
      event = undone.after
      continue
    }
    steps += 1
    if (steps > maxSteps) return { verdict: "undecided", order: longest }
    const after = step(state, event.call.input, event.call.answer?.output)
    event = after !== undefined && place(event, after) ? first : event.after
  }
}
