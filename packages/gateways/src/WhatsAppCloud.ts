/**
 * WhatsApp through Meta's own Cloud API.
 *
 * Codes are sent with an authentication template, whose text is Meta's. Copy code, one-tap and zero-tap use
 * the same request.
 *
 * https://developers.facebook.com/docs/whatsapp/cloud-api
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome, ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Config from "effect/Config"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Adapter, Callback, CallbackOutcome } from "./Adapter.ts"
import {
  defaultTimeoutMillis,
  layerOf,
  malformed,
  plainCapabilities,
  pushing,
  refused,
} from "./internal/adapter.ts"
import { type Answer, exchange } from "./internal/exchange.ts"
import { isUnreachable, pairWaitMillis, reasonOf, refusalOf } from "./internal/metaCodes.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, readRef } from "./internal/ref.ts"
import { sameText, verifier, type Verify } from "./internal/signing.ts"
import { asRaw } from "./internal/raw.ts"
import { reportWords, vendorWords } from "./internal/vendorWords.ts"

/** A template of the business account. */
export interface Template {
  readonly name: string
  /** Meta's language code per locale. @defaultValue `{ "en-us": "en_US", "bn-bd": "bn" }` */
  readonly languages?: Readonly<Record<string, string>> | undefined
}

/** A template whose body has one parameter, the text. */
export interface MessageTemplate {
  readonly name: string
  /** Meta's language code: `en_US`. */
  readonly language: string
}

export interface Options {
  /** Token of a system user with the permission `whatsapp_business_messaging`. */
  readonly accessToken: Redacted.Redacted
  /** Id of the phone number that sends the messages, not its digits. */
  readonly phoneNumberId: string
  /** Ids of further phone numbers, by the message's sender. Other senders use `phoneNumberId`. */
  readonly profiles?: Readonly<Record<string, string>> | undefined
  /** The authentication template of codes. */
  readonly template: Template
  /**
   * How messages other than codes are sent. `text` is plain text, which Meta accepts only within 24 hours of
   * the recipient's last message.
   * @defaultValue `text`
   */
  readonly messages?: "text" | MessageTemplate | undefined
  /** Verifies the reports. */
  readonly appSecret: Redacted.Redacted
  /** The verify token of the webhook's setup. `undefined`: the webhook cannot be set up. */
  readonly verifyToken?: Redacted.Redacted | undefined
  /** Version of the Graph API. @defaultValue `v25.0` */
  readonly version?: string | undefined
  /** Name of the gateway. @defaultValue `whatsapp-cloud` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
  /** Base URL of the vendor's API. @defaultValue `https://graph.facebook.com` */
  readonly baseUrl?: string | undefined
}

/** Makes the adapter. Dies if the app secret is empty. */
export const make: (
  options: Options,
) => Effect.Effect<Adapter, never, HttpClient.HttpClient | Mac.Mac> = Effect.fnUntraced(function* (
  options: Options,
) {
  const client = yield* HttpClient.HttpClient
  const verify = yield* verifier(Mac.hmacSha256, options.appSecret)
  const name = options.name ?? "whatsapp-cloud"
  const send = (message: GatewayMessage): Effect.Effect<GatewayOutcome> => {
    const content = contentOf(options, message)
    if (typeof content === "string") return Effect.succeed(Outcomes.unsupported(content))
    const request = HttpClientRequest.bodyJsonUnsafe(requestFrom(options, message.sender), {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: PhoneNumber.digits(message.to),
      biz_opaque_callback_data: markedRef(message),
      ...content,
    })
    return Effect.map(exchange(client, request), (answer) =>
      answer._tag === "Answer" ? outcomeOf(options, message, answer) : answer,
    )
  }
  return pushing(
    {
      name,
      capabilities: {
        ...plainCapabilities,
        pairMillis: pairWaitMillis,
        timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
      },
      send,
    },
    callback(name, verify, options.verifyToken),
  )
})

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = (
  options: Options,
): Layer.Layer<Gateway, never, HttpClient.HttpClient | Mac.Mac> => layerOf(make(options))

/**
 * Environment variables that {@link layerConfig} reads: WHATSAPP_ACCESS_TOKEN, WHATSAPP_PHONE_NUMBER_ID and
 * those below.
 */
