/**
 * Sends a message that is already charged, and records the outcome under the dispatch number, which shuts out
 * older attempts.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Channel } from "../domain/values/Channel.ts"
import type { Command, OwnResult } from "../decide/Command.ts"
import * as Call from "../engine/Call.ts"
import { type CommitError, Commits, retryUnavailable } from "../engine/Commits.ts"
import type { Drain } from "../engine/Drain.ts"
import {
  canRecover,
  Gateway,
  type GatewayMessage,
  gatewayProblem,
  type LookupRequest,
} from "../ports/Gateway.ts"
import {
  attemptOf,
  type GatewayOutcome,
  isAccepted,
  isUnsent,
  type Reachable,
} from "../domain/messages/GatewayOutcome.ts"
import type { RequestId } from "../domain/values/Ids.ts"
import { rulesInForce } from "../engine/FraudRules.ts"
import * as GatewayCalls from "./internal/gatewayCalls.ts"
import * as Message from "../domain/messages/Message.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { ExecuteOptions } from "../ports/Store.ts"
import type { Reported } from "../domain/messages/DeliveryReport.ts"
import * as Telemetry from "../engine/Telemetry.ts"

export interface DispatchPolicy {
  /**
   * Milliseconds added to the gateway's time-out, at least 5,000. The sum, at most `settleMillis`, is the
   * lease: the time for which a dispatch belongs to its node. A node that cannot call the gateway within the
   * margin does not send.
   */
  readonly leaseMarginMillis: number
  /** Milliseconds for which an outcome may stay open before the price is refunded. */
  readonly settleMillis: number
  /** Milliseconds that closing waits for messages that are not yet settled. @defaultValue 20,000 */
  readonly graceMillis?: number | undefined
}

/** The dispatch policy in force. Default: a margin of one minute, and 24 hours. */
export const DispatchPolicy = Context.Reference<DispatchPolicy>(
  "@countersign/core/DispatchPolicy",
  {
    defaultValue: () => ({ leaseMarginMillis: 60_000, settleMillis: 24 * 60 * 60 * 1_000 }),
  },
)

/**
 * The result of a dispatch. `settled` is `undefined` if this node did not record the outcome, or records it later. Such
 * an outcome proves nothing of the message, which another node may send: it is `Unknown` unless it is recorded later.
 */
export interface DispatchResult {
  readonly outcome: GatewayOutcome
  readonly settled: Extract<OwnResult<"RecordDispatch">, { readonly _tag: "Recorded" }> | undefined
}

/** Whether nothing was sent. A report that has said otherwise in the meantime takes precedence. */
export const wasUnsent = ({ outcome, settled }: DispatchResult): boolean =>
  isUnsent(outcome) && settled !== undefined && Message.isUnsentStatus(settled.status)

/** The number of a dispatch, and the request that depends on it. */
export interface DispatchOptions {
  readonly dispatchNumber: number
  /** The request whose code the message carries. */
  readonly requestId: RequestId | null
  /** The fields of the event about the request, if the caller knows it. */
  readonly verification?: Command<"RecordDispatch">["verification"]
  /** After how many milliseconds without delivery another message carries the code; `undefined`: none does. */
  readonly followMillis?: number | undefined
}

