/**
 * Hands a message that is paid for to the gateway and writes down what came of
 * it. The order of steps is the whole content: charge first (done by the
 * caller), then the gateway, then the outcome, fenced by the dispatch's number.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { Channel } from "../domain/Channel.ts"
import type { Draft } from "../decide/Command.ts"
import { type Settled, Commits } from "./Commits.ts"
import type { OrganizationNotFound, StoreUnavailable } from "../domain/Errors.ts"
import { Gateway, type GatewayMessage, gatewayProblem, type Inquiry } from "../ports/Gateway.ts"
import {
  type GatewayOutcome,
  isUnsent,
  readOutcome,
  unreadableOutcome,
  type Reachable,
  readReachable,
} from "../domain/GatewayOutcome.ts"
import type { RequestId } from "../domain/Ids.ts"
import { rulesInForce } from "./internal/rulesInForce.ts"
import type { StaleSettings } from "./internal/staleSettings.ts"
import * as Message from "../domain/Message.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import * as DeliveryReport from "../domain/DeliveryReport.ts"
import * as Telemetry from "./Telemetry.ts"

/** How the time around a dispatch is cut. */
export interface DispatchPolicy {
  /**
   * Added to the gateway's time-out: how long a dispatch belongs to its node. A node that cannot call the
   * gateway within this time does not send the message. At least 5 seconds; beyond that, the whole lease
   * is at most `settleMillis`.
   */
  readonly leaseMarginMillis: number
  /** How long the outcome may stay open before the price is given back. */
  readonly settleMillis: number
  /**
   * How long the close of the engine's scope waits for messages that are charged and not yet settled.
   * Messages that take longer are left to the settlement of another node, or of the next start.
   *
   * @defaultValue 20,000
   */
  readonly graceMillis?: number | undefined
}

/** A minute beyond the time-out; 24 hours until an open outcome is closed. */
export const DispatchPolicy = Context.Reference<DispatchPolicy>(
  "@countersign/core/DispatchPolicy",
  {
    defaultValue: () => ({ leaseMarginMillis: 60_000, settleMillis: 24 * 60 * 60 * 1_000 }),
  },
)

/** What became of a dispatch. `settled` is missing when the outcome could not be written down. */
export interface Dispatched {
  readonly outcome: GatewayOutcome
  readonly settled: Extract<Settled<"RecordDispatch">, { readonly _tag: "Settled" }> | undefined
}

/** Whether nothing was sent, unless a report has said otherwise in the meantime. */
export const wasUnsent = ({ outcome, settled }: Dispatched): boolean =>
  isUnsent(outcome) && (settled === undefined || Message.isUnsentStatus(settled.status))

/** Which dispatch of a message it is, and what hangs on it. */
export interface DispatchOptions {
  readonly attempt: number
  /** The request whose code the message carries. */
  readonly verification: RequestId | null
  /** Whether another message will carry the code if this one is not sent; `false` when left out. */
  readonly followed?: boolean | undefined
}

/** A dispatch that this node has claimed by a commit. */
export interface Claim extends DispatchOptions {
  /** When the claiming commit was begun, by `Clock.monotonicTimeNanos`. */
  readonly claimedAt: bigint
}

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** The parts of a draft that are the gateway's and the host's. */
    readonly terms: Pick<Draft, "gateway" | "leaseMillis" | "settleMillis">
    /** Whether numbers can be checked before anything is sent. */
    readonly checksRecipients: boolean
    readonly isReachable: (channel: Channel, to: PhoneNumber) => Effect.Effect<Reachable>
    /**
     * Sends, and settles what came of it. Runs to its end even when its caller goes away. Does not send once
     * the rest of the lease is shorter than the gateway's time-out: another node may take the message over.
     */
    readonly dispatch: (message: GatewayMessage, claim: Claim) => Effect.Effect<Dispatched>
    /** Asks what became of a message; `Unknown` where the gateway cannot tell, or does not answer in time. */
    readonly lookup: (message: Inquiry) => Effect.Effect<GatewayOutcome | DeliveryReport.Reported>
    /** Writes down an outcome that was found out in another way than by dispatching. */
    readonly settle: (
      message: Pick<GatewayMessage, "ref" | "channel">,
      options: DispatchOptions,
      outcome: GatewayOutcome,
    ) => Effect.Effect<Dispatched>
  }