export const config: Config.Config<Options> = Config.map(
  Config.all({
    accessToken: Config.Redacted("WHATSAPP_ACCESS_TOKEN"),
    phoneNumberId: Config.NonEmptyString("WHATSAPP_PHONE_NUMBER_ID"),
    template: Config.NonEmptyString("WHATSAPP_TEMPLATE"),
    appSecret: Config.Redacted("WHATSAPP_APP_SECRET"),
    verifyToken: Config.option(Config.Redacted("WHATSAPP_VERIFY_TOKEN")),
    version: Config.option(Config.NonEmptyString("WHATSAPP_API_VERSION")),
  }),
  ({ template, verifyToken, version, ...read }) => ({
    ...read,
    template: { name: template },
    verifyToken: Option.getOrUndefined(verifyToken),
    version: Option.getOrUndefined(version),
  }),
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient | Mac.Mac> =>
  Layer.unwrap(Effect.map(config, (read) => layer({ ...read, ...options })))

const requestFrom = (options: Options, sender: string): HttpClientRequest.HttpClientRequest => {
  const { baseUrl = "https://graph.facebook.com", version = "v25.0" } = options
  const from = options.profiles?.[sender] ?? options.phoneNumberId
  return HttpClientRequest.post(`${baseUrl}/${version}/${encodeURIComponent(from)}/messages`).pipe(
    HttpClientRequest.bearerToken(options.accessToken),
    HttpClientRequest.acceptJson,
  )
}

const defaultLanguages: Readonly<Record<string, string>> = { "en-us": "en_US", "bn-bd": "bn" }

/** The content of a request, in Meta's field names. */
type Content = Readonly<Record<string, unknown>>

const parameters = (text: string) => [{ type: "text", text }]

/** Returns the content of the request, or the reason why it cannot be made. */
const contentOf = (options: Options, message: GatewayMessage): Content | string => {
  if (message.channel !== "whatsapp") return "This gateway carries WhatsApp only"
  if (message.purpose === "verification") return authentication(options.template, message)
  const { messages = "text" } = options
  const text = Redacted.value(message.text)
  if (messages === "text") {
    return { type: "text", text: { body: text, preview_url: false } }
  }
  return {
    type: "template",
    template: {
      name: messages.name,
      language: { code: messages.language },
      components: [{ type: "body", parameters: parameters(text) }],
    },
  }
}

const authentication = (
  { languages = defaultLanguages, name }: Template,
  { code, locale = "" }: GatewayMessage,
): Content | string => {
  const language = languages[locale]
  if (code === undefined) return "The template needs a code"
  if (language === undefined) return `No template for the language ${locale}`
  const filled = parameters(Redacted.value(code))
  return {
    type: "template",
    template: {
      name,
      language: { code: language },
      // The code appears twice: in the body, and in the button that copies or fills it in.
      components: [
        { type: "body", parameters: filled },
        { type: "button", sub_type: "url", index: "0", parameters: filled },
      ],
    },
  }
}

const readTaken = Schema.decodeUnknownOption(
  Schema.Struct({
    messages: Schema.NonEmptyArray(Schema.Struct({ id: Schema.NonEmptyString })),
  }),
)

const readProblem = Schema.decodeUnknownOption(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Number,
      message: Schema.optional(Schema.String),
      error_subcode: Schema.optional(Schema.Number),
      error_data: Schema.optional(Schema.Struct({ details: Schema.optional(Schema.String) })),
    }),
  }),
)

const outcomeOf = (options: Options, message: GatewayMessage, answer: Answer): GatewayOutcome => {
  const problem = Option.getOrUndefined(readProblem(answer.json))
  if (problem === undefined) {
    const taken = Option.getOrUndefined(readTaken(answer.json))
    return taken !== undefined && Outcomes.isSuccess(answer.status)
      ? { _tag: "Accepted", gatewayId: taken.messages[0].id }
      : Outcomes.unreadable(answer.status)
  }
  const { code, error_data, error_subcode, message: title = "refused" } = problem.error
  const said = vendorWords(`${code}: ${error_data?.details ?? title}`, message, [
    options.accessToken,
    options.appSecret,
    ...(options.verifyToken === undefined ? [] : [options.verifyToken]),
  ])
  const meaning = refusalOf(code, error_subcode, answer.status)
  switch (meaning._tag) {
    case "Refusal":
      return {
        ...Outcomes.rejected(meaning.reason, said),
        ...(isUnreachable(code) ? { unreachable: true } : undefined),
      }
    case "Throttling":
      return Outcomes.throttled(
        said,
        Outcomes.retryAfterMillis(answer.headers) ?? meaning.retryAfterMillis,
      )
    case "Doubt":
      return Outcomes.unknown(said)
  }
}

