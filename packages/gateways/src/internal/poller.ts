/**
 * Asks vendors that push no reports what became of the messages that they have taken.
 */
import type { DeliveryReport, Reported } from "@countersign/core/domain/DeliveryReport"
import { Gateway, type GatewayMessage, type Inquiry } from "@countersign/core/ports/Gateway"
import type {
  GatewayOutcome,
  RejectionReason,
  ReportStatus,
} from "@countersign/core/domain/GatewayOutcome"
import type { MessageRef } from "@countersign/core/domain/Ids"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Adapter } from "../Adapter.ts"
import { pushing } from "./adapter.ts"
import * as Outcomes from "./outcomes.ts"
import { asRaw } from "./raw.ts"

/** When a message is asked about. */
export interface PollPlan {
  /** From its acceptance to the first question. */
  readonly firstMillis: number
  /** Each wait is twice the one before, and never longer than this. */
  readonly longestMillis: number
  /** After this time nobody asks any more, and the engine's deadline decides. */
  readonly endMillis: number
}

/** From 5 seconds to 10 minutes apart, for a day. */
export const defaultPollPlan: PollPlan = {
  firstMillis: 5_000,
  longestMillis: 600_000,
  endMillis: 86_400_000,
}

/** A message that is asked about. */
export interface Watched {
  readonly ref: MessageRef
  readonly gatewayId: string
}

/** What the vendor has said; the last word when `isFinal`. */
export interface Said {
  readonly status: ReportStatus
  readonly detail: string | null
  readonly reason?: RejectionReason | undefined
  readonly isFinal: boolean
  /** The answer as it came. */
  readonly raw?: string | undefined
}

export interface Poller<A extends Watched> {
  /** Has the message asked about; `false` when too many are. */
  readonly watch: (message: A) => Effect.Effect<boolean>
  /** Asks about a message now, whoever asks about it otherwise; `undefined` where nothing is learned. */
  readonly ask: (message: A) => Effect.Effect<Said | undefined>
  /** Asks for as long as somebody reads: what has begun ends with its reader. */
  readonly reports: Stream.Stream<DeliveryReport>
}

/**
 * Most messages that are asked about at a time. As many again wait for their turn; more are left to the
 * engine's deadline.
 */
export const maxWatched = 10_000

/** Most questions that are open at a time. */
export const maxQuestions = 4

/** Longest that an answer is waited for. */
export const maxAnswerMillis = 10_000

/** Share of a wait by which it may be shorter or longer, so that a burst is not asked about in a burst. */
export const jitter = 0.2

interface State {
  readonly waitMillis: number
  readonly before: ReportStatus | undefined
}

/**
 * Makes a poller. `ask` answers `undefined` where nothing was learned, whatever the reason: the message
 * is asked about again as if nothing had happened.
 */
export const make = <A extends Watched>(
  plan: PollPlan,
  ask: (message: A) => Effect.Effect<Said | undefined>,
): Effect.Effect<Poller<A>> =>
  Effect.gen(function* () {
    const entries = yield* Queue.dropping<{ readonly message: A; readonly since: number }>(
      maxWatched,
    )
    const questions = yield* Semaphore.make(maxQuestions)

    const askSafely = (message: A): Effect.Effect<Said | undefined> =>
      ask(message).pipe(
        Effect.timeoutOption(Duration.millis(maxAnswerMillis)),
        Effect.map(Option.getOrUndefined),
        // What is broken for one message must not end the reports on all others. Never the cause's own
        // words: they may quote the vendor's.
        Effect.catchCause(() =>
          Effect.as(Effect.logError("A gateway could not be asked for a report"), undefined),
        ),
      )

    /** What is new after one more wait, and how to go on; `none` after the last word. */
    const step = Effect.fnUntraced(function* (message: A, since: number, state: State) {
      const share = yield* Random.nextBetween(1 - jitter, 1 + jitter)
      yield* Effect.sleep(Duration.millis(state.waitMillis * share))
      const now = yield* Clock.currentTimeMillis
      if (now - since > plan.endMillis) return silent(Option.none())
      const said = yield* questions.withPermits(1)(askSafely(message))
      const waitMillis = Math.min(state.waitMillis * 2, plan.longestMillis)
      if (said === undefined) return silent(Option.some({ ...state, waitMillis }))
      const following: Option.Option<State> = said.isFinal
        ? Option.none()
        : Option.some({ waitMillis, before: said.status })
      return said.status === state.before
        ? silent(following)
        : ([[reportOf(message, said)], following] as const)
    })

    return {
      ask: askSafely,
      watch: (message) =>
        Effect.flatMap(Clock.currentTimeMillis, (since) =>
          Queue.offer(entries, { message, since }),
        ),
      reports: Stream.flatMap(
        Stream.fromQueue(entries),
        ({ message, since }) =>
          Stream.paginate<State, DeliveryReport>(
            { waitMillis: plan.firstMillis, before: undefined },
            (state) => step(message, since, state),
          ),
        { concurrency: maxWatched },
      ),
    }
  })

