/**
 * Banglalink, for customers with an operator contract, as a description for {@link HttpGateway}.
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
 * Matches the answers that other integrations report. Any other answer is unknown. So is a failure count,
 * because the operator does not document that nothing was sent. Add the answers that your contract documents
 * to `outcomes`.
 */
export const description: HttpGateway.Description = {
  name: "banglalink",
  request: {
    url: "https://vas.banglalink.net/sendSMS/sendSMS",
    body: {
      form: {
        userID: "{user_id}",
        passwd: "{password}",
        sender: "{sender}",
        msisdn: "{to}",
        message: "{text}",
      },
    },
  },
  recipient: "digits",
  secrets: ["password"],
  values: { user_id: "" },
  outcomes: [
    {
      when: { matches: "^\\s*Success Count\\s*:\\s*1\\s+and\\s+Fail Count\\s*:\\s*0\\s*$" },
      means: "accepted",
    },
    { when: { matches: "wrong (user|password)" }, means: "account" },
  ],
  // One sentence of plain text; an HTML page has no match.
  message: { pattern: "^\\s*([^<]+)" },
}

export interface Options {
  readonly userId: string
  readonly password: Redacted.Redacted
  /** The sender of every message. @defaultValue the message's own sender */
  readonly sender?: string | undefined
  /** Fields that replace those of {@link description} for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** Name of the gateway. @defaultValue `banglalink` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
}

const optionsOf = (options: Options): HttpGateway.Options => ({
  description: { ...description, ...options.description },
  secrets: { password: options.password },
  values: {
    user_id: options.userId,
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
 * Environment variables that {@link layerConfig} reads: BANGLALINK_USER_ID, BANGLALINK_PASSWORD,
 * BANGLALINK_SENDER.
 */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(
  description,
  "BANGLALINK",
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
