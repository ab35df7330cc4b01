/** Robi and Airtel in Bangladesh, for customers with an operator contract, as a description for {@link HttpGateway}. */
import * as Config from "effect/Config"
import type * as Redacted from "effect/Redacted"
import type { HttpDescription } from "./HttpDescription.ts"
import * as HttpGateway from "./HttpGateway.ts"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import type { RobiOptions } from "./VendorOptions.ts"

/**
 * Matches the XML answers that other integrations report. The operator publishes no table of error codes, so
 * every code except 0 is unknown. Add the codes that your contract documents to `outcomes`.
 */
export const description: HttpDescription = {
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

export type Options = RobiOptions<Redacted.Redacted>

/** Makes the adapter. Dies if `options.description` makes the description invalid. */
export const make = HttpGateway.preset(description, ({ password, username }: Options) => ({
  secrets: { password },
  values: { username },
}))

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  username: Config.NonEmptyString("ROBI_USERNAME"),
  password: Config.Redacted("ROBI_PASSWORD"),
  sender: optionalText("ROBI_SENDER"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)
