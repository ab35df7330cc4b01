/**
 * A gateway that sends nothing: it remembers messages and simulates the configured outcomes, for development
 * and tests.
 */
import type { DeliveryReport, Reported } from "../domain/messages/DeliveryReport.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { setNewest } from "../domain/values/BoundedCache.ts"
import { type Capabilities, Gateway, type GatewayMessage } from "../ports/Gateway.ts"
import type { GatewayOutcome } from "../domain/messages/GatewayOutcome.ts"
import type { MessageId, MessageRef, OrganizationId } from "../domain/values/Ids.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { ReportStatus } from "../domain/messages/ReportStatus.ts"
import type { Behaviour, ReportResult } from "./Simulation.ts"

export type { Behaviour, ReportResult }

/** The last outcome of a message that the gateway has reported. */
export type JournalOutcome = ReportStatus | "unknown"

/** A message as it would have reached the phone. */
export interface JournalEntry extends Pick<GatewayMessage, "phoneNumber" | "channel" | "sender"> {
  readonly id: MessageId
  readonly organization: OrganizationId
  /** In clear, because this is the phone's side. */
  readonly text: string
  readonly code: string | undefined
  /** Epoch milliseconds. */
  readonly at: number
  readonly outcome: JournalOutcome
}

/** Whether a report can still change the outcome of a message. */
export const isOpen = ({ outcome }: Pick<JournalEntry, "outcome">): boolean =>
  outcome === "accepted" || outcome === "unknown"

export interface Options {
  readonly name?: string | undefined
  readonly capabilities?: Partial<Capabilities> | undefined
  /** How the gateway treats a message. `undefined`: delivers every message. */
  readonly behave?: ((message: Omit<GatewayMessage, "text">) => Behaviour) | undefined
  /** Whether a number is on WhatsApp. `undefined`: every number is. */
  readonly isOnWhatsApp?: ((phoneNumber: PhoneNumber) => boolean) | undefined
  /** Number of messages that the journal keeps. @defaultValue 500 */
  readonly journalSize?: number | undefined
}

const defaultCapabilities: Capabilities = {
  tokenMillis: 0,
  lookup: false,
  recipientCheck: true,
  reports: "signed",
  references: true,
  segments: false,
  timeoutMillis: 10_000,
}

/** The phone's side of the simulated gateway. */
export class SimulatedGateway extends Context.Service<
  SimulatedGateway,
  {
    /** Received messages, newest first; to one number, or to all numbers if `to` is `undefined`. */
    readonly journal: (phoneNumber?: string) => Effect.Effect<ReadonlyArray<JournalEntry>>
    /** Whether the journal has the message with this id. Does not read the other messages. */
    readonly has: (id: string) => Effect.Effect<boolean>
    /** New entries, and entries whose outcome has changed. */
    readonly changes: Stream.Stream<JournalEntry>
    /** Number of dispatches, including repeated ones. */
    readonly dispatches: Effect.Effect<number>
    /** Reports on an open message, now or later. Replaces a report that is already scheduled. */
    readonly report: (
      id: string,
      status: ReportStatus,
      options?: { readonly afterMillis?: number | undefined },
    ) => Effect.Effect<ReportResult>
    /** Cancels the scheduled report on an open message. Only `report` can report on it again. */
    readonly cancelReport: (id: string) => Effect.Effect<ReportResult>
    /** Empties the journal. Scheduled reports on removed messages still arrive. */
    readonly clear: Effect.Effect<void>
  }
>()("@countersign/core/adapters/SimulatedGateway") {}

/** Provides the gateway and the phone's side. */
export const layer = (options: Options = {}): Layer.Layer<Gateway | SimulatedGateway> =>
  Layer.effectContext(make(options))

interface ScheduledReport {
  readonly status: ReportStatus
  isCancelled: boolean
}

interface Row {
  readonly entry: JournalEntry
  readonly ref: MessageRef
  readonly scheduled: ScheduledReport | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const {
    behave = () => deliver,
    isOnWhatsApp = () => true,
    journalSize = 500,
    name = "simulated",
  } = options
  const rows = new Map<string, Row>()
  const changed = yield* PubSub.sliding<JournalEntry>(1_024)
  const reports = yield* Queue.sliding<DeliveryReport>(100_000)
  const scope = yield* Effect.scope
  let dispatches = 0
  let hasForgotten = false

