/**
 * Robi and Airtel in Bangladesh, for holders of a contract with the operator, as a description for {@link HttpGateway}.
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
 * The answer is XML in the form that others have seen. No table of its error codes is known, so that every
 * other code than 0 is unknown. Those of your contract belong into `outcomes`.
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
        // -1 is an error, whatever the code says.
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
  /** The sender of every message; the message's own sender when left out. */
  readonly sender?: string | undefined
  /** Parts of the description that are different for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** `robi` when left out. */
  readonly name?: string | undefined
  /** 15,000 when left out. */
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

/** Makes the adapter. A description that was changed so that it makes no sense is a defect. */
export const make = (options: Options): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
  Effect.orDie(HttpGateway.make(optionsOf(options)))

/** The engine's gateway. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  Layer.orDie(HttpGateway.layer(optionsOf(options)))

/** What {@link layerConfig} reads: ROBI_USERNAME, ROBI_PASSWORD, ROBI_SENDER. */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(description, "ROBI")

/** Like {@link layer}, with options from the environment. What is given here wins. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
