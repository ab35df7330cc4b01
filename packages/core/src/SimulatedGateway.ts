/**
 * A gateway that carries messages nowhere: it remembers them, and behaves well
 * or badly as it is told. For development, for demonstrations, and for tests of
 * everything that can go wrong with a real one.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Channel } from "./Channel.ts"
import { type Capabilities, type DeliveryReport, Gateway, type GatewayMessage } from "./Gateway.ts"
import type { GatewayOutcome, ReportStatus } from "./GatewayOutcome.ts"
import type { MessageId } from "./Ids.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

/** How the gateway treats a message. */
export type Behaviour =
  /** Taken and delivered at once. */
  | { readonly _tag: "Deliver" }
  /** Refused. */
  | { readonly _tag: "Reject"; readonly message: string }
  /** No connection. */
  | { readonly _tag: "NotSend"; readonly message: string }
  /** Taken, and reported on later. */
  | { readonly _tag: "Report"; readonly status: ReportStatus; readonly afterMillis: number }
  /** Taken, and never heard of again. */
  | { readonly _tag: "NeverReport" }
  /** No answer; nobody can say whether it was sent. */
  | { readonly _tag: "NeverAnswer" }

/** What became of a message, as far as the gateway has told. */
export type JournalOutcome =
  | "accepted"
  | "delivered"
  | "undelivered"
  | "rejected"
  | "failed"
  | "unknown"

/** A message as it would have reached the phone. */
export interface JournalEntry {
  readonly id: MessageId
  readonly to: PhoneNumber
  readonly channel: Channel
  readonly sender: string
  /** In clear: this is the phone's side. */
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly outcome: JournalOutcome
}

export interface Options {
  readonly name?: string | undefined
  readonly capabilities?: Partial<Capabilities> | undefined
  /** Every message is delivered when left out. */
  readonly behave?: ((message: Omit<GatewayMessage, "text">) => Behaviour) | undefined
  /** Every number is on WhatsApp when left out. */
  readonly isOnWhatsApp?: ((to: PhoneNumber) => boolean) | undefined
  /** How many messages the journal keeps; 500 when left out. */
  readonly journalSize?: number | undefined
}

const defaultCapabilities: Capabilities = {
  tokenMillis: 0,
  lookup: false,
  recipientCheck: true,
  reports: "signed",
  segments: false,
  timeoutMillis: 10_000,
}

/** The phone's side of the simulated gateway. */
export class SimulatedGateway extends Context.Service<
  SimulatedGateway,
  {
    /** What was handed over, newest first; to one number, or to all. */
    readonly journal: (to?: string) => Effect.Effect<ReadonlyArray<JournalEntry>>
    /** Entries as they come in and as their outcome changes. */
    readonly changes: Stream.Stream<JournalEntry>
    /** How many dispatches there were, repeated ones included. */
    readonly dispatches: Effect.Effect<number>
  }
>()("@countersign/core/SimulatedGateway") {
  /** Gives the gateway and its phone's side. */
  static readonly layer = (options: Options = {}): Layer.Layer<Gateway | SimulatedGateway> =>
    Layer.effectContext(make(options))
}

const make = Effect.fnUntraced(function* (options: Options) {
  const entries = new Map<MessageId, JournalEntry>()
  const changed = yield* PubSub.sliding<JournalEntry>(1_024)
  const reports = yield* Queue.sliding<DeliveryReport>(100_000)
  const scope = yield* Effect.scope
  const name = options.name ?? "simulated"
  const size = options.journalSize ?? 500
  const behave = options.behave ?? (() => deliver)
  const isOnWhatsApp = options.isOnWhatsApp ?? (() => true)
  let dispatches = 0

  const write = (entry: JournalEntry) => {
    entries.set(entry.id, entry)
    if (entries.size > size) {
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    }
    return PubSub.publish(changed, entry)
  }

  const report = Effect.fnUntraced(function* (
    entry: JournalEntry,
    { ref }: GatewayMessage,
    status: ReportStatus,
  ) {
    yield* write({ ...entry, outcome: status })
    yield* Queue.offer(reports, {
      of: { _tag: "Message", ...ref },
      status,
      detail: `simulated: ${status}`,
    })
  })

  const reportLater = (
    entry: JournalEntry,
    message: GatewayMessage,
    { afterMillis, status }: Extract<Behaviour, { readonly _tag: "Report" }>,
  ) =>
    report(entry, message, status).pipe(
      Effect.delay(Duration.millis(afterMillis)),
      Effect.forkIn(scope),
    )

  const send = Effect.fnUntraced(function* (
    message: GatewayMessage,
  ): Effect.fn.Return<GatewayOutcome> {
    dispatches += 1
    const gatewayId = `sim_${message.token}`
    const behaviour = behave(message)
    const entry: JournalEntry = {
      id: message.token,
      to: message.to,
      channel: message.channel,
      sender: message.sender,
      text: Redacted.value(message.text),
      at: yield* Clock.currentTimeMillis,
      outcome: firstOutcome[behaviour._tag],
    }
    yield* write(entry)
    switch (behaviour._tag) {
      case "Deliver":
        return { _tag: "Delivered", gatewayId }
      case "Reject":
        return { _tag: "Rejected", reason: "recipient", message: behaviour.message }
      case "NotSend":
        return { _tag: "NotSent", message: behaviour.message }
      case "Report":
        yield* reportLater(entry, message, behaviour)
        return { _tag: "Accepted", gatewayId }
      case "NeverReport":
        return { _tag: "Accepted", gatewayId }
      case "NeverAnswer":
        return yield* Effect.never
    }
  })

  return Context.make(
    Gateway,
    Gateway.of({
      name,
      capabilities: { ...defaultCapabilities, ...options.capabilities },
      send,
      isReachable: (channel, to) =>
        Effect.sync(() => (channel === "sms" || isOnWhatsApp(to) ? "yes" : "no")),
      lookup: ({ token }) =>
        Effect.sync((): GatewayOutcome => {
          const entry = entries.get(token)
          return entry === undefined
            ? { _tag: "NotSent", message: "The gateway has never seen it" }
            : { _tag: "Accepted", gatewayId: `sim_${token}` }
        }),
      reports: Stream.fromQueue(reports),
    }),
  ).pipe(
    Context.add(
      SimulatedGateway,
      SimulatedGateway.of({
        journal: (to) =>
          Effect.sync(() =>
            [...entries.values()]
              .filter((entry) => to === undefined || entry.to === to)
              .toReversed(),
          ),
        changes: Stream.fromPubSub(changed),
        dispatches: Effect.sync(() => dispatches),
      }),
    ),
  )
})

const deliver: Behaviour = { _tag: "Deliver" }

const firstOutcome: Record<Behaviour["_tag"], JournalOutcome> = {
  Deliver: "delivered",
  Reject: "rejected",
  NotSend: "failed",
  Report: "accepted",
  NeverReport: "accepted",
  NeverAnswer: "unknown",
}
