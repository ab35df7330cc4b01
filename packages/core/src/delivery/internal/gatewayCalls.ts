/** Calls gateways. No compiler has checked an adapter, so every answer is read before it is used. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Channel } from "../../domain/values/Channel.ts"
import { readAnswer, type Reported } from "../../domain/messages/DeliveryReport.ts"
import {
  type GatewayOutcome,
  isAccepted,
  type Reachable,
  readOutcome,
  readReachable,
  unreadableOutcome,
} from "../../domain/messages/GatewayOutcome.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as Redaction from "../../domain/messages/Redaction.ts"
import type { Gateway, GatewayMessage, LookupRequest } from "../../ports/Gateway.ts"
import * as Call from "../../engine/Call.ts"
import * as Telemetry from "../../engine/Telemetry.ts"
import * as Tracing from "../../engine/Tracing.ts"

export const unknown = (message: string): GatewayOutcome => ({ _tag: "Unknown", message })

/** Calls a gateway. A time-out, a defect, an interruption and an unreadable answer are unknown outcomes. */
const call = <A>(
  { capabilities, name }: Gateway["Service"],
  request: () => Effect.Effect<unknown>,
  kind: Telemetry.Unreadable,
  read: (answer: unknown) => Result.Result<A, string>,
): Effect.Effect<A | GatewayOutcome> =>
  Call.direct((context, done) => {
    const failed = (cause: Cause.Cause<never>) =>
      Effect.as(
        // Leaves out the content of the failure, which the adapter controls.
        Effect.logError("The gateway adapter failed", {
          gateway: name,
          kind: Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect",
        }),
        unknown("The gateway adapter failed"),
      )
    const end = (effect: Effect.Effect<A | GatewayOutcome>): void =>
      void Call.begin(effect, context, done, true)
    const answered: Call.Done<unknown> = (exit) => {
      if (exit._tag === "Failure") return end(failed(exit.cause))
      const result = Result.try(() => read(exit.value))
      if (Result.isFailure(result)) return end(failed(Cause.die(result.failure)))
      end(Telemetry.readOr(result.success, unreadableOutcome, kind, name))
    }
    const run = Effect.runForkWith(context)
    const fiber = Tracing.activate(context, () => run(Effect.suspend(request)))
    const exit = fiber.pollUnsafe()
    // A gateway that has already answered needs no timer.
    if (exit !== undefined) {
      answered(exit)
      return undefined
    }
    let isLate = false
    let isStopped = false
    const timer = run(Effect.sleep(Duration.millis(capabilities.timeoutMillis)))
    timer.addObserver((slept) => {
      isLate = Exit.isSuccess(slept)
      if (isLate) fiber.interruptUnsafe()
    })
    fiber.addObserver((exit) => {
      timer.interruptUnsafe()
      // An interruption by the caller is no failure of the adapter.
      if (isStopped) done(Exit.interrupt())
      else answered(isLate ? late : exit)
    })
    return () => {
      isStopped = true
      fiber.interruptUnsafe()
    }
  })

const late = Exit.succeed(unknown("The gateway did not answer in time"))

export const send = (
  gateway: Gateway["Service"],
  message: GatewayMessage,
): Effect.Effect<GatewayOutcome> => {
  const sent = call(
    gateway,
    () => gateway.send(message),
    "outcome",
    (answer) => Result.map(readOutcome(answer), (outcome) => Redaction.outcome(outcome, message)),
  )
  // One that chooses among gateways calls them through this function, or names the one that it calls itself.
  const name = gateway.states === undefined ? gateway.name : gateway.memberFor?.(message.channel)
  return name === undefined ? sent : inSpan(name, message, sent)
}

const inSpan = (
  gateway: string,
  { channel, token }: GatewayMessage,
  sent: Effect.Effect<GatewayOutcome>,
): Effect.Effect<GatewayOutcome> =>
  Call.direct((context, done) => {
    const span = Tracing.begin(context, "gateway", `send ${gateway}`)
    if (span === undefined) return Call.begin(sent, context, done)
    return Call.begin(sent, Tracing.below(context, span), (exit) => {
      const outcome = Exit.isSuccess(exit) ? exit.value._tag : undefined
      const isTaken = Exit.isSuccess(exit) && isAccepted(exit.value)
      Tracing.annotate(span, "gateway", {
        "messaging.system": "countersign",
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": gateway,
        "messaging.message.id": token,
        "countersign.channel": channel,
        "countersign.outcome": outcome,
        "error.type": isTaken ? undefined : outcome,
      })
      Tracing.end(context, span, exit)
      done(exit)
    })
  })

export const lookup = (
  gateway: Gateway["Service"],
  message: LookupRequest,
): Effect.Effect<GatewayOutcome | Reported> =>
  call(gateway, () => gateway.lookup(message), "lookup", readAnswer)

/** Asks a gateway whether a number is reachable. Without an answer in time, it is unknown. */
export const isReachable = (
  gateway: Gateway["Service"],
  channel: Channel,
  to: PhoneNumber,
): Effect.Effect<Reachable> =>
  Effect.suspend(() => gateway.isReachable(channel, to)).pipe(
    Effect.flatMap((answer) =>
      Telemetry.readOr(readReachable(answer), "unknown" as const, "lookup", gateway.name),
    ),
    Effect.timeoutOrElse({
      duration: Duration.millis(gateway.capabilities.timeoutMillis),
      orElse: () => Effect.succeed("unknown" as const),
    }),
    Effect.catchCause(() => Effect.succeed("unknown" as const)),
  )
