/**
 * SSL Wireless SMS Plus (iSMS), interface version 3: SMS in Bangladesh.
 *
 * https://github.com/sslw/ismsplus_api
 */
import { type GatewayOutcome, isAccepted } from "@countersign/core/domain/messages/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Config from "effect/Config"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import { millis } from "./internal/durations.ts"
import { byCode, make as httpVendor, type Vendor } from "./HttpVendor.ts"
import { decoder } from "./internal/json.ts"
import { sslWireless as errorMeanings } from "./internal/meanings.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { tokenTail } from "./internal/ref.ts"
import type { SslWirelessOptions, RefusalClass } from "./VendorOptions.ts"

/** Longest `csms_id`, as other integrations quote it from the vendor's document. */
const csmsIdLength = 20

export type Options = SslWirelessOptions<Redacted.Redacted>

/** Makes the adapter. */
export const make = (options: Options) => {
  const { apiToken, baseUrl = "https://smsplus.sslwireless.com", sid, tokenLifetime } = options
  const post = HttpClientRequest.acceptJson(HttpClientRequest.post(`${baseUrl}/api/v3/send-sms`))
  return httpVendor(options, {
    meanings: errorMeanings,
    name: "ssl-wireless",
    capabilities: { tokenMillis: millis("tokenLifetime", tokenLifetime) ?? 0 },
    secrets: [apiToken],
    requestOf: ({ sender, text, phoneNumber, token }) =>
      HttpClientRequest.bodyJsonUnsafe(post, {
        api_token: Redacted.value(apiToken),
        sid: sid ?? sender,
        msisdn: PhoneNumber.digits(phoneNumber),
        sms: Redacted.value(text),
        csms_id: tokenTail(token, csmsIdLength),
      }),
    outcomeOf,
  })
}

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  apiToken: Config.Redacted("SSL_WIRELESS_API_TOKEN"),
  sid: optionalText("SSL_WIRELESS_SID"),
  baseUrl: optionalText("SSL_WIRELESS_BASE_URL"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

/** One message of the answer. `sms_body` repeats the text and is not read. */
const Info = Schema.Struct({
  sms_status: Schema.String,
  status_message: Schema.optional(Schema.NullOr(Schema.String)),
  csms_id: Schema.optional(Schema.NullOr(Schema.String)),
  reference_id: Schema.optional(Schema.NullOr(Schema.String)),
})

const readBody = decoder(
  Schema.Struct({
    status: Schema.String,
    status_code: Schema.optional(Schema.Union([Schema.Number, Schema.String])),
    error_message: Schema.optional(Schema.NullOr(Schema.String)),
    smsinfo: Schema.optional(Schema.NullOr(Schema.Array(Info))),
  }),
)

const outcomeOf: Vendor["outcomeOf"] = (answer, message, words) => {
  const body = readBody(answer.json)
  if (body === undefined) return Outcomes.unreadable(answer.status)
  const code = body.status_code === undefined ? "" : `${body.status_code}: `
  const [info, ...others] = body.smsinfo ?? []
  if (body.status === "FAILED") {
    const said = body.error_message ?? info?.status_message ?? "FAILED"
    const known = byStatus.get(Number(body.status_code))
    const refused = refusal(said, words(`${code}${said}`), message, "account", known)
    return isAccepted(refused) ? refused : Outcomes.withCode(refused, body.status_code)
  }
  // The request sent one message, so the answer has one entry.
  if (body.status !== "SUCCESS" || info === undefined || others.length > 0) {
    return Outcomes.unreadable(answer.status)
  }
  switch (info.sms_status) {
    case "SUCCESS":
      return {
        _tag: "Accepted",
        gatewayId: info.reference_id ?? info.csms_id ?? tokenTail(message.token, csmsIdLength),
      }
    case "FAILED": {
      const said = info.status_message ?? "FAILED"
      return refusal(said, words(said), message, "unknown")
    }
    default:
      return Outcomes.unknown(words(`Status ${info.sms_status}`))
  }
}

const seenBefore = /csms.*(duplicate|already|exist|unique)|(duplicate|already|unique).*csms/i

/** Texts that do not say whether the message was sent. */
const doubtful = /time ?-?out|\binternal\b|try again|server error|duplicate|already|unique/i

/** Codes whose meaning the text of the answer does not show. Two integrations agree on them. */
const byStatus = byCode<RefusalClass>([
  ["content", [4028]],
  ["throttled", [4029, 4031]],
  ["unknown", [5000]],
])

/** Reasons by text; the first match decides. The vendor publishes no table of its codes. */
const reasons = [
  [/balance|quota|credit|recharge/i, "account"],
  // Before the patterns for lists: a listed phone number is not a fault of the account.
  [/msisdn|mobile|phone|recipient/i, "recipient"],
  [/\bip\b|token|auth|permission|(black|white) ?list|inactive|suspend|disabled/i, "account"],
  [/\bsid\b|stakeholder|sender|mask/i, "sender"],
  [/content|message body|sms body|length|too long|spam/i, "content"],
] as const

const refusal = (
  said: string,
  kept: string,
  { token }: GatewayMessage,
  otherwise: RefusalClass,
  known?: RefusalClass,
): GatewayOutcome => {
  if (seenBefore.test(said)) {
    // The previous dispatch has arrived, even if its answer was lost.
    return { _tag: "Accepted", gatewayId: tokenTail(token, csmsIdLength) }
  }
  const reason = reasons.find(([pattern]) => pattern.test(said))?.[1]
  return Outcomes.refusal(known ?? (doubtful.test(said) ? "unknown" : (reason ?? otherwise)), kept)
}
