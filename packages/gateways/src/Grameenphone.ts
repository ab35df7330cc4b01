/** Grameenphone's CMP, for customers with an operator contract, as a description for {@link HttpGateway}. */
import * as Config from "effect/Config"
import type * as Redacted from "effect/Redacted"
import type { HttpDescription } from "./HttpDescription.ts"
import * as HttpGateway from "./HttpGateway.ts"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import type { GrameenphoneOptions } from "./VendorOptions.ts"

/**
 * The operator publishes no table of error codes, so every answer except success is unknown. Add the codes
 * that your contract documents to `outcomes`.
 */
export const description: HttpDescription = {
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

export type Options = GrameenphoneOptions<Redacted.Redacted>

/** Makes the adapter. Dies if `options.description` makes the description invalid. */
export const make = HttpGateway.preset(description, ({ apicode, password, username }: Options) => ({
  secrets: { password },
  values: { username, apicode },
}))

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  username: Config.NonEmptyString("GRAMEENPHONE_USERNAME"),
  password: Config.Redacted("GRAMEENPHONE_PASSWORD"),
  apicode: optionalText("GRAMEENPHONE_APICODE"),
  sender: optionalText("GRAMEENPHONE_SENDER"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)
