/**
 * Grameenphone's CMP, for customers with an operator contract, as a description for {@link HttpGateway}.
 */
import type { Gateway } from "@countersign/core/ports/Gateway"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Adapter } from "./Adapter.ts"
import * as HttpGateway from "./HttpGateway.ts"

/**
 * The operator publishes no table of error codes, so every answer except success is unknown. Add the codes
 * that your contract documents to `outcomes`.
 */
export const description: HttpGateway.Description = {
  name: "grameenphone",
  request: {
    url: "https://gpcmp.grameenphone.com/ecmapigw/webresources/ecmapigw.v2",
    headers: { accept: "application/json" },
    body: {
      json: {
        username: "{username}",
        password: "{password}",
        apicode: "{apicode}",
        msisdn: "{to}",
        countrycode: "880",
        cli: "{sender}",
        messagetype: "{encoding}",
        message: "{text}",
        messageid: "0",
      },
    },
  },
  recipient: "national",
  country: { code: "880", trunk: "0" },
  encodings: { gsm7: "1", unicode: "3" },
  secrets: ["password"],
  values: {
    username: "",
    // 1 sends a message. 5 and 6 send with and without receipts, if the contract includes them.
    apicode: "1",
  },
  outcomes: [{ when: { path: "statusCode", equals: "200" }, means: "accepted" }],
  message: { path: "message" },
}

export interface Options {
  readonly username: string
  readonly password: Redacted.Redacted
  /** Operation to call; see {@link description}. @defaultValue `1` */
  readonly apicode?: string | undefined
  /** The sender of every message. @defaultValue the message's own sender */
  readonly sender?: string | undefined
  /** Fields that replace those of {@link description} for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** Name of the gateway. @defaultValue `grameenphone` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
}

const optionsOf = (options: Options): HttpGateway.Options => ({
  description: { ...description, ...options.description },
  secrets: { password: options.password },
  values: {
    username: options.username,
    ...(options.apicode === undefined ? undefined : { apicode: options.apicode }),
  },
  sender: options.sender,
  name: options.name,
  timeoutMillis: options.timeoutMillis,
})

/** Makes the adapter. Dies if `options.description` makes the description invalid. */
export const make = (options: Options): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
  Effect.orDie(HttpGateway.make(optionsOf(options)))

/** Provides the gateway to the engine. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  Layer.orDie(HttpGateway.layer(optionsOf(options)))

/**
 * Environment variables that {@link layerConfig} reads: GRAMEENPHONE_USERNAME, GRAMEENPHONE_PASSWORD,
 * GRAMEENPHONE_SENDER and, optionally, GRAMEENPHONE_APICODE.
 */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(
  description,
  "GRAMEENPHONE",
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
