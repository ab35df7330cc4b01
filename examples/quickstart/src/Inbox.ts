/**
 * The phones' side of the simulated gateway, as the inbox shows it to people and to tests: what was sent,
 * in what shape and for how much, the codes in it, and a hand in what is reported on it.
 */
import type { ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import * as Money from "@countersign/core/domain/Money"
import { normalizeDigits } from "@countersign/core/domain/PhoneNumber"
import { Pricing } from "@countersign/core/decide/Pricing"
import * as Segments from "@countersign/core/text/Segments"
import {
  type ReportResult,
  isOpen,
  type JournalEntry,
  SimulatedGateway,
} from "@countersign/core/adapters/SimulatedGateway"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Delivery, type When } from "./Delivery.ts"

/** How many changes a page may fall behind before it misses the oldest. */
const maxBehind = 1_024

/** A line that means nothing, so that both ends notice when the other has gone. */
const heartbeat = "15 seconds"

/** How soon a page asks again when the stream has ended. */
const reconnectMillis = 1_000

/** How many messages are kept. */
export const maxMessages = 500

/** A message as the inbox gives it to others. */
export interface InboxMessage extends Pick<
  JournalEntry,
  "channel" | "id" | "outcome" | "sender" | "text"
> {
  /** The phone number, as in the query of the inbox. */
  readonly to: string
  /** The code that the text brings, `null` where it brings none. */
  readonly code: string | null
  /** ISO 8601. */
  readonly at: string
  /** How the text travels; `null` over WhatsApp, which knows no segments. */
  readonly segments: { readonly encoding: "GSM-7" | "UCS-2"; readonly count: number } | null
  /** What was taken for it, a decimal number. It comes back where the message does not arrive. */
  readonly price: string
  /** ISO 4217. */
  readonly currency: string
  /** Whether a report can still change the outcome. */
  readonly open: boolean
}

/** A code on a phone. */
export interface LatestCode {
  readonly code: string
  /** The message's. */
  readonly id: string
  readonly to: string
  readonly at: string
}

/** The report that a message gets, if any. */
export interface ReportRequest {
  readonly status: ReportStatus | "never"
  readonly afterMillis: number
}

const encodings = { gsm7: "GSM-7", ucs2: "UCS-2" } as const

const segmentsOf = ({ channel, text }: JournalEntry): InboxMessage["segments"] => {
  if (channel !== "sms") return null
  const { encoding, segments } = Segments.count(text)
  return { encoding: encodings[encoding], count: segments }
}

const inboxMessage =
  (pricing: Pricing) =>
  (entry: JournalEntry): InboxMessage => ({
    id: entry.id,
    to: entry.phoneNumber,
    channel: entry.channel,
    sender: entry.sender,
    text: entry.text,
    code: entry.code ?? null,
    at: new Date(entry.at).toISOString(),
    outcome: entry.outcome,
    segments: segmentsOf(entry),
    price: Money.format(pricing.price(entry)),
    currency: pricing.currency,
    open: isOpen(entry),
  })

const latestCode = ({ at, code, id, phoneNumber }: JournalEntry): LatestCode | undefined =>
  code === undefined ? undefined : { code, id, to: phoneNumber, at: new Date(at).toISOString() }

/** The changes that pages receive. */
type Change =
  | { readonly _tag: "Written"; readonly entry: JournalEntry }
  | { readonly _tag: "Cleared" }
  | { readonly _tag: "DeliveryChanged"; readonly when: When }

export class Inbox extends Context.Service<
  Inbox,
  {
    /** Newest first; to one number or to all, as many as there are or fewer. */
    readonly messages: (options: {
      /** With or without its plus, in ASCII or in Bangla digits. */
      readonly to?: string | undefined
      readonly limit?: number | undefined
    }) => Effect.Effect<ReadonlyArray<InboxMessage>>
    /** The newest code to a number; if there is no code, the next one within the wait. */
    readonly latestCode: (to: string, waitMillis: number) => Effect.Effect<LatestCode | undefined>
    /** Has the gateway report on a message that is open, or keep silent about it. */
    readonly report: (id: string, request: ReportRequest) => Effect.Effect<ReportResult>
    /** When messages arrive that are sent from now on. Those that are open stay open. */
    readonly deliver: (when: When) => Effect.Effect<void>
    /** Forgets all messages. */
    readonly clear: Effect.Effect<void>
    /** All messages, when new ones arrive, and then every change, as server-sent events. Ends with `close`. */
    readonly events: Stream.Stream<Uint8Array>
    /** Ends what waits: pages and long polls would otherwise keep a server from stopping. */
    readonly close: Effect.Effect<void>
  }
