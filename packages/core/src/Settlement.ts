/**
 * Sees to what was left open: dispatches whose node has gone, outcomes that
 * nobody reported, reports that came before their message was known.
 *
 * Any number of nodes may do this at once. Whoever takes a dispatch over raises
 * its number under the organization's lock, which shuts out everybody else.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Commits } from "./Commits.ts"
import { Dispatcher } from "./Dispatcher.ts"
import type { OrganizationNotFound, StoreUnavailable } from "./Errors.ts"
import { Gateway, type GatewayMessage } from "./Gateway.ts"
import type { MessageRef } from "./Ids.ts"
import type { StaleSettings } from "./internal/staleSettings.ts"
import type * as Message from "./Message.ts"
import { Reports } from "./Reports.ts"
import { Store } from "./Store.ts"

export interface SettlementPolicy {
  /** Pause between two rounds. */
  readonly intervalMillis: number
  /** Most messages, and most kept reports, that one round looks at. */
  readonly batch: number
}

/** Every second, 200 messages. */
export const SettlementPolicy = Context.Reference<SettlementPolicy>(
  "@countersign/core/SettlementPolicy",
  { defaultValue: () => ({ intervalMillis: 1_000, batch: 200 }) },
)

export class Settlement extends Context.Service<
  Settlement,
  {
    /** One round; answers how many messages it looked at. */
    readonly round: Effect.Effect<number, StoreUnavailable>
  }
>()("@countersign/core/Settlement") {
  static readonly layer = Layer.effect(
    Settlement,
    Effect.gen(function* () {
      const commits = yield* Commits
      const dispatcher = yield* Dispatcher
      const gateway = yield* Gateway
      const reports = yield* Reports
      const store = yield* Store
      const policy = yield* SettlementPolicy
      const { capabilities } = gateway

      /** Whether the gateway would know the token of a message that was taken over just now. */
      const isRemembered = ({ createdAt, dueAt }: Message.Message): boolean =>
        (dueAt ?? 0) - dispatcher.terms.leaseMillis - createdAt < capabilities.tokenMillis

      const takeOver = Effect.fnUntraced(function* (message: Message.Message) {
        const { attempt, verification } = message
        const handed = handedOver(message)
        // Another gateway knows nothing of it, and would not know its token either.
        const isOurs = message.gateway === gateway.name
        if (capabilities.lookup && isOurs) {
          const outcome = yield* dispatcher.lookup(handed)
          if (outcome._tag !== "Unknown") {
            return yield* dispatcher.settle(handed, { attempt, verification }, outcome)
          }
        }
        // A code cannot be sent again: only its digest was kept.
        if (isOurs && verification === null && isRemembered(message)) {
          const text = Redacted.make(message.text, { label: "text" })
          return yield* dispatcher.dispatch({ ...handed, text }, { attempt, verification })
        }
        return yield* dispatcher.settle(
          handed,
          { attempt, verification },
          { _tag: "Unknown", message: "The node that was sending stopped" },
        )
      })

      const lookAt = Effect.fnUntraced(function* ({ number, organization }: MessageRef) {
        const about = { organization, message: number }
        const closed = yield* commits.run({ _tag: "ExpireMessage", ...about })
        if (closed._tag === "Closed") return
        const reclaimed = yield* commits.run({
          _tag: "ReclaimMessage",
          ...about,
          leaseMillis: dispatcher.terms.leaseMillis,
        })
        if (reclaimed._tag === "Reclaimed") yield* takeOver(reclaimed.message)
      })

      const round = Effect.gen(function* () {
        yield* reports.adopt(policy.batch)
        const due = yield* store.due(policy.batch)
        yield* Effect.forEach(
          due,
          (ref) =>
            lookAt(ref).pipe(
              Effect.catchIf(isGone, () => Effect.void),
              // One message must not cost all others their settlement.
              Effect.catchDefect(() => Effect.logError("A message could not be settled", ref)),
            ),
          {
            concurrency: 8,
            discard: true,
          },
        )
        return due.length
      }).pipe(Effect.withSpan("Settlement.round"))

      return Settlement.of({ round })
    }),
  )

  /** Runs rounds, and takes in the gateway's reports, for as long as the layer lives. */
  static readonly layerBackground = Layer.effectDiscard(
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const reports = yield* Reports
      const settlement = yield* Settlement
      const { intervalMillis } = yield* SettlementPolicy

      yield* settlement.round.pipe(
        Effect.catchCause(() =>
          Effect.logWarning("A settlement round failed; the next will try again"),
        ),
        Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
      )
      yield* gateway.reports.pipe(
        Stream.mapEffect(
          (report) =>
            reports.receive(report).pipe(
              // A vendor that was told "taken" will not say it again.
              Effect.retry(reportRetries),
              Effect.catchCause(() =>
                Effect.logError("A delivery report was lost; the settlement deadline will decide"),
              ),
            ),
          { concurrency: 16 },
        ),
        Stream.runDrain,
        // An adapter that breaks off once must not leave every later report unheard.
        Effect.catchCause(() =>
          Effect.andThen(
            Effect.logError("The gateway's reports broke off; listening again"),
            Effect.fail("broken off"),
          ),
        ),
        Effect.retry(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
      )
    }),
  )
}

/** As long as it takes, five seconds apart in the end. */
const reportRetries = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("5 seconds"),
])

const isGone = (
  error: OrganizationNotFound | StaleSettings | StoreUnavailable,
): error is OrganizationNotFound | StaleSettings => error._tag !== "StoreUnavailable"

const handedOver = (message: Message.Message): Omit<GatewayMessage, "text"> => ({
  token: message.id,
  ref: { organization: message.organization, number: message.number },
  purpose: message.verification === null ? "message" : "verification",
  channel: message.channel,
  to: message.recipient,
  sender: message.sender,
})
