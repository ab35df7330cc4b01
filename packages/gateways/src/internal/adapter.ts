/** Common parts of adapters. */
import { type Capabilities, Gateway } from "@countersign/core/ports/Gateway"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Adapter, Callback } from "../Adapter.ts"
import { millis } from "./durations.ts"
import type { CommonOptions } from "../VendorOptions.ts"
import { unknown } from "./outcomes.ts"

/**
 * Default for the longest time of a dispatch. It exceeds the eleven seconds after which Node's `fetch` gives
 * up a connection. With a shorter timeout, a dead host would count as one that may have the message.
 */
const defaultTimeoutMillis = 15_000

/** The parts of a gateway that differ between vendors that push their reports or have none. */
export interface Parts extends Pick<Gateway["Service"], "send"> {
  /** Default of the gateway's name. */
  readonly name: string
  readonly capabilities?: Partial<Omit<Capabilities, "timeoutMillis">> | undefined
  /** Default of the longest time of a dispatch. */
  readonly timeoutMillis?: number | undefined
  /** Looks messages up. @defaultValue no message can be looked up */
  readonly lookup?: Gateway["Service"]["lookup"] | undefined
  /** The meanings of the vendor's error codes, in English. */
  readonly meanings?: Readonly<Record<string, string>> | undefined
  /** Reads reports. `undefined`: the vendor pushes none. */
  readonly callback?: Callback | undefined
}

/** Makes an adapter whose gateway polls for no reports. */
export const adapterOf = (options: CommonOptions, parts: Parts): Adapter => ({
  gateway: Gateway.of({
    name: options.name ?? parts.name,
    capabilities: {
      tokenMillis: 0,
      idMillis: Infinity,
      lookup: parts.lookup !== undefined,
      recipientCheck: false,
      reports: parts.callback === undefined ? "none" : "signed",
      segments: false,
      ...parts.capabilities,
      timeoutMillis:
        millis("timeout", options.timeout, 1) ?? parts.timeoutMillis ?? defaultTimeoutMillis,
    },
    send: parts.send,
    isReachable: () => Effect.succeed("unknown"),
    lookup: parts.lookup ?? (() => Effect.succeed(unknown("The gateway has no lookup"))),
    // Reports arrive through the callback.
    reports: Stream.never,
    // The code is the vendor's text, which may be the name of an inherited member.
    meaningOf: (_, code) =>
      parts.meanings !== undefined && Object.hasOwn(parts.meanings, code)
        ? parts.meanings[code]
        : undefined,
  }),
  callback: parts.callback,
})

/** The gateway alone, for hosts that receive no reports through a callback. */
export const layerOf =
  <Options, E, R>(make: (options: Options) => Effect.Effect<Adapter, E, R>) =>
  (options: Options): Layer.Layer<Gateway, E, Exclude<R, Scope.Scope>> =>
    Layer.effect(
      Gateway,
      Effect.map(make(options), ({ gateway }) => gateway),
    )

/** Like {@link layerOf}, with the environment's values of missing options. */
export const layerConfigOf =
  <Options, E, R>(
    make: (options: Options) => Effect.Effect<Adapter, E, R>,
    config: Config.Config<Options>,
  ) =>
  (
    options: Partial<Options> = {},
  ): Layer.Layer<Gateway, E | Config.ConfigError, Exclude<R, Scope.Scope>> =>
    Layer.unwrap(Effect.map(config, (read) => layerOf(make)({ ...read, ...options })))

/** Reads an environment variable that may be missing. */
export const optional = <A>(config: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(config), Option.getOrUndefined)

export const optionalText = (variable: string) => optional(Config.NonEmptyString(variable))
