/**
 * A bound connection: submits messages at the centre's pace, and receives answers and receipts.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { ask, Conversation } from "./conversation.ts"
import { type Answer, type Job, Line, type LineOptions, pump } from "./line.ts"
import { type Endpoint, type NoLink, openLink } from "./link.ts"
import type { Bind, Pdu, ShortMessage } from "./pdu.ts"
import type { SmppOptions } from "../../VendorOptions.ts"

/**
 * `transceiver`: messages and receipts over one connection. `pair`: a receiver for receipts and a transmitter
 * for messages, for centres that reject transceivers.
 */
type Binding = NonNullable<SmppOptions["bind"]>

/** Credentials and limits of a session. Times are in milliseconds. */
export interface SessionOptions extends Endpoint, LineOptions {
  readonly systemId: string
  readonly password: Redacted.Redacted
  readonly systemType: string
  /** One connection for both directions, or one for each. */
  readonly bind: Binding
  /** Longest time for the connection, and for the bind. */
  readonly connectMillis: number
  /** Longest time in the queue. */
  readonly queueMillis: number
  /** Pause between two `enquire_link` requests. */
  readonly enquireMillis: number
  /** Receives a message from the centre. Returns the status of the answer. */
  readonly onDeliver: (message: ShortMessage) => number
}

export interface SubmitOptions {
  /** Goes to the front of the queue: the rest of a text whose first part was accepted. */
  readonly isUrgent: boolean
  /** Called with the answer, even after the caller has stopped waiting. */
  readonly onAnswer: (answer: Answer) => void
}

export interface Session {
  /** Submits a message. If interrupted before sending, the message is dropped unless `isUrgent` is set. */
  readonly submit: (message: ShortMessage, options: SubmitOptions) => Effect.Effect<Answer>
  /** Completes when the connection ends. */
  readonly closed: Effect.Effect<void>
  /** Number of sent messages whose answers may still arrive, including late answers. */
  readonly unanswered: () => number
}

/** The centre rejected the bind. */
export interface BindRefused {
  readonly _tag: "BindRefused"
  readonly status: number
}

/** Pause between two checks for timeouts. */
const sweepMillis = 500

/** Longest time for the end of a session. */
const unbindMillis = 2_000

const onRequest = (conversation: () => Conversation, options: SessionOptions) => (pdu: Pdu) => {
  const { sequence } = pdu
  switch (pdu.command) {
    case "deliver_sm": {
      const status = options.onDeliver(pdu)
      return conversation().answer({
        command: "deliver_sm_resp",
        status,
        sequence,
        messageId: "",
        tlvs: [],
      })
    }
    case "enquire_link":
      return conversation().answer({ command: "enquire_link_resp", status: 0, sequence })
    case "unbind":
      conversation().answer({ command: "unbind_resp", status: 0, sequence })
      return conversation().close()
    // ESME_RINVCMDID: a centre does not send other commands to a client.
    default:
      return conversation().answer({ command: "generic_nack", status: 0x03, sequence })
  }
}

/** Sends `enquire_link` regularly, and disconnects if there is no answer. */
const keepAlive = (conversation: Conversation, { answerMillis, enquireMillis }: SessionOptions) =>
  Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(Duration.millis(enquireMillis))
      const answer = yield* ask(conversation, { command: "enquire_link" }, answerMillis)
      if (answer === undefined) return conversation.abandon()
    }
  })

const sweeper = (swept: { readonly sweep: (now: number) => void }) =>
  Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(Duration.millis(sweepMillis))
      swept.sweep(yield* Clock.currentTimeMillis)
    }
  })

/** Opens one connection and binds it. Unbinds when the scope closes. */
const bound = Effect.fnUntraced(function* (
  options: SessionOptions,
  command: Bind["command"],
): Effect.fn.Return<Conversation, BindRefused | NoLink, Scope.Scope> {
  const { connectMillis } = options
  const socket = yield* openLink(options).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(connectMillis),
      orElse: () => Effect.fail<NoLink>({ _tag: "NoLink", code: "ETIMEDOUT" }),
    }),
  )
  const conversation: Conversation = new Conversation(
    socket,
    onRequest(() => conversation, options),
  )
  const answer = yield* ask(conversation, bindOf(options, command), connectMillis)
  if (answer === undefined) return yield* Effect.fail<NoLink>({ _tag: "NoLink", code: "no bind" })
  if (answer.status !== 0 || answer.command !== `${command}_resp`) {
    return yield* Effect.fail<BindRefused>({ _tag: "BindRefused", status: answer.status })
  }
  yield* Effect.forkScoped(keepAlive(conversation, options))
  yield* Effect.forkScoped(sweeper(conversation))
  yield* Effect.addFinalizer(() =>
    conversation.isClosed ? Effect.void : ask(conversation, { command: "unbind" }, unbindMillis),
  )
  return conversation
})

/** Opens and binds a session. Unbinds when the scope closes or when one of its connections ends. */
export const openSession = Effect.fnUntraced(function* (
  options: SessionOptions,
): Effect.fn.Return<Session, BindRefused | NoLink, Scope.Scope> {
  const isPair = options.bind === "pair"
  // The receiver binds first and unbinds last, so that every receipt has a receiver.
  const receiver = isPair ? yield* bound(options, "bind_receiver") : undefined
  const sender = yield* bound(options, isPair ? "bind_transmitter" : "bind_transceiver")
  const line = new Line(options, sender)
  yield* Effect.forkScoped(pump(line, options))
  yield* Effect.forkScoped(sweeper(line))
  const ends = [sender, ...(receiver === undefined ? [] : [receiver])]
  const closed = Effect.andThen(
    Effect.raceAllFirst(ends.map((conversation) => Deferred.await(conversation.closed))),
    Effect.sync(() => line.end()),
  )
  yield* Effect.forkScoped(closed)
  yield* Effect.addFinalizer(() => Effect.sync(() => line.end()))
  return {
    closed,
    unanswered: () => line.inFlight + sender.overdue,
    submit: (message, { isUrgent, onAnswer }) =>
      Effect.gen(function* () {
        const answered = Deferred.makeUnsafe<Answer>()
        const until = (yield* Clock.currentTimeMillis) + options.queueMillis
        const done = (answer: Answer): void => {
          onAnswer(answer)
          Deferred.doneUnsafe(answered, Effect.succeed(answer))
        }
        const job: Job = { message, until, done, late: onAnswer }
        line.add(job, isUrgent)
        return yield* Effect.onInterrupt(Deferred.await(answered), () =>
          Effect.sync(() => {
            if (!isUrgent) line.remove(job)
          }),
        )
      }),
  }
})

/** The first request on a connection. */
export const bindOf = (
  { password, systemId, systemType }: Pick<SessionOptions, "password" | "systemId" | "systemType">,
  command: Bind["command"],
): Bind => ({
  command,
  systemId,
  password: Redacted.value(password),
  systemType,
  interfaceVersion: 0x34,
  range: { ton: 0, npi: 0, address: "" },
})
