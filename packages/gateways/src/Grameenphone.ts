/**
 * Grameenphone's CMP, for holders of a contract with the operator, as a description for {@link HttpGateway}.
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
 * No table of its refusals is known, so that every answer but one of success is unknown. Those of your
 * contract belong into `outcomes`.
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
    // 1 hands a message over; 5 and 6 do so with and without receipts, where the contract has them.
    apicode: "1",
  },
  outcomes: [{ when: { path: "statusCode", equals: "200" }, means: "accepted" }],
  message: { path: "message" },
}

export interface Options {
  readonly username: string
  readonly password: Redacted.Redacted
  /** `1` when left out. */
  readonly apicode?: string | undefined
  /** The sender of every message; the message's own sender when left out. */
  readonly sender?: string | undefined
  /** Parts of the description that are different for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** `grameenphone` when left out. */
  readonly name?: string | undefined
  /** 15,000 when left out. */
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

/** Makes the adapter. A description that was changed so that it makes no sense is a defect. */
export const make = (options: Options): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
  Effect.orDie(HttpGateway.make(optionsOf(options)))

/** The engine's gateway. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  Layer.orDie(HttpGateway.layer(optionsOf(options)))

/** What {@link layerConfig} reads: GRAMEENPHONE_USERNAME, GRAMEENPHONE_PASSWORD, GRAMEENPHONE_SENDER and,
 * if need be, GRAMEENPHONE_APICODE. */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(
  description,
  "GRAMEENPHONE",
)

/** Like {@link layer}, with options from the environment. What is given here wins. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
