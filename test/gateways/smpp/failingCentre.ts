/**
 * A message centre that fails while messages are in flight, after a plan, and writes down what it has done with
 * each part of a text.
 */
import { type Reply, type Smsc, startSmsc, type Submitted } from "@countersign/testing/Smsc"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { freePorts } from "../../support/freePorts.ts"
import { turns } from "./support.ts"

/** The reactions to a part, with how often each is chosen. */
export const reactions = [
  ["delivered", 36],
  ["undelivered", 8],
  /** The receipt comes before the answer. */
  ["early", 12],
  /** The answer comes after the client has stopped waiting for it. */
  ["late", 6],
  ["unanswered", 5],
  ["refused", 5],
  ["throttled", 6],
  /** A status that does not say whether the message was accepted. It was not. */
  ["failing", 3],
  /** Accepted; instead of the answer, the centre says goodbye. */
  ["unbind", 4],
  /** Accepted; instead of the answer, the connection ends. */
  ["cut", 4],
  /** The same with a reset, at once: answers on their way may be lost as well. */
  ["reset", 3],
  /** Accepted; the centre ends, and starts again seconds later. */
  ["killed", 3],
  /** Accepted; the centre reads nothing for a time that the client waits for. */
  ["paused", 3],
  /** The same for longer: the client gives the connection up, and cannot bind. */
  ["stalled", 2],
] as const

export type Reaction = (typeof reactions)[number][0]

/** What happened to one submission of a part. */
export interface Submission {
  readonly message: number
  readonly part: number
  readonly reaction: Reaction
  /** The centre's id; `undefined` if it did not accept the part. */
  readonly id: string | undefined
  readonly state: "DELIVRD" | "UNDELIV"
  /** Whether the centre wrote an answer, and whether the client has certainly read it. */
  answer: "none" | "written" | "read"
  /** Grows with each disturbance: an answer of an earlier epoch may be lost. */
  epoch: number
}

const statuses: Partial<Record<Reaction, number>> = {
  refused: 0x0b,
  throttled: 0x58,
  failing: 0x08,
}

/** The text of a part says which part of which message it is. */
const partOf = ({ text }: Submitted) => {
  const [, message, part] = /^#(\d+)\/(\d) /.exec(text) ?? []
  if (message === undefined) throw new Error(`The text has changed on its way: ${text}`)
  return { message: Number(message), part: Number(part) }
}

type Disturbance = "unbind" | "cut" | "killed" | "paused" | "stalled"

type Event = Disturbance | "end" | { readonly sequence: number; readonly of: Submission }

const isDisturbance = (reaction: Reaction): reaction is Disturbance =>
  ["unbind", "cut", "killed", "paused", "stalled"].includes(reaction)

/** Below and above the client's time limit for an answer, 10 seconds, and for a connection, 40 seconds. */
const pause = Duration.seconds(5)
const stall = Duration.seconds(50)
const lateness = Duration.seconds(15)
const downtime = Duration.seconds(3)

interface Options {
  /** Number of binds of the client. */
  readonly binds: 1 | 2
  readonly planned: (message: number, part: number) => Reaction
}