const callback =
  (name: string, verify: Verify, verifyToken: Redacted.Redacted | undefined): Callback =>
  ({ body, headers, method, url }) => {
    if (method === "GET") return Effect.sync(() => handshake(url.searchParams, verifyToken))
    if (method !== "POST") return Effect.succeed(refused("Not a report"))
    const signature = /^sha256=([0-9a-f]{64})$/.exec(headers["x-hub-signature-256"] ?? "")?.[1]
    if (signature === undefined) return Effect.succeed(refused("No signature"))
    return Effect.map(verify(Hex.decode(signature), body), (isSigned) =>
      isSigned ? reportsIn(name, new TextDecoder().decode(body)) : refused("Wrong signature"),
    )
  }

/** Longer than any known challenge. */
const maxChallengeLength = 256

/** Answers Meta's challenge when the webhook is set up. */
const handshake = (
  query: URLSearchParams,
  verifyToken: Redacted.Redacted | undefined,
): CallbackOutcome => {
  const challenge = query.get("hub.challenge") ?? ""
  const isKnown =
    query.get("hub.mode") === "subscribe" &&
    challenge.length <= maxChallengeLength &&
    verifyToken !== undefined &&
    sameText(query.get("hub.verify_token") ?? "", Redacted.value(verifyToken))
  return isKnown
    ? { _tag: "Reports", reports: [], answer: { contentType: "text/plain", text: challenge } }
    : refused("Wrong verify token")
}

const readNotification = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      object: Schema.Literal("whatsapp_business_account"),
      entry: Schema.Array(
        Schema.Struct({
          changes: Schema.Array(
            Schema.Struct({ value: Schema.Struct({ statuses: Schema.optional(Schema.Unknown) }) }),
          ),
        }),
      ),
    }),
  ),
)

const Status = Schema.Struct({
  id: Schema.NonEmptyString,
  status: Schema.String,
  recipient_id: Schema.optional(Schema.String),
  biz_opaque_callback_data: Schema.optional(Schema.String),
  errors: Schema.optional(
    Schema.Array(
      Schema.Struct({
        code: Schema.Number,
        title: Schema.optional(Schema.String),
        error_data: Schema.optional(Schema.Struct({ details: Schema.optional(Schema.String) })),
      }),
    ),
  ),
})
const readStatus = Schema.decodeUnknownOption(Status)

/** Reads message statuses. A notification can contain several, or be about another topic. */
const reportsIn = (name: string, text: string): CallbackOutcome => {
  const notification = Option.getOrUndefined(readNotification(text))
  if (notification === undefined) return malformed("A signed body that is no notification")
  const statuses = notification.entry
    .flatMap(({ changes }) => changes)
    .flatMap(({ value }): ReadonlyArray<unknown> =>
      Array.isArray(value.statuses) ? value.statuses : [],
    )
  return {
    _tag: "Reports",
    // An unreadable status does not discard the others.
    reports: statuses.flatMap((status) =>
      Option.match(readStatus(status), {
        onNone: () => [],
        onSome: (read) => reportOf(name, read, status),
      }),
    ),
  }
}

const reportStatuses: ReadonlyMap<string, ReportStatus> = new Map([
  ["sent", "accepted"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["failed", "failed"],
])

const reportOf = (
  name: string,
  told: typeof Status.Type,
  received: unknown,
): ReadonlyArray<DeliveryReport> => {
  const status = reportStatuses.get(told.status)
  if (status === undefined) return []
  const ref = readRef(told.biz_opaque_callback_data)
  const error = told.errors?.[0]
  const reason = error === undefined ? undefined : reasonOf(error.code)
  const words = error && `${error.code}: ${error.error_data?.details ?? error.title ?? "failed"}`
  return [
    {
      of:
        ref === undefined
          ? { _tag: "GatewayId", gateway: name, gatewayId: told.id }
          : { _tag: "Message", ...ref },
      // A documented refusal that arrived late, such as for a number that is not on WhatsApp.
      status: status === "failed" && reason !== undefined ? "rejected" : status,
      detail: words === undefined ? null : reportWords(words, told.recipient_id),
      // Only this status: the rest of the notification may be about other messages.
      raw: asRaw(JSON.stringify(received)),
      ...(reason === undefined ? undefined : { reason }),
      ...(error !== undefined && isUnreachable(error.code) ? { unreachable: true } : undefined),
    },
  ]
}