>()("@countersign-examples/quickstart/Inbox") {
  static readonly layer = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const delivery = yield* Delivery
      const gateway = yield* SimulatedGateway
      const shown = inboxMessage(yield* Pricing)
      const closed = yield* Deferred.make<void>()
      const changes = yield* PubSub.sliding<Change>(maxBehind)
      yield* gateway.changes.pipe(
        // What was thrown away meanwhile must not come back to a page.
        Stream.filterEffect(({ id, phoneNumber }) =>
          Effect.map(gateway.journal(phoneNumber), (entries) =>
            entries.some((entry) => entry.id === id),
          ),
        ),
        Stream.runForEach((entry) => PubSub.publish(changes, { _tag: "Written", entry })),
        Effect.forkScoped({ startImmediately: true }),
      )

      const messages: Inbox["Service"]["messages"] = ({ limit = maxMessages, to }) =>
        Effect.map(gateway.journal(to === undefined ? undefined : withPlus(to)), (entries) =>
          entries.slice(0, limit).map(shown),
        )

      const codeNow = (to: string) =>
        Effect.map(gateway.journal(to), (entries) =>
          entries.map(latestCode).find((code) => code !== undefined),
        )

      // Subscribed before the messages are read: none can fall between the two.
      const nextCode = (to: string) =>
        Effect.gen(function* () {
          const subscription = yield* PubSub.subscribe(changes)
          const known = yield* codeNow(to)
          if (known !== undefined) return known
          const next = yield* Stream.fromSubscription(subscription).pipe(
            Stream.map((change) =>
              change._tag === "Written" && change.entry.phoneNumber === to
                ? latestCode(change.entry)
                : undefined,
            ),
            Stream.filter((code) => code !== undefined),
            Stream.runHead,
          )
          return Option.getOrUndefined(next)
        }).pipe(Effect.scoped)

      const changeEvent = (change: Change): string => {
        switch (change._tag) {
          case "Written":
            return event("message", shown(change.entry))
          case "Cleared":
            return event("snapshot", [])
          case "DeliveryChanged":
            return event("delivery", change.when)
        }
      }

      // As above.
      const news = Effect.gen(function* () {
        const subscription = yield* PubSub.subscribe(changes)
        const all = yield* messages({})
        return Stream.concat(
          Stream.make(
            `retry: ${reconnectMillis}\n`,
            event("snapshot", all),
            event("delivery", delivery.current()),
          ),
          Stream.map(Stream.fromSubscription(subscription), changeEvent),
        )
      })

      return Inbox.of({
        messages,
        latestCode: (to, waitMillis) => {
          const number = withPlus(to)
          if (waitMillis === 0) return codeNow(number)
          return nextCode(number).pipe(
            Effect.raceFirst(Effect.as(Deferred.await(closed), undefined)),
            Effect.timeoutOption(Duration.millis(waitMillis)),
            Effect.map(Option.getOrUndefined),
          )
        },
        report: (id, { afterMillis, status }) =>
          status === "never"
            ? gateway.cancelReport(id)
            : gateway.report(id, status, { afterMillis }),
        deliver: (when) =>
          Effect.andThen(
            delivery.set(when),
            PubSub.publish(changes, { _tag: "DeliveryChanged", when }),
          ),
        clear: Effect.andThen(gateway.clear, PubSub.publish(changes, { _tag: "Cleared" })),
        events: Stream.unwrap(news).pipe(
          Stream.merge(Stream.as(Stream.fromSchedule(Schedule.spaced(heartbeat)), ":\n\n")),
          Stream.interruptWhen(Deferred.await(closed)),
          Stream.encodeText,
        ),
        close: Effect.asVoid(Deferred.succeed(closed, undefined)),
      })
    }),
  )
}

/** JSON has no line breaks of its own, so one `data` line is enough. */
const event = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** A plus that was not percent-encoded arrives as a space. */
const withPlus = (to: string): string => `+${normalizeDigits(to.trim().replace(/^\+/, ""))}`
