/** The phones behind the simulated gateway: the messages, the codes in them, and control of the reports on them. */
import {
  isOpen,
  type JournalEntry,
  layer as layerGateway,
  SimulatedGateway,
} from "@countersign/core/adapters/SimulatedGateway"
import { Pricing } from "@countersign/core/decide/Pricing"
import * as DurationText from "@countersign/core/domain/values/Duration"
import * as Money from "@countersign/core/domain/values/Money"
import type { Gateway } from "@countersign/core/ports/Gateway"
import * as Segments from "@countersign/core/text/Segments"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { behaviourOf, secondsOf, shownDelivery } from "./delivery.ts"
import { NoCodeError, NotForProductionError } from "./errors.ts"
import { withPlus } from "./phoneNumber.ts"
import { specialNumbers } from "./specialNumbers.ts"
import type * as Types from "./types.ts"

/** How many changes a page may fall behind before it misses the oldest. */
const maxBehind = 1_024

/** Sends an empty line this often, so that both ends notice a lost connection. */
const heartbeat = "15 seconds"

/** How soon a page reconnects when the stream has ended. */
const reconnectMillis = 1_000

/** Number of messages that are kept. */
export const maxMessages = 500

/** Default of `timeout`, in milliseconds. */
export const defaultTimeout = "10 seconds"

const segmentsOf = ({ channel, text }: JournalEntry): Types.InboxMessage["segments"] => {
  if (channel !== "sms") return null
  const { encoding, segments } = Segments.count(text)
  return { encoding: encoding === "gsm7" ? "GSM-7" : "UCS-2", count: segments }
}

const messageOf =
  (pricing: Pricing | undefined) =>
  (entry: JournalEntry): Types.InboxMessage => ({
    id: entry.id,
    to: entry.phoneNumber,
    channel: entry.channel,
    sender: entry.sender,
    text: entry.text,
    code: entry.code ?? null,
    at: new Date(entry.at).toISOString(),
    outcome: entry.outcome,
    segments: segmentsOf(entry),
    price: pricing === undefined ? null : Money.format(pricing.price(entry)),
    currency: pricing?.currency ?? null,
    open: isOpen(entry),
  })

const codeOf = ({ at, code, id, phoneNumber }: JournalEntry): Types.LatestCode | undefined =>
  code === undefined ? undefined : { code, id, to: phoneNumber, at: new Date(at).toISOString() }

/** The entries after a message. All of them, if the message is gone: the oldest are removed first. */
const entriesAfter = (newestFirst: ReadonlyArray<JournalEntry>, id: string | undefined) => {
  const index = newestFirst.findIndex((entry) => entry.id === id)
  return index < 0 ? newestFirst : newestFirst.slice(0, index)
}

export class Inbox extends Context.Service<
  Inbox,
  {
    /** Messages, newest first. */
    readonly messages: (
      options?: Types.ListMessages,
    ) => Effect.Effect<ReadonlyArray<Types.InboxMessage>>
    /** The newest code to a number, or the next one within the timeout. */
    readonly waitForCode: (
      options: Types.WaitForCode,
    ) => Effect.Effect<Types.LatestCode, NoCodeError>
    /** Reports on an open message, or cancels its report. */
    readonly report: (options: Types.ReportMessage) => Effect.Effect<Types.ReportResult>
    /** When messages arrive that are sent from now on. */
    readonly delivery: Effect.Effect<Types.Delivery>
    /** Sets when messages arrive that are sent from now on. Those that are open stay open. */
    readonly deliver: (when: Types.Delivery) => Effect.Effect<void>
    /** Forgets all messages. */
    readonly clear: Effect.Effect<void>
    /** All messages, when they arrive, and then every change, as server-sent events. Ends with `close`. */
    readonly events: Stream.Stream<Uint8Array>
    /** Ends what waits: pages and long polls would otherwise keep a server from stopping. */
    readonly close: Effect.Effect<void>
  }
>()("@countersign/inbox/Inbox") {}

/** JSON has no line breaks, so one `data` line is enough. */
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** `delivery` is read in the middle of a dispatch, so it is a variable. */
interface Phones {
  delivery: Types.Delivery
}

