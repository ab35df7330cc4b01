/**
 * Gateways written with promises, as the one gateway that the engine knows.
 */
import { type Capabilities, Gateway as Port, type GatewayMessage } from "@countersign/core/Gateway"
import type { GatewayOutcome as Outcome } from "@countersign/core/GatewayOutcome"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { GatewayOutcome, Gateways, OutgoingMessage } from "./gatewayTypes.ts"
import type { Channel } from "./types.ts"

/** What the engine keeps as the name of the gateway, whichever of them it was. */
export const gatewayName = "host"

const outcomeOf = (outcome: GatewayOutcome, reports: boolean): Outcome => {
  switch (outcome.status) {
    case "accepted":
      return { _tag: reports ? "Accepted" : "Delivered", gatewayId: outcome.gatewayId }
    case "delivered":
      return { _tag: "Delivered", gatewayId: outcome.gatewayId }
    case "rejected":
      return { _tag: "Rejected", reason: outcome.reason, message: outcome.message }
    case "throttled":
      return {
        _tag: "Throttled",
        message: outcome.message,
        retryAfterMillis: outcome.retryAfterMillis,
      }
    case "not_sent":
      return { _tag: "NotSent", message: outcome.message }
    case "unknown":
      return { _tag: "Unknown", message: outcome.message }
  }
}

/** Which kind of error it was: its words may quote the message. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)

/** Never what was thrown: it may quote the message. */
const thrown: Outcome = { _tag: "Unknown", message: "The gateway failed" }

const missing = (channel: Channel): Outcome => ({
  _tag: "NotSent",
  message: `There is no gateway for ${channel}`,
})

const outgoing = (message: GatewayMessage): OutgoingMessage => ({
  token: message.token,
  purpose: message.purpose,
  channel: message.channel,
  to: message.to,
  sender: message.sender,
  text: Redacted.value(message.text),
})

const capabilitiesOf = (gateways: Gateways): Capabilities => {
  const all = [gateways.sms, gateways.whatsapp].filter((one) => one !== undefined)
  return {
    tokenMillis: all.every(({ honoursToken }) => honoursToken === true) ? Infinity : 0,
    lookup: false,
    recipientCheck: gateways.whatsapp?.isReachable !== undefined,
    reports: all.some(({ reports }) => reports === true) ? "signed" : "none",
    segments: false,
    timeoutMillis: Math.max(...all.map(({ timeoutMillis }) => timeoutMillis ?? 10_000)),
  }
}

/** The engine's gateway over the host's. */
export const layer = (gateways: Gateways): Layer.Layer<Port> =>
  Layer.succeed(
    Port,
    Port.of({
      name: gatewayName,
      capabilities: capabilitiesOf(gateways),
      send: (message) => {
        const gateway = gateways[message.channel]
        if (gateway === undefined) return Effect.succeed(missing(message.channel))
        return Effect.tryPromise((signal) => gateway.send(outgoing(message), { signal })).pipe(
          Effect.map((outcome) => outcomeOf(outcome, gateway.reports === true)),
          Effect.timeoutOrElse({
            duration: gateway.timeoutMillis ?? 10_000,
            orElse: () =>
              Effect.succeed<Outcome>({ _tag: "Unknown", message: "The gateway did not answer" }),
          }),
          Effect.catch((error) =>
            Effect.as(
              Effect.logError("A gateway has thrown", {
                gateway: gateway.name,
                error: nameOf(error.cause),
              }),
              thrown,
            ),
          ),
        )
      },
      isReachable: (channel, to) => {
        const ask = channel === "whatsapp" ? gateways.whatsapp?.isReachable : undefined
        if (ask === undefined) return Effect.succeed("unknown")
        return Effect.catch(
          Effect.tryPromise(() => ask(to)),
          () => Effect.succeed<"unknown">("unknown"),
        )
      },
      lookup: () => Effect.succeed({ _tag: "Unknown", message: "There is no look-up" }),
      reports: Stream.empty,
    }),
  )
