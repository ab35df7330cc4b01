/**
 * SMPP 3.4: sends SMS directly to a message centre, over a connection that stays bound.
 *
 * Receipts arrive over the same connection, so there is no callback.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import {
  type GatewayOutcome,
  gatewayIdText,
} from "@countersign/core/domain/messages/GatewayOutcome"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Adapter } from "./Adapter.ts"
import { adapterOf, layerConfigOf, layerOf, optional, optionalText } from "./internal/adapter.ts"
import { inUnits, millis } from "./internal/durations.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { reportedMessage } from "./internal/ref.ts"
import * as Session from "./internal/smpp/session.ts"
import { encode, type ShortMessage } from "./internal/smpp/pdu.ts"
import { canonicalId, receiptOf } from "./internal/smpp/receipt.ts"
import { meanings, statusCode, statusText, verdictOf } from "./internal/smpp/statuses.ts"
import { submitsOf } from "./internal/smpp/submits.ts"
import { maxEarly, ReceiptCorrelator } from "./internal/smpp/receiptCorrelator.ts"
import type { SmppOptions } from "./VendorOptions.ts"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"

export type Options = SmppOptions<Redacted.Redacted>

/**
 * Makes the adapter. It binds in the background, and stays bound until the scope closes. Dies if a credential
 * is longer than its field in the protocol.
 */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<Adapter, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const name = options.name ?? "smpp"
  const reports = yield* Queue.dropping<DeliveryReport>(maxReports + 2 * maxEarly)
  const correlator = new ReceiptCorrelator(name, options.maxTracked ?? 100_000, (report) =>
    Queue.offerUnsafe(reports, report),
  )
  const onDeliver = (pdu: ShortMessage): number => {
    // An incoming SMS or an unreadable receipt is acknowledged, so that the centre does not repeat it.
    const receipt = receiptOf(pdu)
    if (receipt === undefined) return 0
    // ESME_RX_T_APPN: the centre tries again.
    if (Queue.sizeUnsafe(reports) >= maxReports) return 0x64
    const id = gatewayIdText(canonicalId(receipt.id, options.ids?.receipts ?? "text"))
    const now = clock.currentTimeMillisUnsafe()
    correlator.receipt({ ...receipt, id }, now, client.unanswered() > 0)
    return 0
  }
  const validity = inUnits(1_000, "validity", options.validity, 1_000, 99 * 3_600_000)
  const settings = { ...Session.settingsOf(options), onDeliver }
  const bind = encode({ ...Session.bindOf(settings, "bind_transceiver"), status: 0, sequence: 1 })
  if (Result.isFailure(bind)) {
    return yield* Effect.die(new TypeError(`SMPP has no room for this ${bind.failure}`))
  }
  const client: Client = yield* makeClient(settings)
  const { answerMillis } = settings
  yield* Session.every(
    answerMillis,
    Effect.sync(() => correlator.sweep(clock.currentTimeMillisUnsafe() - answerMillis)),
  )

  let reference = yield* Random.nextIntBetween(0, 256)
  const send = Effect.fnUntraced(function* (message: GatewayMessage) {
    if (message.channel !== "sms") return Outcomes.unsupported("Carries no messages of whatsapp")
    reference = (reference + 1) % 256
    const made = submitsOf({ ...options, validity }, message, reference)
    if (made === undefined) return Outcomes.rejected("content", "The text has too many parts")
    const session = yield* client.session
    if ("_tag" in session) return session
    return yield* handOver(session, options, made, message, correlator)
  })
  const { callback, gateway } = adapterOf(options, {
    meanings,
    name,
    capabilities: {
      // Longer than the 99 hours of the longest validity period.
      idMillis: millis("idLifetime", options.idLifetime) ?? 7 * 86_400_000,
      // The connection authenticates reports: only the bound centre can write on it.
      reports: options.receipts === "none" ? "none" : "signed",
      segments: true,
    },
    timeoutMillis: 30_000,
    send,
  })
  return { callback, gateway: { ...gateway, reports: Stream.fromQueue(reports) } }
})

/** Provides the gateway to the engine. It stays bound until the layer's scope closes. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  host: Config.NonEmptyString("SMPP_HOST"),
  port: optional(Config.Port("SMPP_PORT")),
  tls: optional(Config.Boolean("SMPP_TLS")),
  systemId: Config.NonEmptyString("SMPP_SYSTEM_ID"),
  password: Config.Redacted("SMPP_PASSWORD"),
  systemType: optional(Config.String("SMPP_SYSTEM_TYPE")),
  bind: optional(Config.Literals(["transceiver", "pair"], "SMPP_BIND")),
  from: optionalText("SMPP_FROM"),
  window: optional(Config.Int("SMPP_WINDOW")),
  perSecond: optional(Config.Finite("SMPP_PER_SECOND")),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

/** Most reports in the queue for the engine. When it is full, the centre is asked to retry its receipts. */
const maxReports = 10_000

const outcomeOf = (answer: Session.Answer, statuses: Options["statuses"]): Outcomes.Refusal =>
  answer._tag === "Answered"
    ? Outcomes.withCode(
        Outcomes.refusal(verdictOf(answer.status, statuses), statusText(answer.status)),
        statusCode(answer.status),
      )
    : answer

const isTaken = (answer: Session.Answer): boolean =>
  answer._tag === "Answered" && answer.status === 0