const make = Effect.fnUntraced(function* (phones: Phones, pricing: Pricing | undefined) {
  const gateway = yield* SimulatedGateway
  const shown = messageOf(pricing)
  const closed = yield* Deferred.make<void>()
  /** The events of the changes that pages receive. */
  const changes = yield* PubSub.sliding<string>(maxBehind)
  const written = (entry: JournalEntry) =>
    // A message that was cleared must not come back to a page.
    Effect.flatMap(gateway.has(entry.id), (isKept) =>
      isKept ? PubSub.publish(changes, event("message", shown(entry))) : Effect.void,
    )
  yield* gateway.changes.pipe(
    // The messages of a turn of the event loop wake this once.
    Stream.runForEachArray((entries) =>
      Effect.forEach(entries, written, { discard: true }).pipe(Effect.andThen(Effect.yieldNow)),
    ),
    Effect.forkScoped({ startImmediately: true }),
  )

  const messages: Inbox["Service"]["messages"] = ({ limit = maxMessages, phoneNumber } = {}) =>
    Effect.map(gateway.journal(phoneNumber && withPlus(phoneNumber)), (entries) =>
      entries.slice(0, limit).map(shown),
    )

  const codeNow = (to: string, after: string | undefined) =>
    Effect.map(gateway.journal(), (entries) =>
      entriesAfter(entries, after)
        .filter(({ phoneNumber }) => phoneNumber === to)
        .map(codeOf)
        .find((code) => code !== undefined),
    )

  // Subscribed before the messages are read: none can fall between the two.
  const nextCode = (to: string, after: string | undefined) =>
    Effect.gen(function* () {
      const subscription = yield* PubSub.subscribe(changes)
      const code = yield* Stream.make(undefined).pipe(
        Stream.concat(Stream.fromSubscription(subscription)),
        Stream.mapEffect(() => codeNow(to, after)),
        Stream.filter((found) => found !== undefined),
        Stream.runHead,
      )
      return Option.getOrUndefined(code)
    }).pipe(Effect.scoped)

  // As above.
  const news = Effect.gen(function* () {
    const subscription = yield* PubSub.subscribe(changes)
    const all = yield* messages()
    return Stream.concat(
      Stream.make(
        `retry: ${reconnectMillis}\n`,
        event("snapshot", all),
        event("delivery", shownDelivery(phones.delivery)),
      ),
      Stream.fromSubscription(subscription),
    )
  })

  return Inbox.of({
    messages,
    waitForCode: ({ after, phoneNumber, timeout = defaultTimeout }) => {
      const wait = DurationText.millisOfOption("timeout", timeout)
      const found =
        wait === 0
          ? codeNow(withPlus(phoneNumber), after)
          : nextCode(withPlus(phoneNumber), after).pipe(
              Effect.raceFirst(Effect.as(Deferred.await(closed), undefined)),
              Effect.timeoutOption(Duration.millis(wait)),
              Effect.map(Option.getOrUndefined),
            )
      return Effect.flatMap(found, (code) =>
        code === undefined ? Effect.fail(new NoCodeError(timeout)) : Effect.succeed(code),
      )
    },
    report: ({ delay = "0 seconds", id, status }) =>
      Effect.suspend(() =>
        status === "never"
          ? gateway.cancelReport(id)
          : gateway.report(id, status, { afterMillis: secondsOf("delay", delay) * 1_000 }),
      ),
    delivery: Effect.sync(() => phones.delivery),
    deliver: (when) =>
      Effect.suspend(() => {
        const changed = event("delivery", shownDelivery(when))
        phones.delivery = when
        return PubSub.publish(changes, changed)
      }),
    clear: Effect.andThen(gateway.clear, PubSub.publish(changes, event("snapshot", []))),
    events: Stream.unwrap(news).pipe(
      Stream.merge(Stream.as(Stream.fromSchedule(Schedule.spaced(heartbeat)), ":\n\n")),
      Stream.interruptWhen(Deferred.await(closed)),
      Stream.encodeText,
    ),
    close: Effect.asVoid(Deferred.succeed(closed, undefined)),
  })
})

/** The gateway, its phones and the inbox over them. `pricing` gives the prices that it shows, if it knows any. */
export const layerWith = (
  options: Types.PhoneOptions,
  pricing: Effect.Effect<Pricing | undefined>,
): Layer.Layer<Gateway | Inbox | SimulatedGateway, NotForProductionError> => {
  const { delivery = "at-once", numbers = specialNumbers, timeout = "10 seconds" } = options
  if (process.env["NODE_ENV"] === "production" && options.allowInProduction !== true) {
    return Layer.effectContext(Effect.fail(new NotForProductionError()))
  }
  const timeoutMillis = DurationText.millisOfOption("timeout", timeout, {
    min: 1,
    max: DurationText.maxMillis,
  })
  shownDelivery(delivery)
  const special = new Map(numbers.map((one) => [one.number, one]))
  return Layer.suspend(() => {
    const phones: Phones = { delivery }
    return Layer.effect(
      Inbox,
      Effect.flatMap(pricing, (known) => make(phones, known)),
    ).pipe(
      Layer.provideMerge(
        layerGateway({
          name: "inbox",
          behave: ({ channel, phoneNumber }) =>
            special.get(phoneNumber)?.[channel] ?? behaviourOf(phones.delivery),
          isOnWhatsApp: (phoneNumber) => special.get(phoneNumber)?.isOnWhatsApp ?? true,
          journalSize: maxMessages,
          capabilities: { timeoutMillis },
        }),
      ),
    )
  })
}

/**
 * Provides the gateway, its phones and the inbox. It shows the prices of the `Pricing` that it is provided with.
 * Fails in production unless it is allowed.
 */
export const layer = (options: Types.PhoneOptions = {}) => layerWith(options, Pricing)
