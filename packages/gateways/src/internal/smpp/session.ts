/** A bound connection: submits messages at the centre's pace, and receives answers and receipts. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { connect as connectPlain, isIP, type Socket } from "node:net"
import { connect as connectSecure } from "node:tls"
import type { SmppOptions } from "../../VendorOptions.ts"
import { millis } from "../durations.ts"
import * as Outcomes from "../outcomes.ts"
import { ask, Conversation, type Unanswered } from "./conversation.ts"
import type { Bind, Pdu, ShortMessage } from "./pdu.ts"
import { statusText, verdictOf } from "./statuses.ts"
import * as Latch from "effect/Latch"

/** The options with their defaults. Times are in milliseconds. */
export const settingsOf = (options: SmppOptions<Redacted.Redacted>) => ({
  host: options.host,
  port: options.port ?? 2775,
  tls: options.tls === true ? {} : options.tls === false ? undefined : options.tls,
  systemId: options.systemId,
  password: options.password,
  systemType: options.systemType ?? "",
  bind: options.bind ?? "transceiver",
  window: Math.max(1, options.window ?? 10),
  perSecond: options.perSecond,
  maxQueued: options.maxQueued ?? 1_000,
  queueMillis: millis("queueTimeout", options.queueTimeout) ?? 5_000,
  answerMillis: millis("answerTimeout", options.answerTimeout, 1) ?? 10_000,
  connectMillis: millis("connectTimeout", options.connectTimeout, 1) ?? 5_000,
  enquireMillis: millis("enquireInterval", options.enquireInterval, 1) ?? 30_000,
  retryMillis: millis("retryDelay", options.retryDelay) ?? 500,
  maxRetryMillis: millis("maxRetryDelay", options.maxRetryDelay) ?? 60_000,
  statuses: options.statuses,
})

export type Settings = ReturnType<typeof settingsOf>

export interface SessionOptions extends Settings {
  /** Receives a message from the centre. Returns the status of the answer. */
  readonly onDeliver: (message: ShortMessage) => number
}

interface SubmitOptions {
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

/** Pause between two checks for timeouts. */
const sweepMillis = 500

/** Longest time for the end of a session. */
const unbindMillis = 2_000

/** `code` comes from the system or the TLS library and contains no address. */
const noLink = (code: string) => Outcomes.notSent(`No connection to the gateway (${code})`)

/** Opens a connection that lasts until the scope closes. */
const openLink = ({ host, port, tls }: SessionOptions) =>
  Effect.acquireRelease(
    Effect.callback<Socket, Outcomes.Refusal>((resume) => {
      const socket =
        tls === undefined
          ? connectPlain({ host, port })
          : connectSecure({
              // An IP address is not allowed as a server name.
              ...(isIP(host) === 0 ? { servername: host } : undefined),
              ...tls,
              host,
              port,
            })
      const fail = (error: NodeJS.ErrnoException) =>
        resume(Effect.fail(noLink(error.code ?? "no code")))
      socket.once("error", fail)
      socket.once(tls === undefined ? "connect" : "secureConnect", () => {
        socket.off("error", fail)
        // Later errors show as the end of the connection. An `error` event without a listener would end Node.
        socket.on("error", () => socket.destroy())
        socket.setNoDelay(true)
        resume(Effect.succeed(socket))
      })
      return Effect.sync(() => {
        socket.on("error", () => {})
        socket.destroy()
      })
    }),
    (socket) => Effect.sync(() => socket.destroy()),
    { interruptible: true },
  )

const answerRequest = (conversation: Conversation, pdu: Pdu, options: SessionOptions): void => {
  const { sequence } = pdu
  switch (pdu.command) {
    case "deliver_sm":
      return conversation.answer({
        command: "deliver_sm_resp",
        status: options.onDeliver(pdu),
        sequence,
        messageId: "",
        tlvs: [],
      })
    case "enquire_link":
      return conversation.answer({ command: "enquire_link_resp", status: 0, sequence })
    case "unbind":
      conversation.answer({ command: "unbind_resp", status: 0, sequence })
      return conversation.close()
    // ESME_RINVCMDID: a centre does not send other commands to a client.
    default:
      return conversation.answer({ command: "generic_nack", status: 0x03, sequence })
  }
}

/** Runs an effect after every pause, until the scope closes. */
export const every = (millis: number, effect: Effect.Effect<void>) =>
  Effect.forkScoped(Effect.forever(Effect.delay(effect, Duration.millis(millis))))

const sweeping = (swept: { readonly sweep: (now: number) => void }) =>
  every(
    sweepMillis,
    Effect.map(Clock.currentTimeMillis, (now) => swept.sweep(now)),
  )

/** Opens one connection and binds it. Unbinds when the scope closes. */
const bound = Effect.fnUntraced(function* (options: SessionOptions, command: Bind["command"]) {
  const { answerMillis, connectMillis, enquireMillis, statuses } = options
  const socket = yield* openLink(options).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(connectMillis),
      orElse: () => Effect.fail(noLink("ETIMEDOUT")),
    }),
  )
  const conversation: Conversation = new Conversation(socket, (pdu) =>
    answerRequest(conversation, pdu, options),
  )
  const answer = yield* ask(conversation, bindOf(options, command), connectMillis)
  if (answer === undefined) return yield* Effect.fail(noLink("no bind"))
  if (answer.status !== 0 || answer.command !== `${command}_resp`) {
    return yield* Effect.fail(bindRefused(answer.status, statuses))
  }
  const enquire = Effect.map(
    ask(conversation, { command: "enquire_link" }, answerMillis),
    (alive) => {
      if (alive === undefined) conversation.abandon()
    },
  )
  yield* every(enquireMillis, enquire)
  yield* sweeping(conversation)
  yield* Effect.addFinalizer(() =>
    conversation.isClosed ? Effect.void : ask(conversation, { command: "unbind" }, unbindMillis),
  )
  return conversation
})

const bindRefused = (status: number, statuses: SessionOptions["statuses"]): Outcomes.Refusal => {
  const message = `The gateway refused the bind: ${statusText(status)}`
  const verdict = verdictOf(status, statuses)
  // Nothing has left, even if the meaning of the status is unknown.
  if (verdict === "unknown") return Outcomes.notSent(message)
  return Outcomes.refusal(verdict === "throttled" ? verdict : "account", message)
}

/** Opens and binds a session. Unbinds when the scope closes or when one of its connections ends. */
export const openSession = Effect.fnUntraced(function* (
  options: SessionOptions,
): Effect.fn.Return<Session, Outcomes.Refusal, Scope.Scope> {
  const isPair = options.bind === "pair"
  // The receiver binds first and unbinds last, so that every receipt has a receiver.
  const receiver = isPair ? yield* bound(options, "bind_receiver") : undefined
  const sender = yield* bound(options, isPair ? "bind_transmitter" : "bind_transceiver")
  const line = new Line(options, sender)
  yield* Effect.forkScoped(pump(line, options))
  yield* sweeping(line)
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
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.callback((resume) => {
          const until = now + options.queueMillis
          const done = (answer: Answer): void => {
            onAnswer(answer)
            resume(Effect.succeed(answer))
          }
          const job: Job = { message, until, done, late: onAnswer }
          line.add(job, isUrgent)
          return isUrgent ? undefined : Effect.sync(() => line.remove(job))
        }),
      ),
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
