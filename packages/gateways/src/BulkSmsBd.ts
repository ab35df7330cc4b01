/**
 * BulkSMSBD: SMS in Bangladesh.
 *
 * https://bulksmsbd.net
 */
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
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
import { defaultTimeoutMillis, layerOf, plainCapabilities, pushing } from "./internal/adapter.ts"
import type { Answer } from "./internal/exchange.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { type RefusalClass, refusalOf, sendTo, type Words } from "./internal/smsVendor.ts"

export interface Options {
  readonly apiKey: Redacted.Redacted
  /** The sender of every message. @defaultValue the message's own sender */
  readonly senderId?: string | undefined
  /** Meanings of error codes that override or extend the built-in table: `{ 1032: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** Name of the gateway. @defaultValue `bulksmsbd` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
  /** Base URL of the vendor's API. @defaultValue `https://bulksmsbd.net` */
  readonly baseUrl?: string | undefined
}

/** Makes the adapter. */
export const make: (options: Options) => Effect.Effect<Adapter, never, HttpClient.HttpClient> =
  Effect.fnUntraced(function* (options: Options) {
    const { apiKey, baseUrl = "https://bulksmsbd.net", senderId } = options
    const codes = new Map([
      ...documented,
      ...Object.entries(options.codes ?? {}).map(([code, kind]) => [Number(code), kind] as const),
    ])
    // POST only. The vendor also offers GET, which would put the key and the code into the URL.
    const post = HttpClientRequest.post(`${baseUrl}/api/smsapi`).pipe(HttpClientRequest.acceptJson)
    return pushing(
      {
        name: options.name ?? "bulksmsbd",
        capabilities: {
          ...plainCapabilities,
          reports: "none",
          timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
        },
        send: sendTo({
          client: yield* HttpClient.HttpClient,
          secrets: [apiKey],
          requestOf: ({ sender, text, to }) =>
            HttpClientRequest.bodyUrlParams(post, {
              api_key: Redacted.value(apiKey),
              type: "text",
              number: PhoneNumber.digits(to),
              senderid: senderId ?? sender,
              message: Redacted.value(text),
            }),
          outcomeOf: (answer, message, words) => outcomeOf(codes, answer, message, words),
        }),
      },
      undefined,
    )
  })

/** Provides the gateway to the engine. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  layerOf(make(options))

/**
 * Environment variables that {@link layerConfig} reads: BULKSMSBD_API_KEY, BULKSMSBD_SENDER_ID,
 * BULKSMSBD_BASE_URL.
 */
export const config: Config.Config<Options> = Config.map(
  Config.all({
    apiKey: Config.Redacted("BULKSMSBD_API_KEY"),
    senderId: Config.option(Config.NonEmptyString("BULKSMSBD_SENDER_ID")),
    baseUrl: Config.option(Config.NonEmptyString("BULKSMSBD_BASE_URL")),
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

const OptionalText = Schema.optional(Schema.NullOr(Schema.String))

// The content type is sometimes text/plain, so the adapter parses every body as JSON.
const Body = Schema.Struct({
  response_code: Schema.Union([Schema.Number, Schema.NumberFromString]),
  message_id: Schema.optional(Schema.NullOr(Schema.Union([Schema.Number, Schema.String]))),
  success_message: OptionalText,
  error_message: OptionalText,
})
const readBody = Schema.decodeUnknownOption(Body)

const submitted = 202

const documented: ReadonlyMap<number, RefusalClass> = new Map([
  [1001, "recipient"],
  [1002, "sender"],
  [1003, "account"],
  // An internal error. The vendor does not say whether the message was sent.
  [1005, "unknown"],
  [1006, "account"],
  [1007, "account"],
  [1011, "account"],
  // Text under a sender name has to be in Bangla.
  [1012, "content"],
  [1013, "sender"],
  [1014, "sender"],
  [1015, "sender"],
  [1016, "account"],
  [1017, "account"],
  [1018, "account"],
  [1019, "account"],
  [1020, "account"],
  [1021, "account"],
  // Not in the vendor's table, but seen by other integrations: unverified account, unlisted server IP.
  [1031, "account"],
  [1032, "account"],
])

const outcomeOf = (
  codes: ReadonlyMap<number, RefusalClass>,
  answer: Answer,
  message: GatewayMessage,
  words: Words,
): GatewayOutcome => {
  const body = Option.getOrUndefined(readBody(answer.json))
  if (body === undefined) return Outcomes.unreadable(answer.status)
  const { error_message, message_id, response_code: code } = body
  if (code === submitted) {
    return { _tag: "Accepted", gatewayId: String(message_id ?? message.token) }
  }
  return refusalOf(codes.get(code) ?? "unknown", words(`${code}: ${error_message ?? ""}`))
}
