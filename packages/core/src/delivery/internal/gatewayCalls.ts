/** Calls gateways. No compiler has checked an adapter, so every answer is read before it is used. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Channel } from "../../domain/values/Channel.ts"
import { readAnswer, type Reported } from "../../domain/messages/DeliveryReport.ts"
import {
  type GatewayOutcome,
  type Reachable,
  readOutcome,
  readReachable,
  unreadableOutcome,
} from "../../domain/messages/GatewayOutcome.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as Redaction from "../../domain/messages/Redaction.ts"
import type { Gateway, GatewayMessage, LookupRequest } from "../../ports/Gateway.ts"
import * as Telemetry from "../../engine/Telemetry.ts"

export const unknown = (message: string): GatewayOutcome => ({ _tag: "Unknown", message })

/** Calls a gateway. A time-out, a defect, an interruption and an unreadable answer are unknown outcomes. */
const call = <A>(
  { capabilities, name }: Gateway["Service"],
  request: () => Effect.Effect<unknown>,
  kind: Telemetry.Unreadable,
  read: (answer: unknown) => Result.Result<A, string>,
): Effect.Effect<A | GatewayOutcome> =>
  Effect.flatMap(
    Effect.forkChild(Effect.suspend(request), { startImmediately: true }),
    (fiber): Effect.Effect<unknown> =>
      // A gateway that has already answered needs no timer.
      fiber.pollUnsafe() ??
      Effect.flatMap(
        Effect.timeoutOption(Fiber.join(fiber), Duration.millis(capabilities.timeoutMillis)),
        Option.match({
          onSome: Effect.succeed,
          onNone: () =>
            Effect.as(Fiber.interrupt(fiber), unknown("The gateway did not answer in time")),
        }),
      ),
  ).pipe(
    Effect.flatMap((answer) => Telemetry.readOr(read(answer), unreadableOutcome, kind, name)),
    Effect.catchCause((cause) =>
      Effect.as(
        // Leaves out the content of the failure, which the adapter controls.
        Effect.logError("The gateway adapter failed", {
          gateway: name,
          kind: Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect",
        }),
        unknown("The gateway adapter failed"),
      ),
    ),
  )

export const send = (
  gateway: Gateway["Service"],
  message: GatewayMessage,
): Effect.Effect<GatewayOutcome> =>
  call(
    gateway,
    () => gateway.send(message),
    "outcome",
    (answer) => Result.map(readOutcome(answer), (outcome) => Redaction.outcome(outcome, message)),
  )

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
