/**
 * Alpha SMS (sms.net.bd): SMS in Bangladesh.
 *
 * https://www.sms.net.bd/api
 */
import type { Gateway } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Adapter } from "./Adapter.ts"
import { defaultTimeoutMillis, layerOf, plainCapabilities } from "./internal/adapter.ts"
import { type Answer, exchange } from "./internal/exchange.ts"
import * as Outcomes from "./internal/outcomes.ts"
import * as Poller from "./internal/poller.ts"
import { rawWords } from "./internal/vendorWords.ts"
import { type RefusalClass, refusalOf, sendTo, type Words } from "./internal/smsVendor.ts"

export interface Options {
  readonly apiKey: Redacted.Redacted
  /**
   * The sender of every message. `null`: the account's default sender.
   * @defaultValue the message's own sender
   */
  readonly senderId?: string | null | undefined
  /**
   * Whether `Sent` in a report that is `Complete` means delivered. `false`: it means accepted, and polling
   * continues. The default is `true` because the vendor documents no other status.
   * @defaultValue `true`
   */
  readonly sentIsDelivered?: boolean | undefined
  /** When the adapter polls for reports. @defaultValue 5 seconds to 10 minutes apart, for a day */
  readonly poll?: Partial<Poller.PollPlan> | undefined
  /** Meanings of error codes that override or extend the built-in table: `{ 421: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** Name of the gateway. @defaultValue `alpha-sms` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
  /** Base URL of the vendor's API. @defaultValue `https://api.sms.net.bd` */
  readonly baseUrl?: string | undefined
}

/** Makes the adapter. It polls for reports while the gateway's `reports` stream is read. */
export const make: (options: Options) => Effect.Effect<Adapter, never, HttpClient.HttpClient> =
  Effect.fnUntraced(function* (options: Options) {
    const { apiKey, baseUrl = "https://api.sms.net.bd", senderId, sentIsDelivered = true } = options
    const client = yield* HttpClient.HttpClient
    const codes = new Map([
      ...documented,
      ...Object.entries(options.codes ?? {}).map(([code, kind]) => [Number(code), kind] as const),
    ])
    const poller = yield* Poller.make(
      { ...Poller.defaultPollPlan, ...options.poll },
      ({ gatewayId }: Poller.PolledMessage) =>
        Effect.map(
          exchange(client, HttpClientRequest.get(reportUrl(baseUrl, gatewayId, apiKey))),
          (answer) => {
            if (answer._tag !== "Answer") return undefined
            const said = statusOf(answer, sentIsDelivered)
            return said && { ...said, raw: rawWords(answer.text, [apiKey]) }
          },
        ),
    )
    const post = HttpClientRequest.post(`${baseUrl}/sendsms`).pipe(HttpClientRequest.acceptJson)
    const sender = (own: string) => (senderId === undefined ? own : senderId)
    const send = sendTo({
      client,
      secrets: [apiKey],
      requestOf: (message) => {
        const from = sender(message.sender)
        return HttpClientRequest.bodyUrlParams(post, {
          api_key: Redacted.value(apiKey),
          msg: Redacted.value(message.text),
          to: PhoneNumber.digits(message.to),
          ...(from === null ? undefined : { sender_id: from }),
        })
      },
      outcomeOf: (answer, _message, words) => outcomeOf(codes, answer, words),
    })
    return Poller.polling(
      {
        name: options.name ?? "alpha-sms",
        capabilities: {
          ...plainCapabilities,
          timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
        },
        send,
      },
      poller,
      ({ ref }, gatewayId) => ({ ref, gatewayId }),
    )
  })

/** Provides the gateway to the engine. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  layerOf(make(options))

/**
 * Environment variables that {@link layerConfig} reads: ALPHA_SMS_API_KEY, ALPHA_SMS_SENDER_ID,
 * ALPHA_SMS_BASE_URL.
 */
