/**
 * Alpha SMS (sms.net.bd): SMS in Bangladesh.
 *
 * https://www.sms.net.bd/api
 */
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import { type Answer, lookUp } from "./internal/exchange.ts"
import { byCode, make as httpVendor, type Vendor } from "./HttpVendor.ts"
import { decoder, fieldsAt } from "./internal/json.ts"
import { alphaSms as errorMeanings } from "./internal/meanings.ts"
import * as Outcomes from "./internal/outcomes.ts"
import * as Poller from "./internal/poller.ts"
import type { AlphaSmsOptions, RefusalClass } from "./VendorOptions.ts"

export type Options = AlphaSmsOptions<Redacted.Redacted>

/** Makes the adapter. It polls for reports while the gateway's `reports` stream is read. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { apiKey, baseUrl = "https://api.sms.net.bd", senderId, sentIsDelivered = true } = options
  const client = yield* HttpClient.HttpClient
  const poller = yield* Poller.make(options.poll, ({ gatewayId }: Poller.PolledMessage) =>
    lookUp(client, HttpClientRequest.get(reportUrl(baseUrl, gatewayId, apiKey)), (answer) => {
      const said = statusOf(answer, sentIsDelivered)
      return said && { ...said, evidence: fieldsAt(answer.json, keptFields) }
    }),
  )
  const post = HttpClientRequest.post(`${baseUrl}/sendsms`).pipe(HttpClientRequest.acceptJson)
  const pushing = yield* httpVendor(options, {
    meanings: errorMeanings,
    name: "alpha-sms",
    secrets: [apiKey],
    requestOf: ({ phoneNumber, sender, text }) =>
      HttpClientRequest.bodyUrlParams(post, {
        api_key: Redacted.value(apiKey),
        msg: Redacted.value(text),
        to: PhoneNumber.digits(phoneNumber),
        sender_id: senderId === null ? undefined : (senderId ?? sender),
      }),
    outcomeOf: outcomeOf(options.codes),
  })
  return Poller.polling(pushing, poller, Poller.byGatewayId)
})

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  apiKey: Config.Redacted("ALPHA_SMS_API_KEY"),
  senderId: optionalText("ALPHA_SMS_SENDER_ID"),
  baseUrl: optionalText("ALPHA_SMS_BASE_URL"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

const readBody = decoder(
  Schema.Struct({
    error: Schema.Union([Schema.Number, Schema.NumberFromString]),
    msg: Schema.optional(Schema.NullOr(Schema.String)),
    data: Schema.optional(Schema.Unknown),
  }),
)

const readSubmitted = decoder(
  Schema.Struct({ request_id: Schema.Union([Schema.Number, Schema.NonEmptyString]) }),
)

const meanings = byCode<RefusalClass>([
  ["account", [403, 404, 405, 410, 411, 417]],
  // Before its first recharge, an account can only send to its own number.
  ["account", [421]],
  ["content", [400, 412, 414, 415]],
  // The vendor's texts name either 418 or 420 for blocked content.
  ["content", [418, 420]],
  ["sender", [413]],
  ["recipient", [416]],
  // An error of the vendor's server. The vendor does not say whether the message was sent.
  ["unknown", [409]],
])

const outcomeOf =
  (codes: Options["codes"]): Vendor["outcomeOf"] =>
  (answer, _message, words) => {
    const body = readBody(answer.json)
    if (body === undefined) return Outcomes.unreadable(answer.status)
    if (body.error !== 0) {
      const kind = codes?.[body.error] ?? meanings.get(body.error) ?? "unknown"
      const refused = Outcomes.refusal(kind, words(`${body.error}: ${body.msg ?? ""}`))
      return Outcomes.withCode(refused, body.error)
    }
    const taken = readSubmitted(body.data)
    return taken === undefined
      ? Outcomes.unreadable(answer.status)
      : { _tag: "Accepted", gatewayId: String(taken.request_id) }
  }

// The vendor requires the key in the URL. `exchange` keeps URLs out of spans.
const reportUrl = (baseUrl: string, requestId: string, apiKey: Redacted.Redacted): string =>
  `${baseUrl}/report/request/${encodeURIComponent(requestId)}/?api_key=${encodeURIComponent(Redacted.value(apiKey))}`

const keptFields = [
  "error",
  "data.request_id",
  "data.request_status",
  "data.request_charge",
  "data.recipients[0].status",
  "data.recipients[0].charge",
]

const readReport = decoder(
  Schema.Struct({
    request_status: Schema.optional(Schema.NullOr(Schema.String)),
    recipients: Schema.Array(Schema.Struct({ status: Schema.String })),
  }),
)

/** Final status words of such reports. The vendor documents only `Sent`. */
const finals = byCode<ReportStatus, string>([
  ["delivered", ["delivered", "delivrd"]],
  ["undelivered", ["undelivered", "undeliv", "expired"]],
  ["failed", ["failed", "fail", "rejected", "blocked", "cancelled"]],
])

const statusOf = (answer: Answer, sentIsDelivered: boolean): Poller.VendorStatus | undefined => {
  const body = readBody(answer.json)
  if (!Outcomes.isSuccess(answer.status) || body?.error !== 0) return undefined
  const report = readReport(body.data)
  // The request sent one message, so the report has one recipient.
  const status = report?.recipients.length === 1 ? report.recipients[0]?.status : undefined
  if (status === undefined) return undefined
  const word = status.trim().toLowerCase()
  const detail = /^[\w -]{1,40}$/.test(word) ? status.trim() : null
  const isComplete = report?.request_status?.trim().toLowerCase() === "complete"
  const isSent = word === "sent" && isComplete && sentIsDelivered
  const final = isSent ? "delivered" : finals.get(word)
  return { status: final ?? "accepted", detail, isFinal: final !== undefined }
}
