/**
 * A gateway that prints each message. A gateway for a vendor has the same five members.
 */
import { Gateway } from "@countersign/core/ports/Gateway"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Environment from "./Environment.ts"

const gateway = Gateway.of({
  name: "console",
  capabilities: {
    tokenMillis: 0,
    lookup: false,
    recipientCheck: false,
    reports: "none",
    segments: false,
    timeoutMillis: 1_000,
  },
  send: ({ channel, text, phoneNumber, token }) =>
    Effect.as(Console.log(`${channel} to ${phoneNumber}: ${Redacted.value(text)}`), {
      _tag: "Delivered",
      gatewayId: token,
    }),
  isReachable: () => Effect.succeed("unknown"),
  lookup: () => Effect.succeed({ _tag: "Unknown", message: "This gateway keeps nothing" }),
  reports: Stream.empty,
})

/** Codes do not belong in the log of a service that is in use. */
export class NotForProduction extends Schema.TaggedError<NotForProduction>()(
  "NotForProduction",
  {},
) {
  override get message(): string {
    return "Codes would be printed: put a gateway to a vendor in the place of ConsoleGateway"
  }
}

export const layer = Layer.effect(
  Gateway,
  Effect.flatMap(Environment.inProduction, (isOn) =>
    isOn ? Effect.fail(new NotForProduction()) : Effect.succeed(gateway),
  ),
)
