/**
 * Messages on their way to a centre, at the pace that it allows.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Conversation, Unanswered } from "./conversation.ts"
import type { Pdu, ShortMessage } from "./pdu.ts"

/** The bounds of a line. Times in milliseconds. */
export interface LineOptions {
  /** How long an answer may take. */
  readonly answerMillis: number
  /** How many messages may wait for their turn. */
  readonly maxQueued: number
  /** Most messages that are handed over and not answered. */
  readonly window: number
  /** Most messages in a second; as many as there are when left out. */
  readonly perSecond?: number | undefined
}

/** What became of a message that was handed over. */
export type Answer =
  | { readonly _tag: "Answered"; readonly status: number; readonly messageId: string }
  /** It had to wait for longer than it may, and has not left. */
  | { readonly _tag: "Crowded" }
  /** The connection ended before it left. */
  | { readonly _tag: "Unsent" }
  /** A field cannot be written. It has not left. */
  | { readonly _tag: "Unwritable"; readonly field: string }
  /** It has left, and nobody can say more. */
  | { readonly _tag: "Lost"; readonly message: string }

export interface Job {
  readonly message: ShortMessage
  readonly until: number
  readonly done: (answer: Answer) => void
  /** Hears the answer that came after `done` had to do without. */
  readonly late: (answer: Answer) => void
}

/** Messages that wait for their turn, which begins when the window has room. */
export class Line {
  readonly #jobs: Array<Job> = []
  readonly #urgent: Array<Job> = []
  readonly #options: LineOptions
  readonly #conversation: Conversation
  readonly turn = Latch.makeUnsafe()
  inFlight = 0
  #isEnded = false

  constructor(options: LineOptions, conversation: Conversation) {
    this.#options = options
    this.#conversation = conversation
  }

  add(job: Job, isUrgent: boolean): void {
    // Nobody looks at a line that has ended, though its connection may still be taking its leave.
    if (this.#isEnded || this.#conversation.isClosed) return job.done({ _tag: "Unsent" })
    if (isUrgent) this.#urgent.push(job)
    else if (this.#jobs.length >= this.#options.maxQueued) return job.done({ _tag: "Crowded" })
    else this.#jobs.push(job)
    this.#look()
  }

  remove(job: Job): void {
    for (const jobs of [this.#urgent, this.#jobs]) {
      const at = jobs.indexOf(job)
      if (at !== -1) jobs.splice(at, 1)
    }
    this.#look()
  }

  /** Hands the first one over. */
  next(now: number): void {
    const job = this.#urgent.shift() ?? this.#jobs.shift()
    this.#look()
    if (job === undefined) return
    if (this.#conversation.isClosed) return job.done({ _tag: "Unsent" })
    this.inFlight += 1
    const { answerMillis } = this.#options
    const field = this.#conversation.request(job.message, {
      until: now + answerMillis,
      done: (answer) => {
        this.inFlight -= 1
        this.#look()
        job.done(answerOf(answer))
      },
      late: (answer) => job.late(answerOf(answer)),
    })
    if (field === undefined) return this.#look()
    this.inFlight -= 1
    this.#look()
    job.done({ _tag: "Unwritable", field })
  }

  /** Gives up on those that have waited too long. */
  sweep(now: number): void {
    const all = [...this.#urgent, ...this.#jobs]
    for (const job of all.filter(({ until }) => until <= now)) {
      this.remove(job)
      job.done({ _tag: "Crowded" })
    }
  }

  /** Nothing that waits leaves any more, nor what comes later. */
  end(): void {
    this.#isEnded = true
    for (const job of [...this.#urgent.splice(0), ...this.#jobs.splice(0)])
      job.done({ _tag: "Unsent" })
  }

  #look(): void {
    const isAnyThere = this.#urgent.length > 0 || this.#jobs.length > 0
    const isOpen = isAnyThere && this.inFlight < this.#options.window
    if (isOpen) this.turn.openUnsafe()
    else this.turn.closeUnsafe()
  }
}

/** One after another: a place in the second, and a place in the window. */
export const pump = (line: Line, { perSecond }: LineOptions) =>
  Effect.gen(function* () {
    let place = 0
    while (true) {
      yield* line.turn.await
      const now = yield* Clock.currentTimeMillis
      if (place > now) yield* Effect.sleep(Duration.millis(place - now))
      const at = yield* Clock.currentTimeMillis
      // Nothing may be interrupted between a place that is taken and a message that leaves.
      if (perSecond !== undefined) place = Math.max(place, at) + 1_000 / perSecond
      line.next(at)
    }
  })

const lost: Readonly<Record<Unanswered, Answer>> = {
  late: { _tag: "Lost", message: "No answer in time" },
  closed: { _tag: "Lost", message: "The connection ended before the answer" },
  unreadable: { _tag: "Lost", message: "The answer could not be read" },
}

/** What came back on a message that has left. */
const answerOf = (pdu: Pdu | Unanswered): Answer => {
  if (typeof pdu === "string") return lost[pdu]
  switch (pdu.command) {
    case "submit_sm_resp":
      return pdu.status === 0 && pdu.messageId === ""
        ? { _tag: "Lost", message: "Taken without an id" }
        : { _tag: "Answered", status: pdu.status, messageId: pdu.messageId }
    case "generic_nack":
      return pdu.status === 0
        ? { _tag: "Lost", message: "Answered with a nack that names no reason" }
        : { _tag: "Answered", status: pdu.status, messageId: "" }
    default:
      return { _tag: "Lost", message: `Answered with ${pdu.command}` }
  }
}
