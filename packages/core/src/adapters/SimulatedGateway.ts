/**
 * A gateway that carries messages nowhere: it remembers them, and behaves well
 * or badly as it is told. For development, for demonstrations, and for tests of
 * everything that can go wrong with a real one.
 */
import type { DeliveryReport, Reported } from "../domain/DeliveryReport.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Channel } from "../domain/Channel.ts"
import { type Capabilities, Gateway, type GatewayMessage } from "../ports/Gateway.ts"
import type { GatewayOutcome, ReportStatus } from "../domain/GatewayOutcome.ts"
import type { MessageId, MessageRef, OrganizationId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"

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
  readonly organization: OrganizationId
  readonly to: PhoneNumber
  readonly channel: Channel
  readonly sender: string
  /** In clear: this is the phone's side. */
  readonly text: string
  /** The code in the text, where there is one. */
  readonly code: string | undefined
  /** Epoch milliseconds. */
  readonly at: number
  readonly outcome: JournalOutcome
}

/** Whether a report can still change what became of a message. */
export const isOpen = ({ outcome }: Pick<JournalEntry, "outcome">): boolean =>
  outcome === "accepted" || outcome === "unknown"

/** What came of asking for a report. */
export type Asked = "done" | "final" | "unknown message"

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
    /**
     * Reports on a message that is open, now or after a while, in place of any report that was on its way.
     * A message that is final stays as it is.
     */
    readonly report: (
      id: string,
      status: ReportStatus,
      options?: { readonly afterMillis?: number | undefined },
    ) => Effect.Effect<Asked>
    /** Sees to it that nothing more is reported on a message that is open, unless `report` asks for it. */
    readonly silence: (id: string) => Effect.Effect<Asked>
    /** Empties the journal. Reports that are on their way still come, on messages that are not in it. */
    readonly clear: Effect.Effect<void>
  }
>()("@countersign/core/adapters/SimulatedGateway") {
  /** Gives the gateway and its phone's side. */
  static readonly layer = (options: Options = {}): Layer.Layer<Gateway | SimulatedGateway> =>
    Layer.effectContext(make(options))
}

/** As a vendor would report that quotes what it was given: with the number, and with the code. */
const requestOf = (status: ReportStatus, entry: JournalEntry | undefined): string =>
  new URLSearchParams({
    ...(entry === undefined ? undefined : { id: `sim_${entry.id}`, to: entry.to }),
    status,
    ...(entry === undefined ? undefined : { text: entry.text }),
  }).toString()

/** A report on its way. Each is an object of its own, so that it can be told from the others. */
interface Waiting {
  readonly status: ReportStatus
}

interface Kept {
  readonly entry: JournalEntry
  readonly ref: MessageRef
  readonly waiting: Waiting | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const kept = new Map<string, Kept>()
  const changed = yield* PubSub.sliding<JournalEntry>(1_024)
  const reports = yield* Queue.sliding<DeliveryReport>(100_000)
  const scope = yield* Effect.scope
  const name = options.name ?? "simulated"
  const size = options.journalSize ?? 500
  const behave = options.behave ?? (() => deliver)
  const isOnWhatsApp = options.isOnWhatsApp ?? (() => true)
  const withdrawn = new WeakSet<Waiting>()
  let dispatches = 0
  let hasForgotten = false

  const forgetOldest = (): void => {
    for (const oldest of kept.keys()) {
      if (kept.size <= size) return
      kept.delete(oldest)
      hasForgotten = true
    }
  }

  const write = (one: Kept) => {
    kept.set(one.entry.id, one)
    forgetOldest()
    return PubSub.publish(changed, one.entry)
  }

  /** A message that the journal has forgotten is reported on all the same: somebody has paid for it. */
  const tell = Effect.fnUntraced(function* (
    id: MessageId,
    ref: MessageRef,
    { status }: Waiting,
  ): Effect.fn.Return<void> {
    const known = kept.get(id)
    if (known !== undefined) {
      yield* write({ ...known, entry: { ...known.entry, outcome: status }, waiting: undefined })
    }
    yield* Queue.offer(reports, {
      of: { _tag: "Message", ...ref },
      status,
      detail: `simulated: ${status}`,
      raw: Redacted.make(requestOf(status, known?.entry), { label: "report" }),
    })
  })

