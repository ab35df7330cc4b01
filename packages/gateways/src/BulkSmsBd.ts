/**
 * BulkSMSBD: SMS in Bangladesh.
 *
 * https://bulksmsbd.net
 */
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Config from "effect/Config"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import { byCode, make as httpVendor, type Vendor } from "./HttpVendor.ts"
import { decoder } from "./internal/json.ts"
import { bulkSmsBd as errorMeanings } from "./internal/meanings.ts"
import * as Outcomes from "./internal/outcomes.ts"
import type { BulkSmsBdOptions, RefusalClass } from "./VendorOptions.ts"

export type Options = BulkSmsBdOptions<Redacted.Redacted>

/** Makes the adapter. */
export const make = (options: Options) => {
  const { apiKey, baseUrl = "https://bulksmsbd.net", codes, senderId } = options
  // POST only. The vendor also offers GET, which would put the key and the code into the URL.
  const post = HttpClientRequest.post(`${baseUrl}/api/smsapi`).pipe(HttpClientRequest.acceptJson)
  return httpVendor(options, {
    meanings: errorMeanings,
    name: "bulksmsbd",
    secrets: [apiKey],
    requestOf: ({ sender, text, phoneNumber }) =>
      HttpClientRequest.bodyUrlParams(post, {
        api_key: Redacted.value(apiKey),
        type: "text",
        number: PhoneNumber.digits(phoneNumber),
        senderid: senderId ?? sender,
        message: Redacted.value(text),
      }),
    outcomeOf: outcomeOf(codes),
  })
}

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  apiKey: Config.Redacted("BULKSMSBD_API_KEY"),
  senderId: optionalText("BULKSMSBD_SENDER_ID"),
  baseUrl: optionalText("BULKSMSBD_BASE_URL"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

// The content type is sometimes text/plain, so the adapter parses every body as JSON.
const readBody = decoder(
  Schema.Struct({
    response_code: Schema.Union([Schema.Number, Schema.NumberFromString]),
    message_id: Schema.optional(Schema.NullOr(Schema.Union([Schema.Number, Schema.String]))),
    error_message: Schema.optional(Schema.NullOr(Schema.String)),
  }),
)

const meanings = byCode<RefusalClass>([
  ["recipient", [1001]],
  ["sender", [1002, 1013, 1014, 1015]],
  ["account", [1003, 1006, 1007, 1011, 1016, 1017, 1018, 1019, 1020, 1021]],
  // Not in the vendor's table, but seen by other integrations: unverified account, unlisted server IP.
  ["account", [1031, 1032]],
  // Text under a sender name has to be in Bangla.
  ["content", [1012]],
  // An internal error. The vendor does not say whether the message was sent.
  ["unknown", [1005]],
])

const outcomeOf =
  (codes: Options["codes"]): Vendor["outcomeOf"] =>
  (answer, message, words) => {
    const body = readBody(answer.json)
    if (body === undefined) return Outcomes.unreadable(answer.status)
    const { error_message, message_id, response_code: code } = body
    if (code === 202) {
      return { _tag: "Accepted", gatewayId: String(message_id ?? message.token) }
    }
    const kind = codes?.[code] ?? meanings.get(code) ?? "unknown"
    return Outcomes.withCode(Outcomes.refusal(kind, words(`${code}: ${error_message ?? ""}`)), code)
  }