/** A dispatch that this node has claimed with a commit. */
export interface Claim extends DispatchOptions {
  /** Start of the claiming commit, by `Clock.monotonicTimeNanos`. */
  readonly claimedAt: bigint
}

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** The fields of a draft that the gateway and the policy determine. */
    readonly terms: Pick<Message.NewMessage, "gateway" | "leaseMillis" | "settleMillis">
    /** Whether the gateway can check numbers before a message is sent. */
    readonly checksRecipients: boolean
    readonly isReachable: (channel: Channel, phoneNumber: PhoneNumber) => Effect.Effect<Reachable>
    /**
     * Sends a message and settles its outcome, even if the caller is interrupted. Does not send once another
     * node may take the message over: when the rest of the lease is shorter than the gateway's time-out.
     *
     * With `finish`, an accepted message that nothing follows is settled there, after the answer, if its outcome
     * can be recovered. Any other outcome is written first. An accepted message whose outcome this node could
     * not write is `Unknown`.
     */
    readonly dispatch: (
      message: GatewayMessage,
      claim: Claim,
      finish?: Drain["finish"],
    ) => Effect.Effect<DispatchResult>
    /** Looks up a message; `Unknown` if the gateway cannot tell, or does not answer in time. */
    readonly lookup: (message: LookupRequest) => Effect.Effect<GatewayOutcome | Reported>
    /** Records an outcome that was found without a dispatch. */
    readonly settle: (
      message: Pick<GatewayMessage, "ref" | "channel" | "phoneNumber" | "token">,
      options: DispatchOptions,
      outcome: GatewayOutcome,
      execution?: ExecuteOptions,
    ) => Effect.Effect<DispatchResult>
  }
>()("@countersign/core/delivery/Dispatcher") {}

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const commits = yield* Commits
  const policy = yield* DispatchPolicy
  const rules = yield* rulesInForce
  const problem = gatewayProblem(gateway)
  if (problem !== undefined) return yield* Effect.die(new TypeError(problem))
  const { capabilities } = gateway
  // The lease ends no later than the hold on the price, but leaves enough time to send.
  const marginMillis = Math.max(
    minMarginMillis,
    Math.min(policy.leaseMarginMillis, policy.settleMillis - capabilities.timeoutMillis),
  )

  const settle: Dispatcher["Service"]["settle"] = (
    message,
    { dispatchNumber, followMillis, requestId, verification },
    outcome,
    execution,
  ) => {
    const run = commits.run(
      {
        _tag: "RecordDispatch",
        organization: message.ref.organization,
        messageSequence: message.ref.sequence,
        token: message.token,
        dispatchNumber,
        outcome: withIdMillis(outcome, capabilities.idMillis),
        hasReports: capabilities.reports !== "none",
        requestId,
        verification,
        followMillis,
        rules,
      },
      execution,
    )
    const lost = Effect.as(
      Effect.logError("An outcome could not be written down; settlement will decide", message.ref),
      { outcome, settled: undefined },
    )
    return Call.make((call, done) => {
      const recorded = (result: OwnResult<"RecordDispatch">): void => {
        Telemetry.countSend(message, outcome.gateway ?? gateway.name, outcome._tag)(call.context)
        done(Exit.succeed({ outcome, settled: result._tag === "Recorded" ? result : undefined }))
      }
      const failed = Call.catching<DispatchResult, CommitError>(done, () => call.run(lost, done))
      // If another node takes the message over meanwhile, the dispatch number shuts this node out.
      const again = Call.catching<DispatchResult, CommitError>(done, ({ _tag }) =>
        _tag === "StoreUnavailable"
          ? call.andThen(
              Effect.andThen(Effect.sleep(firstRetry), retryUnavailable(run)),
              failed,
              recorded,
            )
          : call.run(lost, done),
      )
      call.andThen(run, again, recorded)
    })
  }

  /** Settles before the answer. An outcome that this node could not write leaves the message open. */
  const settleFirst = (message: GatewayMessage, claim: Claim, outcome: GatewayOutcome) =>
    Call.map(settle(message, claim, outcome), (result): DispatchResult =>
      result.settled === undefined ? { ...result, outcome: unproven(outcome) } : result,
    )

  /** Ends a dispatch that did not reach the gateway in time. */
  const giveUp = (message: GatewayMessage, claim: Claim): Effect.Effect<DispatchResult> => {
    // The node of an earlier attempt may have sent the message.
    if (claim.dispatchNumber > 1) return settle(message, claim, GatewayCalls.unknown(leaseOver))
    return settleFirst(message, claim, { _tag: "NotSent", message: leaseOver })
  }

  /** The outcome with its attempts, and the gateway that has refused the message. */
  const named = (answer: GatewayOutcome, millis: number): GatewayOutcome => {
    const attempts = answer.attempts ?? [attemptOf(gateway.name, millis, answer)]
    const outcome = { ...answer, attempts }
    return isAccepted(outcome) || (outcome._tag === "NotSent" && outcome.reason !== undefined)
      ? outcome
      : { gateway: gateway.name, ...outcome }
  }

  const isRecoverable = (message: GatewayMessage, outcome: GatewayOutcome): boolean =>
    isAccepted(outcome) && (outcome.isRecoverable ?? canRecover(capabilities, message, outcome))

  return Dispatcher.of({
    terms: {
      gateway: gateway.name,
      leaseMillis: capabilities.timeoutMillis + marginMillis,
      settleMillis: policy.settleMillis,
    },
    checksRecipients: capabilities.recipientCheck,
    isReachable: (channel, to) => GatewayCalls.isReachable(gateway, channel, to),
    dispatch: (message, claim, finish) =>
      Call.direct((context, done) => {
        const clock = Context.get(context, Clock.Clock)
        const now = clock.monotonicTimeNanosUnsafe()
        const run = (effect: Effect.Effect<DispatchResult>): undefined =>
          void Call.begin(effect, context, done, true)
        if (Number(now - claim.claimedAt) / 1e6 > marginMillis) return run(giveUp(message, claim))
        const answered = Call.passing<GatewayOutcome, never>(done, (answer) => {
          const millis = Math.round(Number(clock.monotonicTimeNanosUnsafe() - now) / 1e6)
          const outcome = proven(named(answer, millis), claim)
          Telemetry.recordAnswer(outcome.gateway ?? gateway.name, now, context)
          const isLate =
            finish !== undefined &&
            isRecoverable(message, outcome) &&
            claim.followMillis === undefined
          if (!isLate) return run(settleFirst(message, claim, outcome))
          const settled = finish(settle(message, claim, outcome, notUrgent))
          run(Call.map(settled, () => ({ outcome, settled: undefined })))
        })
        Call.begin(GatewayCalls.send(gateway, message), context, answered, true)
        return undefined
      }),
    lookup: (message) => GatewayCalls.lookup(gateway, message),
    settle,
  })
})

