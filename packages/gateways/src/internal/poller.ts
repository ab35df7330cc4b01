/** Polls vendors that push no reports for the status of accepted messages. */
import type {
  DeliveryReport,
  Reported,
  ReportedMessage,
} from "@countersign/core/domain/messages/DeliveryReport"
import { Gateway, type GatewayMessage, type LookupRequest } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome, ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Adapter } from "../Adapter.ts"
import type { PollOptions } from "../VendorOptions.ts"
import { millis } from "./durations.ts"
import * as Outcomes from "./outcomes.ts"
import { reportedMessage } from "./ref.ts"

/** A message to poll for. */
export interface PolledMessage {
  readonly ref: ReportedMessage
  readonly gatewayId: string
}

/** The vendor's status of a message. `isFinal`: no further status follows. */
export interface VendorStatus extends Pick<Reported, "status" | "detail" | "evidence"> {
  readonly isFinal: boolean
}

export interface Poller<A extends PolledMessage> {
  /** Starts polling for the message. Returns `false` if the queue is full. */
  readonly watch: (message: A) => Effect.Effect<boolean>
  /** Polls once now, independent of the schedule. `undefined`: nothing is known. */
  readonly ask: (message: A) => Effect.Effect<VendorStatus | undefined>
  /** Polls while the stream is read. Polling ends with the reader. */
  readonly reports: Stream.Stream<DeliveryReport>
}

/** Most messages that are polled for concurrently. As many again can wait; the engine's deadline ends others. */
export const maxPolled = 10_000

/** Most concurrent requests. */
export const maxQuestions = 4

/** Longest wait for an answer, in milliseconds. */
export const maxAnswerMillis = 10_000

/** Random share by which a wait is shorter or longer, so that a burst of messages causes no burst of polls. */
export const jitter = 0.2

/** Makes a poller. If `ask` returns `undefined`, it learned nothing, and the poller tries again on schedule. */
export const make = <A extends PolledMessage>(
  options: PollOptions | undefined,
  ask: (message: A) => Effect.Effect<VendorStatus | undefined>,
): Effect.Effect<Poller<A>> =>
  Effect.gen(function* () {
    const endMillis = millis("poll.end", options?.end, 1) ?? 86_400_000
    const firstMillis = millis("poll.first", options?.first, 1) ?? 5_000
    const longestMillis = millis("poll.longest", options?.longest, 1) ?? 600_000
    const entries = yield* Queue.dropping<readonly [message: A, since: number]>(maxPolled)
    const questions = yield* Semaphore.make(maxQuestions)

    const askSafely = (message: A): Effect.Effect<VendorStatus | undefined> =>
      ask(message).pipe(
        Effect.timeoutOption(Duration.millis(maxAnswerMillis)),
        Effect.map(Option.getOrUndefined),
        // A failure for one message must not end the reports on all others. The cause is not logged: it may
        // quote the vendor's answer.
        Effect.catchCause(() =>
          Effect.as(Effect.logError("A lookup of a report failed"), undefined),
        ),
      )

    /** Polls until the final status, and emits each change. */
    const follow = Effect.fnUntraced(function* (
      message: A,
      since: number,
      emit: (report: DeliveryReport) => Effect.Effect<unknown>,
    ) {
      let waitMillis = firstMillis
      let before: ReportStatus | undefined
      while (true) {
        const share = yield* Random.nextBetween(1 - jitter, 1 + jitter)
        yield* Effect.sleep(Duration.millis(waitMillis * share))
        waitMillis = Math.min(waitMillis * 2, longestMillis)
        if ((yield* Clock.currentTimeMillis) - since > endMillis) return
        const said = yield* questions.withPermits(1)(askSafely(message))
        if (said === undefined) continue
        const { isFinal, ...report } = said
        if (report.status !== before) {
          yield* emit({ of: { _tag: "Message", ...message.ref }, ...report })
        }
        before = report.status
        if (isFinal) return
      }
    })

    return {
      ask: askSafely,
      watch: (message) =>
        Effect.flatMap(Clock.currentTimeMillis, (since) => Queue.offer(entries, [message, since])),
      reports: Stream.flatMap(
        Stream.fromQueue(entries),
        ([message, since]) =>
          Stream.callback<DeliveryReport>((reports) =>
            Effect.andThen(
              follow(message, since, (report) => Queue.offer(reports, report)),
              Queue.end(reports),
            ),
          ),
        { concurrency: maxPolled },
      ),
    }
  })

/** Returns the poll key of an accepted message; `undefined` if there is no id to poll for. */
export type PolledMessageOf<A> = (
  message: Omit<GatewayMessage, "text">,
  gatewayId: string,
) => A | undefined

/** The poll key at vendors that are asked by their own id. */
export const byGatewayId: PolledMessageOf<PolledMessage> = (message, gatewayId) => ({
  ref: reportedMessage(message),
  gatewayId,
})

/** Looks up messages that the gateway with this name accepted, including before a restart. */
export const lookupBy =
  <A extends PolledMessage>(name: string, ask: Poller<A>["ask"], watchedOf: PolledMessageOf<A>) =>
  (message: LookupRequest): Effect.Effect<GatewayOutcome | Reported> => {
    const { taken } = message
    const watched = taken?.gateway === name ? watchedOf(message, taken.gatewayId) : undefined
    if (watched === undefined) return Effect.succeed(lookupFailed)
    return Effect.map(ask(watched), (said) => {
      if (said === undefined) return lookupFailed
      const { isFinal: _, ...report } = said
      return { _tag: "Reported", ...report }
    })
  }

const lookupFailed = Outcomes.unknown("The gateway cannot tell")

/** Makes a gateway poll for accepted messages, and look them up. Vendors that know tokens pass their `lookup`. */
export const polling = <A extends PolledMessage>(
  { callback, gateway }: Adapter,
  poller: Poller<A>,
  watchedOf: PolledMessageOf<A>,
  lookup: Gateway["Service"]["lookup"] = lookupBy(gateway.name, poller.ask, watchedOf),
): Adapter => {
  const watched = <B extends GatewayOutcome | Reported>(
    message: Omit<GatewayMessage, "text">,
    found: Effect.Effect<B>,
  ): Effect.Effect<B> =>
    Effect.tap(found, (outcome) => {
      const taken = outcome._tag === "Accepted" ? watchedOf(message, outcome.gatewayId) : undefined
      return taken === undefined ? Effect.void : poller.watch(taken)
    })
  return {
    gateway: Gateway.of({
      ...gateway,
      capabilities: { ...gateway.capabilities, lookup: true, reports: "polled" },
      send: (message) => watched(message, gateway.send(message)),
      // A dispatch that a lookup finds is polled like a new one.
      lookup: (message) => watched(message, lookup(message)),
      reports: poller.reports,
    }),
    callback,
  }
}