export const config: Config.Config<Options> = Config.map(
  Config.all({
    apiKey: Config.Redacted("ALPHA_SMS_API_KEY"),
    senderId: Config.option(Config.NonEmptyString("ALPHA_SMS_SENDER_ID")),
    baseUrl: Config.option(Config.NonEmptyString("ALPHA_SMS_BASE_URL")),
  }),
  ({ apiKey, baseUrl, senderId }) => ({
    apiKey,
    senderId: Option.getOrUndefined(senderId),
    baseUrl: Option.getOrUndefined(baseUrl),
  }),
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(config, (read) => layer({ ...read, ...options })))

const Id = Schema.Union([Schema.Number, Schema.NonEmptyString])

const Body = Schema.Struct({
  error: Schema.Union([Schema.Number, Schema.NumberFromString]),
  msg: Schema.optional(Schema.NullOr(Schema.String)),
  data: Schema.optional(Schema.Unknown),
})
const readBody = Schema.decodeUnknownOption(Body)

const readSubmitted = Schema.decodeUnknownOption(Schema.Struct({ request_id: Id }))

const documented: ReadonlyMap<number, RefusalClass> = new Map([
  [400, "content"],
  [403, "account"],
  [404, "account"],
  [405, "account"],
  // An error of the vendor's server. The vendor does not say whether the message was sent.
  [409, "unknown"],
  [410, "account"],
  [411, "account"],
  [412, "content"],
  [413, "sender"],
  [414, "content"],
  [415, "content"],
  [416, "recipient"],
  [417, "account"],
  // The vendor's texts name either 418 or 420 for blocked content.
  [418, "content"],
  [420, "content"],
  // Before its first recharge, an account can only send to its own number.
  [421, "account"],
])

const outcomeOf = (
  codes: ReadonlyMap<number, RefusalClass>,
  answer: Answer,
  words: Words,
): GatewayOutcome => {
  const body = Option.getOrUndefined(readBody(answer.json))
  if (body === undefined) return Outcomes.unreadable(answer.status)
  if (body.error !== 0) {
    return refusalOf(codes.get(body.error) ?? "unknown", words(`${body.error}: ${body.msg ?? ""}`))
  }
  const taken = Option.getOrUndefined(readSubmitted(body.data))
  return taken === undefined
    ? Outcomes.unreadable(answer.status)
    : { _tag: "Accepted", gatewayId: String(taken.request_id) }
}

// The vendor requires the key in the URL. `exchange` keeps URLs out of spans.
const reportUrl = (baseUrl: string, requestId: string, apiKey: Redacted.Redacted): string =>
  `${baseUrl}/report/request/${encodeURIComponent(requestId)}/?api_key=${encodeURIComponent(Redacted.value(apiKey))}`

const readReport = Schema.decodeUnknownOption(
  Schema.Struct({
    request_status: Schema.optional(Schema.NullOr(Schema.String)),
    recipients: Schema.Array(Schema.Struct({ status: Schema.String })),
  }),
)

/** Status words of such reports, by meaning. The vendor documents only `Sent`. */
const words = {
  delivered: new Set(["delivered", "delivrd"]),
  undelivered: new Set(["undelivered", "undeliv", "expired"]),
  failed: new Set(["failed", "fail", "rejected", "blocked", "cancelled"]),
}

const statusOf = (answer: Answer, sentIsDelivered: boolean): Poller.VendorStatus | undefined => {
  const body = Option.getOrUndefined(readBody(answer.json))
  if (!Outcomes.isSuccess(answer.status) || body?.error !== 0) return undefined
  const report = Option.getOrUndefined(readReport(body.data))
  // The request sent one message, so the report has one recipient.
  const status = report?.recipients.length === 1 ? report.recipients[0]?.status : undefined
  if (status === undefined) return undefined
  const word = status.trim().toLowerCase()
  const detail = /^[\w -]{1,40}$/.test(word) ? status.trim() : null
  if (words.delivered.has(word)) return { status: "delivered", detail, isFinal: true }
  if (words.undelivered.has(word)) return { status: "undelivered", detail, isFinal: true }
  if (words.failed.has(word)) return { status: "failed", detail, isFinal: true }
  const isComplete = report?.request_status?.trim().toLowerCase() === "complete"
  return word === "sent" && isComplete && sentIsDelivered
    ? { status: "delivered", detail, isFinal: true }
    : { status: "accepted", detail, isFinal: false }
}