export const layer = Layer.effect(Dispatcher, make)

const notUrgent: ExecuteOptions = { isUrgent: false }

const leaseOver = "The lease ran out before the message was sent"

const notWritten = "The gateway accepted the message, and the outcome could not be written"

/** Minimum time, in milliseconds, from a node's claiming commit to its call of the gateway. */
const minMarginMillis = 5_000

/**
 * The outcome that the answer to a dispatch proves for its message. The node of an earlier dispatch may have sent the
 * message, so a repeat that was not sent leaves the outcome open.
 */
const proven = (outcome: GatewayOutcome, { dispatchNumber }: Claim): GatewayOutcome => {
  if (dispatchNumber === 1) return outcome
  return outcome._tag === "NotSent" || outcome._tag === "Throttled" ? unproven(outcome) : outcome
}

/** The outcome of a dispatch that proves nothing of its message. */
const unproven = (outcome: GatewayOutcome): GatewayOutcome => {
  if (isAccepted(outcome)) return GatewayCalls.unknown(notWritten)
  const { attempts, gateway, message, vendorCode } = outcome
  return { _tag: "Unknown", gateway, message, vendorCode, attempts }
}

/** Adds how long the gateway's ids stay unique, unless the outcome contains it. */
const withIdMillis = (outcome: GatewayOutcome, idMillis: number | undefined): GatewayOutcome =>
  idMillis === undefined || !("gatewayId" in outcome) ? outcome : { idMillis, ...outcome }

const firstRetry = Duration.millis(50)
