/**
 * Banglalink, for holders of a contract with the operator, as a description for {@link HttpGateway}.
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
 * The answers are the sentences that others have seen. What is none of them is unknown, and so is one
 * failure: nobody documents that nothing was sent then. What your contract says belongs into `outcomes`.
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
  // One sentence, and no page of somebody else's.
  message: { pattern: "^\\s*([^<]+)" },
}

export interface Options {
  readonly userId: string
  readonly password: Redacted.Redacted
  /** The sender of every message; the message's own sender when left out. */
  readonly sender?: string | undefined
  /** Parts of the description that are different for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** `banglalink` when left out. */
  readonly name?: string | undefined
  /** 15,000 when left out. */
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

/** Makes the adapter. A description that was changed so that it makes no sense is a defect. */
export const make = (options: Options): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
  Effect.orDie(HttpGateway.make(optionsOf(options)))

/** The engine's gateway. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  Layer.orDie(HttpGateway.layer(optionsOf(options)))

/** What {@link layerConfig} reads: BANGLALINK_USER_ID, BANGLALINK_PASSWORD, BANGLALINK_SENDER. */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(
  description,
  "BANGLALINK",
)

/** Like {@link layer}, with options from the environment. What is given here wins. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