>()("@countersign/core/services/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const commits = yield* Commits
      const policy = yield* DispatchPolicy
      const rules = yield* rulesInForce
      const problem = gatewayProblem(gateway)
      if (problem !== undefined) return yield* Effect.die(new TypeError(problem))
      const { capabilities } = gateway
      const timeout = Duration.millis(capabilities.timeoutMillis)
      // A dispatch belongs to its node no longer than its price may be held, but long enough to be sent.
      const marginMillis = Math.max(
        minMarginMillis,
        Math.min(policy.leaseMarginMillis, policy.settleMillis - capabilities.timeoutMillis),
      )

      const broken = (cause: Cause.Cause<never>): Effect.Effect<GatewayOutcome> =>
        Effect.as(
          Effect.logError("The gateway adapter failed", { kind: causeKind(cause) }),
          unknown("The gateway adapter failed"),
        )

      /**
       * A gateway's answer; silence, a defect, an interruption or what cannot be read is an unknown outcome.
       */
      const answer = <A>(
        asked: Effect.Effect<unknown>,
        kind: Telemetry.Unreadable,
        read: (answered: unknown) => Result.Result<A, string>,
      ): Effect.Effect<A | GatewayOutcome> =>
        // A gateway that has answered already needs no timer.
        Effect.flatMap(
          Effect.forkChild(asked, { startImmediately: true }),
          (asking): Effect.Effect<unknown> =>
            asking.pollUnsafe() ??
            Effect.flatMap(
              Effect.timeoutOption(Fiber.join(asking), timeout),
              Option.match({
                onSome: Effect.succeed,
                onNone: () =>
                  Effect.as(Fiber.interrupt(asking), unknown("The gateway did not answer in time")),
              }),
            ),
        ).pipe(
          Effect.flatMap((answered) =>
            Telemetry.readOr(read(answered), unreadableOutcome, kind, gateway.name),
          ),
          Effect.catchCause(broken),
        )

      const settle: Dispatcher["Service"]["settle"] = (
        message,
        { attempt, followed, verification },
        outcome,
      ) => {
        const run = commits.run({
          _tag: "RecordDispatch",
          organization: message.ref.organization,
          messageSequence: message.ref.sequence,
          attempt,
          outcome: withIdMillis(outcome, capabilities.idMillis),
          reports: capabilities.reports !== "none",
          verification,
          followed,
          rules,
        })
        const lost = Effect.as(
          Effect.logError(
            "An outcome could not be written down; settlement will decide",
            message.ref,
          ),
          { outcome, settled: undefined },
        )
        const again = Effect.retry(run, { schedule: settleRetries, while: isRetryable })
        return run.pipe(
          Effect.catchIf(isRetryable, () => Effect.andThen(Effect.sleep(firstRetry), again)),
          Effect.matchEffect({
            onFailure: () => lost,
            onSuccess: (settled) =>
              Effect.withFiber((fiber) => {
                Telemetry.countSend(message.channel, outcome._tag)(fiber.context)
                return Effect.succeed<Dispatched>({
                  outcome,
                  settled: settled._tag === "Settled" ? settled : undefined,
                })
              }),
          }),
        )
      }

      /** Ends a dispatch that was not handed to the gateway in time. */
      const giveUp = (message: GatewayMessage, claim: Claim): Effect.Effect<Dispatched> => {
        // The node that had the message before may have sent it.
        if (claim.attempt > 1) return settle(message, claim, unknown(leaseOver))
        return Effect.map(
          settle(message, claim, { _tag: "NotSent", message: leaseOver }),
          (given): Dispatched =>
            // Another node decides on it now. That node may send a message, but never a code.
            given.settled === undefined && claim.verification === null
              ? { ...given, outcome: unknown(leaseOver) }
              : given,
        )
      }

      return Dispatcher.of({
        terms: {
          gateway: gateway.name,
          leaseMillis: capabilities.timeoutMillis + marginMillis,
          settleMillis: policy.settleMillis,
        },
        checksRecipients: capabilities.recipientCheck,
        isReachable: (channel, to) =>
          Effect.suspend(() => gateway.isReachable(channel, to)).pipe(
            Effect.flatMap((answered) =>
              Telemetry.readOr(readReachable(answered), "unknown" as const, "lookup", gateway.name),
            ),
            Effect.timeoutOrElse({
              duration: timeout,
              orElse: () => Effect.succeed("unknown" as const),
            }),
            Effect.catchCause(() => Effect.succeed("unknown" as const)),
          ),
        dispatch: (message, claim) =>
          Effect.uninterruptible(
            Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
              Number(now - claim.claimedAt) / 1e6 > marginMillis
                ? giveUp(message, claim)
                : Effect.flatMap(
                    answer(
                      Effect.suspend(() => gateway.send(message)),
                      "outcome",
                      readOutcome,
                    ),
                    (outcome) => settle(message, claim, outcome),
                  ),
            ),
          ),
        lookup: (message) =>
          answer(
            Effect.suspend(() => gateway.lookup(message)),
            "lookup",
            DeliveryReport.readAnswer,
          ),
        settle,
      })
    }),
  )
}

const unknown = (message: string): GatewayOutcome => ({ _tag: "Unknown", message })

const leaseOver = "The lease ran out before the message was sent"

/** What a node has at least to get from its claiming commit to the gateway. */
const minMarginMillis = 5_000

/** Says how long the gateway's ids stay unique, unless the outcome does. */
const withIdMillis = (outcome: GatewayOutcome, idMillis: number | undefined): GatewayOutcome =>
  idMillis === undefined || !("gatewayId" in outcome) ? outcome : { idMillis, ...outcome }

const firstRetry = Duration.millis(50)
// About 13 seconds. Should another node take the message over meanwhile, the attempt fences this one out.
const settleRetries = Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(7)])

const isRetryable = (error: OrganizationNotFound | StaleSettings | StoreUnavailable): boolean =>
  error._tag === "StoreUnavailable"

/** Says what kind of failure it was without repeating what an adapter may have put into it. */
const causeKind = (cause: Cause.Cause<never>): string =>
  Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect"