/** Sends the first part alone, so that a refusal costs nothing, and the others after its acceptance. */
const handOver = (
  session: Session.Session,
  options: Options,
  { messages, segments }: NonNullable<ReturnType<typeof submitsOf>>,
  message: GatewayMessage,
  correlator: ReceiptCorrelator,
): Effect.Effect<GatewayOutcome> => {
  const [first, ...others] = messages
  if (first === undefined) return Effect.succeed(Outcomes.notSent("Nothing to send"))
  const awaited = messages.filter(({ registeredDelivery }) => registeredDelivery !== 0).length
  const inFlight = correlator.begin(reportedMessage(message), awaited, messages.length)
  const idOf = (id: string) => gatewayIdText(canonicalId(id, options.ids?.answers ?? "text"))
  const submit = (message: ShortMessage, isUrgent: boolean) => {
    let isLost = false
    return session.submit(message, {
      isUrgent,
      // Runs even after the caller has stopped waiting, so that the receipt still finds the message.
      onAnswer: (answer) => {
        if (answer._tag === "Unknown") isLost = true
        if (answer._tag !== "Answered") return
        if (answer.status === 0 && message.registeredDelivery !== 0) {
          correlator.taken(idOf(answer.messageId), inFlight)
        }
        // After the timeout, the caller no longer sees a refusal.
        if (isLost && outcomeOf(answer, options.statuses)._tag !== "Unknown" && !isTaken(answer)) {
          inFlight.break(refused)
        }
      },
    })
  }
  // The first part may have left and be accepted later. The other parts are not sent in that case.
  const stop = (): void => {
    if (others.length > 0) inFlight.break(neverSent)
  }
  const handOthers = Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      others,
      (message) => insist(submit(message, true), options.statuses),
      { concurrency: "unbounded" },
    )
    const untaken = answers
      .filter((answer) => !isTaken(answer))
      .map((answer) => ({ answer, outcome: outcomeOf(answer, options.statuses) }))
    const missing = untaken.find(({ outcome }) => outcome._tag !== "Unknown")
    const isRefused = missing?.answer._tag === "Answered"
    if (missing === undefined) inFlight.complete()
    else inFlight.break(isRefused ? refused : neverSent)
    return untaken[0]?.outcome
  })
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const answer = yield* Effect.onInterrupt(restore(submit(first, false)), () =>
        Effect.sync(stop),
      )
      if (answer._tag !== "Answered" || answer.status !== 0) {
        stop()
        return outcomeOf(answer, options.statuses)
      }
      // Continues after the caller has stopped waiting. Ends by itself, at the latest soon after the session.
      const handing = yield* Effect.forkDetach(handOthers, { startImmediately: true })
      const problem = yield* restore(Fiber.join(handing))
      if (problem === undefined) {
        return { _tag: "Accepted", gatewayId: idOf(answer.messageId), segments } as const
      }
      const { message } = problem
      return Outcomes.unknown(`Only some of ${messages.length} parts were taken: ${message}`)
    }),
  )
}

const refused = "Another part was refused"
const neverSent = "Other parts were never sent"

/** Retries a throttled part. It was not sent, and a late text is better than an incomplete one. */
const insist = (submit: Effect.Effect<Session.Answer>, statuses: Options["statuses"]) =>
  Effect.repeat(submit, {
    while: (answer) => !isTaken(answer) && outcomeOf(answer, statuses)._tag === "Throttled",
    schedule: Schedule.passthrough(Schedule.spaced("1 second")),
    times: 3,
  })

interface Client {
  /** The current session, or why it is missing. Waits for one that is being opened. */
  readonly session: Effect.Effect<Session.Session | Outcomes.Refusal>
  /** Number of sent messages whose answers may still arrive, including late answers. */
  readonly unanswered: () => number
}

/** Waits a random share of the pause, from half on, so that nodes do not reconnect together. */
const pause = Effect.fnUntraced(function* (attempt: number, options: Session.SessionOptions) {
  const { maxRetryMillis, retryMillis } = options
  const full = Math.min(maxRetryMillis, retryMillis * 2 ** Math.min(attempt, 30))
  yield* Effect.sleep(Duration.millis(full * (0.5 + (yield* Random.next) / 2)))
})

/** If a session ends sooner than this after its bind, the next pause is longer. */
const steadyMillis = 30_000

/** Binds, and stays bound until the scope closes. */
const makeClient = Effect.fnUntraced(function* (
  options: Session.SessionOptions,
): Effect.fn.Return<Client, never, Scope.Scope> {
  /** Pending while the client binds. */
  let current = Deferred.makeUnsafe<Session.Session | Outcomes.Refusal>()
  let bound: Session.Session | undefined
  const become = (next: Session.Session | Outcomes.Refusal): void => {
    bound = "_tag" in next ? undefined : next
    if (Deferred.isDoneUnsafe(current)) current = Deferred.makeUnsafe()
    Deferred.doneUnsafe(current, Effect.succeed(next))
  }

  /** Runs one session from bind to end. Returns whether it lasted. */
  const once = Effect.gen(function* () {
    if (Deferred.isDoneUnsafe(current)) current = Deferred.makeUnsafe()
    const session = yield* Session.openSession(options)
    become(session)
    yield* Effect.logDebug("Bound to the gateway")
    const since = yield* Clock.currentTimeMillis
    yield* session.closed
    become(Outcomes.notSent("The connection to the gateway was lost"))
    return (yield* Clock.currentTimeMillis) - since >= steadyMillis
  }).pipe(
    Effect.scoped,
    Effect.catch((why) => {
      become(why)
      return Effect.as(Effect.logWarning(why.message), false)
    }),
  )

  const forever = Effect.gen(function* () {
    let attempt = 0
    while (true) {
      const hasLasted = yield* once
      attempt = hasLasted ? 0 : attempt + 1
      yield* pause(attempt, options)
    }
  })
  yield* Effect.forkScoped(forever)
  // Runs before the session unbinds, so that no further message is submitted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => become(Outcomes.notSent("The gateway was closed"))),
  )
  return {
    session: Effect.suspend(() => Deferred.await(current)),
    unanswered: () => bound?.unanswered() ?? 0,
  }
})
