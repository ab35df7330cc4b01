/** Banglalink, for customers with an operator contract, as a description for {@link HttpGateway}. */
import * as Config from "effect/Config"
import type * as Redacted from "effect/Redacted"
import type { HttpDescription } from "./HttpDescription.ts"
import * as HttpGateway from "./HttpGateway.ts"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import type { BanglalinkOptions } from "./VendorOptions.ts"

/**
 * Matches the answers that other integrations report. Any other answer is unknown. So is a failure count,
 * because the operator does not document that nothing was sent. Add the answers that your contract documents
 * to `outcomes`.
 */
export const description: HttpDescription = {
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

export type Options = BanglalinkOptions<Redacted.Redacted>

/** Makes the adapter. Dies if `options.description` makes the description invalid. */
export const make = HttpGateway.preset(description, ({ password, userId }: Options) => ({
  secrets: { password },
  values: { user_id: userId },
}))

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  userId: Config.NonEmptyString("BANGLALINK_USER_ID"),
  password: Config.Redacted("BANGLALINK_PASSWORD"),
  sender: optionalText("BANGLALINK_SENDER"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)
