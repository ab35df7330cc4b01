/**
 * WhatsApp by Meta's own Cloud API.
 *
 * Codes go out by an authentication template, whose text is Meta's: copy code, one-tap and zero-tap are
 * sent alike.
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
  /** Meta's name of the language for each of our locales: `{ "en-us": "en_US", "bn-bd": "bn" }` when left out. */
  readonly languages?: Readonly<Record<string, string>> | undefined
}

/** A template whose body has one parameter, the text. */
export interface MessageTemplate {
  readonly name: string
  /** Meta's name of the language, `en_US`. */
  readonly language: string
}

export interface Options {
  /** Of a system user with `whatsapp_business_messaging`. */
  readonly accessToken: Redacted.Redacted
  /** The number that messages come from: its id, not its digits. */
  readonly phoneNumberId: string
  /** Ids of further numbers, by the sender of the message. A sender that is not in here uses the one above. */
  readonly profiles?: Readonly<Record<string, string>> | undefined
  /** The authentication template of codes. */
  readonly template: Template
  /**
   * How messages that are no codes go out: as plain text, which Meta takes only within 24 hours of the
   * recipient's last message, or by a template. Text when left out.
   */
  readonly messages?: "text" | MessageTemplate | undefined
  /** Signs the reports. */
  readonly appSecret: Redacted.Redacted
  /** What was typed in where the webhook was set up; without it that cannot be done. */
  readonly verifyToken?: Redacted.Redacted | undefined
  /** `v25.0` when left out. */
  readonly version?: string | undefined
  /** `whatsapp-cloud` when left out. */
  readonly name?: string | undefined
  /** 15,000 when left out. */
  readonly timeoutMillis?: number | undefined
  /** `https://graph.facebook.com` when left out. */
  readonly baseUrl?: string | undefined
}

/** Makes the adapter. An empty app secret is a defect. */
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
    if (typeof content === "string") return Effect.succeed(Outcomes.leftToOthers(content))
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

/** The engine's gateway. Reports need the adapter itself: see `Callbacks`. */
export const layer = (
  options: Options,
): Layer.Layer<Gateway, never, HttpClient.HttpClient | Mac.Mac> => layerOf(make(options))

/** What {@link layerConfig} reads: WHATSAPP_ACCESS_TOKEN, WHATSAPP_PHONE_NUMBER_ID and what follows. */
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

/** Like {@link layer}, with options from the environment. What is given here wins. */
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

/** What a request says, by Meta's names. */
type Content = Readonly<Record<string, unknown>>

const parameters = (text: string) => [{ type: "text", text }]

/** The part of the request that says something, or why there can be none. */
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
      // Once to be read, and once for the button that copies or fills it in.
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

/** Longer than any challenge that was ever seen. */
const maxChallengeLength = 256

/** Meta asks once whether the address is meant for it, and wants to read its challenge. */
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

/** Statuses of messages; a notification may have many of them, or be about something else. */
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
    // One that cannot be read costs the others nothing.
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
      // A documented refusal that came late, such as of a number that is not on WhatsApp.
      status: status === "failed" && reason !== undefined ? "rejected" : status,
      detail: words === undefined ? null : reportWords(words, told.recipient_id),
      // The rest of the notification may be about messages of others.
      raw: asRaw(JSON.stringify(received)),
      ...(reason === undefined ? undefined : { reason }),
      ...(error !== undefined && isUnreachable(error.code) ? { unreachable: true } : undefined),
    },
  ]
}
