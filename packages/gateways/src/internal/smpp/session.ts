/**
 * A bound connection: requests and their answers, at the pace that the centre allows.
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

/**
 * `transceiver`: messages and receipts over one connection. `pair`: a receiver for receipts and a
 * transmitter for messages, for centres that refuse transceivers.
 */
export type Binding = "transceiver" | "pair"

/** Who binds, and within which bounds. Times in milliseconds. */
export interface SessionOptions extends Endpoint, LineOptions {
  readonly systemId: string
  readonly password: Redacted.Redacted
  readonly systemType: string
  /** One connection for both directions, or one for each. */
  readonly bind: Binding
  /** How long the connection and the bind may take, each. */
  readonly connectMillis: number
  /** How long a message may wait for its turn. */
  readonly queueMillis: number
  /** Pause between two questions whether the other side is there. */
  readonly enquireMillis: number
  /** Takes a message from the centre in; gives the status that it is answered with. */
  readonly onDeliver: (message: ShortMessage) => number
}

export interface SubmitOptions {
  /** Before all that wait: the rest of a text whose beginning is taken. */
  readonly isUrgent: boolean
  /** Called when the answer comes, even if nobody waits for it any more. */
  readonly onAnswer: (answer: Answer) => void
}

export interface Session {
  /** Hands a message over. Interrupted before it has left, it never does, unless it is urgent. */
  readonly submit: (message: ShortMessage, options: SubmitOptions) => Effect.Effect<Answer>
  /** Ends when the connection does. */
  readonly closed: Effect.Effect<void>
  /** How many messages have left whose answers may come, be it after their time. */
  readonly unanswered: () => number
}

/** The centre has refused the bind. */
export interface BindRefused {
  readonly _tag: "BindRefused"
  readonly status: number
}

/** How often it is looked for what has waited too long. */
const sweepMillis = 500

/** How long the end of a session may take. */
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
    // ESME_RINVCMDID: nothing that a centre asks of a client.
    default:
      return conversation().answer({ command: "generic_nack", status: 0x03, sequence })
  }
}

/** Asks whether the other side is there, and hangs up when it is not. */
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

/** Connects and binds in one of the three ways. At the end of the scope it takes its leave. */
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

/** Connects and binds. When the scope ends, or one of two connections, it takes its leave. */
export const openSession = Effect.fnUntraced(function* (
  options: SessionOptions,
): Effect.fn.Return<Session, BindRefused | NoLink, Scope.Scope> {
  const isPair = options.bind === "pair"
  // First and last: no message leaves whose receipt would find nobody.
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
