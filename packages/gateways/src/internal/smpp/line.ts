/** A queue of messages to a centre, with the rate limit of the centre. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Conversation, Unanswered } from "./conversation.ts"
import type { Pdu, ShortMessage } from "./pdu.ts"
import * as Outcomes from "../outcomes.ts"
import type { Settings } from "./session.ts"

type LineOptions = Pick<Settings, "answerMillis" | "maxQueued" | "window">

/** The result of a message: the centre's answer, or why it is missing. */
export type Answer =
  | { readonly _tag: "Answered"; readonly status: number; readonly messageId: string }
  | Outcomes.Refusal

export interface Job {
  readonly message: ShortMessage
  readonly until: number
  readonly done: (answer: Answer) => void
  /** Receives an answer that arrives after `done` was called with `Unknown`. */
  readonly late: (answer: Answer) => void
}

/** The queue of messages. The next message leaves when the window has room. */
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
    // A line that has ended is not processed any more, even while its connection is still unbinding.
    if (this.#isEnded || this.#conversation.isClosed) return job.done(unsent)
    if (isUrgent) this.#urgent.push(job)
    else if (this.#jobs.length >= this.#options.maxQueued) return job.done(crowded)
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

  /** Sends the first message in the queue. */
  next(now: number): void {
    const job = this.#urgent.shift() ?? this.#jobs.shift()
    this.#look()
    if (job === undefined) return
    if (this.#conversation.isClosed) return job.done(unsent)
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
    const name = field === "source_addr" ? "sender" : field
    job.done(Outcomes.unsupported(`SMPP has no room for this ${name}`))
  }

  /** Fails the messages that have waited too long. */
  sweep(now: number): void {
    const all = [...this.#urgent, ...this.#jobs]
    for (const job of all.filter(({ until }) => until <= now)) {
      this.remove(job)
      job.done(crowded)
    }
  }

  /** Fails all queued and all later messages. */
  end(): void {
    this.#isEnded = true
    for (const job of [...this.#urgent.splice(0), ...this.#jobs.splice(0)]) job.done(unsent)
  }

  #look(): void {
    const isAnyThere = this.#urgent.length > 0 || this.#jobs.length > 0
    const isOpen = isAnyThere && this.inFlight < this.#options.window
    if (isOpen) this.turn.openUnsafe()
    else this.turn.closeUnsafe()
  }
}

/** Sends messages one by one, when the rate limit and the window have room. */
export const pump = (line: Line, { perSecond }: Settings) =>
  Effect.gen(function* () {
    let place = 0
    while (true) {
      yield* line.turn.await
      const now = yield* Clock.currentTimeMillis
      if (place > now) yield* Effect.sleep(Duration.millis(place - now))
      const at = yield* Clock.currentTimeMillis
      // No interruption between taking a slot and sending the message.
      if (perSecond !== undefined) place = Math.max(place, at) + 1_000 / perSecond
      line.next(at)
    }
  })

const unsent = Outcomes.notSent("The connection to the gateway was lost")
const crowded = Outcomes.throttled("Too many messages wait for the gateway")

const lost: Readonly<Record<Unanswered, Answer>> = {
  late: Outcomes.unknown("No answer in time"),
  closed: Outcomes.unknown("The connection ended before the answer"),
  unreadable: Outcomes.unknown("The answer could not be read"),
}

/** Maps the answer PDU of a sent message to its result. */
const answerOf = (pdu: Pdu | Unanswered): Answer => {
  if (typeof pdu === "string") return lost[pdu]
  switch (pdu.command) {
    case "submit_sm_resp":
      return pdu.status === 0 && pdu.messageId === ""
        ? Outcomes.unknown("Taken without an id")
        : { _tag: "Answered", status: pdu.status, messageId: pdu.messageId }
    case "generic_nack":
      return pdu.status === 0
        ? Outcomes.unknown("Answered with a nack that names no reason")
        : { _tag: "Answered", status: pdu.status, messageId: "" }
    default:
      return Outcomes.unknown(`Answered with ${pdu.command}`)
  }
}
