import * as Redaction from "@countersign/core/domain/messages/Redaction"
import type { Gateway } from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  type Adapter,
  adapterTo,
  type Callbacks,
  type Options,
  type Platform,
  requestMade,
} from "./subject.ts"
import { type Conduct, startVendor, type Vendor } from "./vendor.ts"

/** Removes the content of messages from outcomes, as the engine does. */
const redacting = (gateway: Gateway["Service"]): Gateway["Service"] => ({
  ...gateway,
  send: (message) =>
    Effect.map(gateway.send(message), (outcome) => Redaction.outcome(outcome, message)),
})

/** Starts a vendor and an adapter to it. */
export const staged = (
  options: Options,
  conduct: Conduct,
  scheme: "http" | "https" = "http",
): Effect.Effect<
  { readonly vendor: Vendor; readonly adapter: Adapter },
  never,
  Platform | Scope.Scope
> =>
  Effect.gen(function* () {
    const vendor = yield* startVendor(scheme)
    vendor.conduct(conduct)
    const adapter = yield* adapterTo(options, vendor.baseUrl)
    return { vendor, adapter: { ...adapter, gateway: redacting(adapter.gateway) } }
  })

/** An adapter that reads the vendor's requests, and such a request on the next message. */
export const reporting = (options: Options, { report }: Callbacks) =>
  Effect.map(
    staged(options, { _tag: "Answer", ...options.accepted.answer }),
    ({ adapter, vendor }) => ({
      gateway: adapter.gateway,
      read: adapter.callback ?? (() => Effect.die(new Error("No callback"))),
      delivered: (gatewayId = options.accepted.expected.gatewayId ?? "") =>
        Effect.flatMap(vendor.nextRequest, (received) =>
          requestMade(report({ status: "delivered", gatewayId, received, sequence: 0 })),
        ),
    }),
  )