const silent = (following: Option.Option<State>) => [Array<DeliveryReport>(), following] as const

const wordsOf = ({ detail, raw, reason, status }: Said): Omit<Reported, "_tag"> => ({
  status,
  detail,
  ...(raw === undefined ? undefined : { raw: asRaw(raw) }),
  ...(reason === undefined ? undefined : { reason }),
})

const reportOf = ({ ref }: Watched, said: Said): DeliveryReport => ({
  of: { _tag: "Message", ...ref },
  ...wordsOf(said),
})

/** What is asked about a message that was taken; `undefined` where there is no name to ask for. */
export type WatchedOf<A> = (
  message: Omit<GatewayMessage, "text">,
  gatewayId: string,
) => A | undefined

/** Answers for messages that a gateway of this name has taken, before a restart too. */
export const lookupBy =
  <A extends Watched>(name: string, ask: Poller<A>["ask"], watchedOf: WatchedOf<A>) =>
  (message: Inquiry): Effect.Effect<GatewayOutcome | Reported> => {
    const { taken } = message
    const watched = taken?.gateway === name ? watchedOf(message, taken.gatewayId) : undefined
    if (watched === undefined) return Effect.succeed(untold)
    return Effect.map(ask(watched), (said) =>
      said === undefined ? untold : { _tag: "Reported", ...wordsOf(said) },
    )
  }

const untold = Outcomes.unknown("The gateway cannot tell")

/**
 * A gateway whose reports nobody pushes: what it takes is asked about, and it can be looked up later.
 * `lookup` stands in for one that knows tokens as well.
 */
export const polling = <A extends Watched>(
  gateway: Pick<Gateway["Service"], "name" | "capabilities" | "send"> &
    Partial<Pick<Gateway["Service"], "lookup">>,
  poller: Poller<A>,
  watchedOf: WatchedOf<A>,
): Adapter => {
  const { callback, gateway: pushes } = pushing(gateway, undefined)
  const watched = <B extends { readonly _tag: string }>(
    message: Omit<GatewayMessage, "text">,
    asked: Effect.Effect<GatewayOutcome | B>,
  ): Effect.Effect<GatewayOutcome | B> =>
    Effect.tap(asked, (outcome) => {
      const taken = isAccepted(outcome) ? watchedOf(message, outcome.gatewayId) : undefined
      return taken === undefined ? Effect.void : poller.watch(taken)
    })
  const { lookup = lookupBy(gateway.name, poller.ask, watchedOf) } = gateway
  return {
    gateway: Gateway.of({
      ...pushes,
      capabilities: { ...gateway.capabilities, lookup: true, reports: "polled" },
      send: (message) => watched(message, gateway.send(message)),
      // A dispatch that is found again is followed like one that was made.
      lookup: (message) => watched(message, lookup(message)),
      reports: poller.reports,
    }),
    callback,
  }
}

const isAccepted = (outcome: {
  readonly _tag: string
}): outcome is Extract<GatewayOutcome, { readonly _tag: "Accepted" }> => outcome._tag === "Accepted"