  /** Reports even on a message that the journal has dropped, because an organization has paid for it. */
  const reportNow = Effect.fnUntraced(function* (
    id: MessageId,
    ref: MessageRef,
    status: ReportStatus,
  ): Effect.fn.Return<void> {
    const row = rows.get(id)
    if (row !== undefined) {
      const entry = { ...row.entry, outcome: status }
      rows.set(id, { ref, entry, scheduled: undefined })
      yield* PubSub.publish(changed, entry)
    }
    yield* Queue.offer(reports, {
      of: { _tag: "Message", ...ref, token: id },
      status,
      detail: `simulated: ${status}`,
      evidence: { id: `sim_${id}`, status },
    })
  })

  const reportLater = (
    id: MessageId,
    ref: MessageRef,
    scheduled: ScheduledReport,
    afterMillis: number,
  ) =>
    Effect.suspend(() =>
      scheduled.isCancelled ? Effect.void : reportNow(id, ref, scheduled.status),
    ).pipe(
      Effect.delay(Duration.millis(afterMillis)),
      // At once, so that the delay starts before a caller can move a test's clock.
      Effect.forkIn(scope, { startImmediately: true }),
    )

  /** Changes an open message and cancels its scheduled report. */
  const whileOpen = (
    id: string,
    change: (row: Row) => Effect.Effect<unknown>,
  ): Effect.Effect<ReportResult> =>
    Effect.suspend(() => {
      const row = rows.get(id)
      if (row === undefined) return Effect.succeed("unknown message")
      if (!isOpen(row.entry)) return Effect.succeed("final")
      if (row.scheduled !== undefined) row.scheduled.isCancelled = true
      return Effect.as(change(row), "done")
    })

  const send: Gateway["Service"]["send"] = Effect.fnUntraced(function* (message) {
    dispatches += 1
    const { ref, token } = message
    const gatewayId = `sim_${token}`
    const behaviour = behave(message)
    const scheduled: ScheduledReport | undefined =
      behaviour._tag === "Report" ? { status: behaviour.status, isCancelled: false } : undefined
    const entry: JournalEntry = {
      id: token,
      organization: ref.organization,
      phoneNumber: message.phoneNumber,
      channel: message.channel,
      sender: message.sender,
      text: Redacted.value(message.text),
      code: message.code === undefined ? undefined : Redacted.value(message.code),
      at: yield* Clock.currentTimeMillis,
      outcome: firstOutcome[behaviour._tag],
    }
    hasForgotten = setNewest(rows, token, { entry, ref, scheduled }, journalSize) || hasForgotten
    yield* PubSub.publish(changed, entry)
    switch (behaviour._tag) {
      case "Deliver":
        return { _tag: "Delivered", gatewayId }
      case "Reject":
        return { _tag: "Rejected", reason: "recipient", message: behaviour.message }
      case "NotSend":
        return { _tag: "NotSent", message: behaviour.message }
      case "Report":
        if (scheduled !== undefined) {
          yield* reportLater(token, ref, scheduled, behaviour.afterMillis)
        }
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
          const outcome = rows.get(token)?.entry.outcome
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
            Array.from(rows.values(), ({ entry }) => entry)
              .filter((entry) => to === undefined || entry.phoneNumber === to)
              .toReversed(),
          ),
        has: (id) => Effect.sync(() => rows.has(id)),
        changes: Stream.fromPubSub(changed),
        dispatches: Effect.sync(() => dispatches),
        report: (id, status, { afterMillis = 0 } = {}) =>
          whileOpen(id, ({ entry, ref }) => {
            if (afterMillis === 0) return reportNow(entry.id, ref, status)
            const scheduled: ScheduledReport = { status, isCancelled: false }
            rows.set(id, { entry, ref, scheduled })
            return reportLater(entry.id, ref, scheduled, afterMillis)
          }),
        cancelReport: (id) => whileOpen(id, () => Effect.void),
        clear: Effect.sync(() => {
          hasForgotten ||= rows.size > 0
          rows.clear()
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
