/**
 * Robi and Airtel in Bangladesh, for customers with an operator contract, as a description for
 * {@link HttpGateway}.
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
 * Matches the XML answers that other integrations report. The operator publishes no table of error codes, so
 * every code except 0 is unknown. Add the codes that your contract documents to `outcomes`.
 */
export const description: HttpGateway.Description = {
  name: "robi",
  request: {
    url: "https://bmpws.robi.com.bd/ApacheGearWS/SendTextMessage",
    body: {
      form: {
        Username: "{username}",
        Password: "{password}",
        From: "{sender}",
        To: "{to}",
        Message: "{text}",
      },
    },
  },
  recipient: "digits",
  secrets: ["password"],
  values: { username: "" },
  outcomes: [
    {
      when: [
        { matches: "<ErrorCode>\\s*0\\s*</ErrorCode>" },
        // Status -1 is an error, even with error code 0.
        { matches: "<Status>\\s*[012]\\s*</Status>" },
        { matches: "<MessageId>\\s*[1-9]\\d*\\s*</MessageId>" },
      ],
      means: "accepted",
    },
  ],
  id: { pattern: "<MessageId>([^<]*)</MessageId>" },
  segments: { pattern: "<SMSCount>([^<]*)</SMSCount>" },
  message: { pattern: "<ErrorText>([^<]*)</ErrorText>" },
}

export interface Options {
  readonly username: string
  readonly password: Redacted.Redacted
  /** The sender of every message. @defaultValue the message's own sender */
  readonly sender?: string | undefined
  /** Fields that replace those of {@link description} for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** Name of the gateway. @defaultValue `robi` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
}

const optionsOf = (options: Options): HttpGateway.Options => ({
  description: { ...description, ...options.description },
  secrets: { password: options.password },
  values: {
    username: options.username,
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

/** Environment variables that {@link layerConfig} reads: ROBI_USERNAME, ROBI_PASSWORD, ROBI_SENDER. */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(description, "ROBI")

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
