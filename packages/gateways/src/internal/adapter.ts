/**
 * What adapters of vendors that only send and report have in common.
 */
import type { Callback, CallbackOutcome } from "../Adapter.ts"
import type { Adapter } from "../Adapter.ts"
import { type Capabilities, Gateway } from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { unknown } from "./outcomes.ts"

/**
 * How long a dispatch may take when the host does not say. Longer than the eleven seconds that Node's
 * `fetch` may take to give a connection up: before that, a host that is dead would be one that may have the
 * message.
 */
export const defaultTimeoutMillis = 15_000

/** A vendor that honours no token, gives no id twice, and can be asked nothing. */
export const plainCapabilities: Capabilities = {
  tokenMillis: 0,
  idMillis: Infinity,
  lookup: false,
  recipientCheck: false,
  reports: "signed",
  segments: false,
  timeoutMillis: defaultTimeoutMillis,
}

/** An adapter to a vendor that can be asked nothing. */
export const pushing = (
  gateway: Pick<Gateway["Service"], "name" | "capabilities" | "send">,
  callback: Callback | undefined,
): Adapter => ({
  gateway: Gateway.of({
    ...gateway,
    isReachable: () => Effect.succeed("unknown"),
    lookup: () => Effect.succeed(unknown("The gateway cannot be asked")),
    // Reports come by way of the callback.
    reports: Stream.never,
  }),
  callback,
})

/** The engine's gateway alone, for hosts that take no reports in. */
export const layerOf = <E, R>(adapter: Effect.Effect<Adapter, E, R>): Layer.Layer<Gateway, E, R> =>
  Layer.effect(
    Gateway,
    Effect.map(adapter, ({ gateway }) => gateway),
  )

export const refused = (reason: string): CallbackOutcome => ({ _tag: "Refused", reason })

export const malformed = (reason: string): CallbackOutcome => ({ _tag: "Malformed", reason })
