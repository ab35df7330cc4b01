/**
 * Common parts of adapters whose vendors only send messages and push reports.
 */
import type { Callback, CallbackOutcome } from "../Adapter.ts"
import type { Adapter } from "../Adapter.ts"
import { type Capabilities, Gateway } from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { unknown } from "./outcomes.ts"

/**
 * Default for the longest time of a dispatch. It exceeds the eleven seconds after which Node's `fetch` gives
 * up a connection. With a shorter timeout, a dead host would count as one that may have the message.
 */
export const defaultTimeoutMillis = 15_000

/** A vendor without deduplication tokens, reused ids or lookup. */
export const plainCapabilities: Capabilities = {
  tokenMillis: 0,
  idMillis: Infinity,
  lookup: false,
  recipientCheck: false,
  reports: "signed",
  segments: false,
  timeoutMillis: defaultTimeoutMillis,
}

/** Makes an adapter to a vendor that cannot be polled. */
export const pushing = (
  gateway: Pick<Gateway["Service"], "name" | "capabilities" | "send">,
  callback: Callback | undefined,
): Adapter => ({
  gateway: Gateway.of({
    ...gateway,
    isReachable: () => Effect.succeed("unknown"),
    lookup: () => Effect.succeed(unknown("The gateway cannot be asked")),
    // Reports arrive through the callback.
    reports: Stream.never,
  }),
  callback,
})

/** The gateway alone, for hosts that receive no reports. */
export const layerOf = <E, R>(adapter: Effect.Effect<Adapter, E, R>): Layer.Layer<Gateway, E, R> =>
  Layer.effect(
    Gateway,
    Effect.map(adapter, ({ gateway }) => gateway),
  )

export const refused = (reason: string): CallbackOutcome => ({ _tag: "Refused", reason })

export const malformed = (reason: string): CallbackOutcome => ({ _tag: "Malformed", reason })