/** Runs the centre until the scope closes. Time has to pass for its disturbances. */
export const startFailingCentre = Effect.fnUntraced(function* ({ binds, planned }: Options) {
  const [port = 0] = yield* Effect.promise(() => freePorts(1))
  const journal: Array<Submission> = []
  const events = yield* Queue.unbounded<Event>()
  const late: Array<Fiber.Fiber<void>> = []
  let epoch = 0
  let isClosing = false
  let isDisturbing = false

  const react = (submitted: Submitted): Reply => {
    const place = partOf(submitted)
    const earlier = journal.filter(
      ({ message, part }) => message === place.message && part === place.part,
    )
    const wanted = earlier.length > 0 ? "delivered" : planned(place.message, place.part)
    const reaction = isClosing || (wanted === "reset" && isDisturbing) ? "unanswered" : wanted
    const status = statuses[reaction]
    const isAnswered = ["delivered", "undelivered", "early"].includes(reaction)
    const submission: Submission = {
      ...place,
      reaction,
      id: status === undefined ? `${place.message}-${place.part}-${earlier.length}` : undefined,
      state: reaction === "undelivered" ? "UNDELIV" : "DELIVRD",
      answer: isAnswered || status !== undefined ? "written" : "none",
      epoch,
    }
    journal.push(submission)
    const { id = "", state } = submission
    if (status !== undefined) return { status }
    if (isDisturbance(reaction)) Queue.offerUnsafe(events, reaction)
    if (reaction === "reset") epoch += 1
    if (reaction === "reset") return "reset"
    if (reaction === "early") return { id, early: [{ id, state }] }
    if (isAnswered) return { id, receipts: [{ id, state }] }
    const note = (sequence: number) => {
      if (reaction === "late") Queue.offerUnsafe(events, { sequence, of: submission })
      return []
    }
    return { raw: note }
  }

  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const smsc = yield* Scope.provide(startSmsc({ port }), scope)
    smsc.onSubmit = react
    return { scope, smsc }
  })
  let running: { readonly scope: Scope.Closeable; readonly smsc: Smsc } = yield* start
  yield* Effect.addFinalizer(() => Scope.close(running.scope, Exit.void))

  const isBound = (): boolean => running.smsc.bound() === binds
  const until = (holds: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(turns(1), until(holds))))
  /** Waits until the client has lost its connections, or has already bound again. */
  const untilLost = (left = binds - 1): Effect.Effect<void> => {
    const { smsc } = running
    const before = smsc.binds.length
    return until(() => smsc.bound() <= left || smsc.binds.length > before)
  }
  const written = () =>
    journal.filter(({ answer, epoch: of }) => answer === "written" && of === epoch)
  const markRead = (submissions: ReadonlyArray<Submission>): void => {
    for (const one of submissions) one.answer = "read"
  }

  /** Waits until the client has read all answers so far: it answers in the order in which it reads. */
  const confirm = Effect.gen(function* () {
    const read = written()
    yield* running.smsc.tell({ command: "enquire_link" })
    // A reset may have ended the connection a moment ago.
    const isRead = yield* Effect.raceFirst(
      Effect.as(running.smsc.next("enquire_link_resp"), true),
      Effect.as(untilLost(), false),
    )
    if (isRead) markRead(read)
  })

  /** Says goodbye. Accepts what is still on its way, and answers nothing more. */
  const unbind = Effect.gen(function* () {
    isClosing = true
    const read = written()
    yield* running.smsc.tell({ command: "unbind" })
    yield* untilLost(0)
    markRead(read)
    isClosing = false
  })

  const disturb: Readonly<Record<Disturbance, Effect.Effect<void>>> = {
    unbind,
    cut: Effect.andThen(
      confirm,
      Effect.suspend(() => running.smsc.hangUp),
    ),
    killed: Effect.gen(function* () {
      yield* confirm
      yield* Scope.close(running.scope, Exit.void)
      yield* Effect.sleep(downtime)
      running = yield* start
    }),
    paused: Effect.gen(function* () {
      yield* running.smsc.pause
      yield* Effect.sleep(pause)
      yield* running.smsc.resume
    }),
    stalled: Effect.gen(function* () {
      yield* confirm
      yield* running.smsc.pause
      epoch += 1
      yield* Effect.sleep(stall)
      yield* running.smsc.resume
      // What the client sent before it gave up is accepted now. Its answers reach no client.
      yield* turns(20)
      yield* running.smsc.hangUp
    }),
  }

  const answerLate = ({ of, sequence }: Exclude<Event, string>) =>
    Effect.gen(function* () {
      yield* Effect.sleep(lateness)
      if (of.epoch !== epoch || isClosing || !isBound()) return
      yield* running.smsc.tell({ command: "submit_sm_resp", messageId: of.id ?? "" }, sequence)
      of.answer = "written"
    })

  const handle = Effect.fnUntraced(function* (event: Exclude<Event, "end">) {
    if (typeof event !== "string") {
      late.push(yield* Effect.forkChild(answerLate(event)))
      return
    }
    // Not while the client binds: the connection that would end is not the one of the message.
    if (!isBound()) return
    isDisturbing = true
    yield* disturb[event]
    if (event !== "paused") epoch += 1
    isDisturbing = false
  })

  const takeEvents: Effect.Effect<void> = Effect.flatMap(Queue.take(events), (event) =>
    event === "end" ? Effect.void : Effect.andThen(handle(event), takeEvents),
  )

  return {
    port,
    journal,
    /** Plays the disturbances until `finish`. */
    play: Effect.andThen(
      takeEvents,
      Effect.suspend(() => Effect.asVoid(Fiber.joinAll(late))),
    ),
    finish: Effect.sync(() => void Queue.offerUnsafe(events, "end")),
    /** Makes sure that the client has read every answer that did not get lost, and sends all receipts again. */
    reportAgain: Effect.gen(function* () {
      yield* until(isBound)
      yield* unbind
      epoch += 1
      yield* until(isBound)
      for (const { id, state } of journal) {
        if (id !== undefined) yield* running.smsc.report({ id, state })
      }
    }),
  }
})