  const tellLater = (id: MessageId, ref: MessageRef, waiting: Waiting, afterMillis: number) =>
    Effect.suspend(() => (withdrawn.has(waiting) ? Effect.void : tell(id, ref, waiting))).pipe(
      Effect.delay(Duration.millis(afterMillis)),
      Effect.forkIn(scope),
    )

  /** Does something to a message that is open, which then no longer waits for what it waited for. */
  const whileOpen = (
    id: string,
    change: (one: Kept) => Effect.Effect<unknown>,
  ): Effect.Effect<Asked> =>
    Effect.suspend(() => {
      const one = kept.get(id)
      if (one === undefined) return Effect.succeed("unknown message")
      if (!isOpen(one.entry)) return Effect.succeed("final")
      if (one.waiting !== undefined) withdrawn.add(one.waiting)
      return Effect.as(change(one), "done")
    })

  const send = Effect.fnUntraced(function* (
    message: GatewayMessage,
  ): Effect.fn.Return<GatewayOutcome> {
    dispatches += 1
    const { ref, token } = message
    const gatewayId = `sim_${token}`
    const behaviour = behave(message)
    const waiting: Waiting | undefined =
      behaviour._tag === "Report" ? { status: behaviour.status } : undefined
    const entry: JournalEntry = {
      id: token,
      organization: ref.organization,
      to: message.to,
      channel: message.channel,
      sender: message.sender,
      text: Redacted.value(message.text),
      code: message.code === undefined ? undefined : Redacted.value(message.code),
      at: yield* Clock.currentTimeMillis,
      outcome: firstOutcome[behaviour._tag],
    }
    yield* write({ entry, ref, waiting })
    switch (behaviour._tag) {
      case "Deliver":
        return { _tag: "Delivered", gatewayId }
      case "Reject":
        return { _tag: "Rejected", reason: "recipient", message: behaviour.message }
      case "NotSend":
        return { _tag: "NotSent", message: behaviour.message }
      case "Report":
        if (waiting !== undefined) yield* tellLater(token, ref, waiting, behaviour.afterMillis)
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
      lookup: ({ taken, token }) =>
        Effect.sync((): GatewayOutcome | Reported => {
          const outcome = kept.get(token)?.entry.outcome
          if (taken !== null && outcome !== undefined && outcome !== "unknown") {
            return { _tag: "Reported", status: outcome, detail: `simulated: ${outcome}` }
          }
          if (outcome !== undefined) return { _tag: "Accepted", gatewayId: `sim_${token}` }
          return hasForgotten
            ? { _tag: "Unknown", message: "The gateway has forgotten messages" }
            : { _tag: "NotSent", message: "The gateway has never seen it" }
        }),
      reports: Stream.fromQueue(reports),
    }),
  ).pipe(
    Context.add(
      SimulatedGateway,
      SimulatedGateway.of({
        journal: (to) =>
          Effect.sync(() =>
            Array.from(kept.values(), ({ entry }) => entry)
              .filter((entry) => to === undefined || entry.to === to)
              .toReversed(),
          ),
        changes: Stream.fromPubSub(changed),
        dispatches: Effect.sync(() => dispatches),
        report: (id, status, { afterMillis = 0 } = {}) =>
          whileOpen(id, ({ entry, ref, ...rest }) => {
            const waiting: Waiting = { status }
            if (afterMillis === 0) return tell(entry.id, ref, waiting)
            kept.set(id, { ...rest, entry, ref, waiting })
            return tellLater(entry.id, ref, waiting, afterMillis)
          }),
        silence: (id) =>
          whileOpen(id, (one) => Effect.sync(() => kept.set(id, { ...one, waiting: undefined }))),
        clear: Effect.sync(() => {
          hasForgotten ||= kept.size > 0
          kept.clear()
        }),
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
