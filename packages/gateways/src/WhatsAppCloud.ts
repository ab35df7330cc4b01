/**
 * WhatsApp through Meta's own Cloud API.
 *
 * Codes are sent with an authentication template, whose text is Meta's. Copy code, one-tap and zero-tap use
 * the same request.
 *
 * https://developers.facebook.com/docs/whatsapp/cloud-api
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Config from "effect/Config"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Callback, CallbackOutcome } from "./Adapter.ts"
import { layerConfigOf, layerOf, optional, optionalText } from "./internal/adapter.ts"
import { epochTime } from "./internal/evidence.ts"
import { byCode, make as httpVendor, type Vendor } from "./HttpVendor.ts"
import { at, decoder, fieldsAt, jsonDecoder } from "./internal/json.ts"
import { whatsApp as errorMeanings } from "./internal/meanings.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, messageOf } from "./internal/ref.ts"
import { malformed, refused, sameText, verifier, type Verify } from "./internal/callback.ts"
import { authenticationTemplate } from "./internal/whatsAppTemplate.ts"
import type { RefusalClass, WhatsAppCloudOptions } from "./VendorOptions.ts"

export type Options = WhatsAppCloudOptions<Redacted.Redacted>

/** Makes the adapter. Dies if the app secret is empty. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { accessToken, appSecret, verifyToken } = options
  const verify = yield* verifier(Mac.hmacSha256, appSecret)
  const name = options.name ?? "whatsapp-cloud"
  return yield* httpVendor(options, {
    meanings: errorMeanings,
    name,
    channels: ["whatsapp"],
    capabilities: { pairMillis: pairWaitMillis, references: true },
    secrets: [accessToken, appSecret, verifyToken],
    requestOf: (message) => {
      const content = contentOf(options, message)
      if (typeof content === "string") return content
      return HttpClientRequest.bodyJsonUnsafe(requestFrom(options, message.sender), {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: PhoneNumber.digits(message.phoneNumber),
        biz_opaque_callback_data: markedRef(message),
        ...content,
      })
    },
    outcomeOf,
    documentedFailures: "all",
    callback: callback(name, verify, verifyToken),
  })
})

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  accessToken: Config.Redacted("WHATSAPP_ACCESS_TOKEN"),
  phoneNumberId: Config.NonEmptyString("WHATSAPP_PHONE_NUMBER_ID"),
  template: Config.all({ name: Config.NonEmptyString("WHATSAPP_TEMPLATE") }),
  appSecret: Config.Redacted("WHATSAPP_APP_SECRET"),
  verifyToken: optional(Config.Redacted("WHATSAPP_VERIFY_TOKEN")),
  version: optionalText("WHATSAPP_API_VERSION"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

const requestFrom = (options: Options, sender: string): HttpClientRequest.HttpClientRequest => {
  const { baseUrl = "https://graph.facebook.com", version = "v25.0" } = options
  const from = options.profiles?.[sender] ?? options.phoneNumberId
  return HttpClientRequest.post(`${baseUrl}/${version}/${encodeURIComponent(from)}/messages`).pipe(
    HttpClientRequest.bearerToken(options.accessToken),
    HttpClientRequest.acceptJson,
  )
}

/** Returns the content of the request, or the reason why it cannot be made. */
const contentOf = (options: Options, message: GatewayMessage) => {
  if (message.purpose === "verification") {
    return authenticationTemplate(options.template, message, {})
  }
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
      components: [{ type: "body", parameters: [{ type: "text", text }] }],
    },
  }
}

const readTaken = decoder(
  Schema.Struct({ messages: Schema.NonEmptyArray(Schema.Struct({ id: Schema.NonEmptyString })) }),
)

const readProblem = decoder(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Number,
      message: Schema.optional(Schema.String),
      error_subcode: Schema.optional(Schema.Number),
      error_data: Schema.optional(Schema.Struct({ details: Schema.optional(Schema.String) })),
    }),
  }),
)

const outcomeOf: Vendor["outcomeOf"] = (answer, _message, words) => {
  const problem = readProblem(answer.json)
  if (problem === undefined) {
    const taken = readTaken(answer.json)
    return taken !== undefined && Outcomes.isSuccess(answer.status)
      ? { _tag: "Accepted", gatewayId: taken.messages[0].id }
      : Outcomes.unreadable(answer.status)
  }
  const { code, error_data, error_subcode, message: title = "refused" } = problem.error
  const said = words(`${code}: ${error_data?.details ?? title}`)
  const isPairLimit = code === pairLimit
  const wait =
    Outcomes.retryAfterMillis(answer.headers) ?? (isPairLimit ? pairWaitMillis : undefined)
  const meaning =
    code === 100 && error_subcode === missingObject
      ? "account"
      : // An undocumented code does not prove a rejection.
        (meaningOf(code) ?? (answer.status === 429 ? "throttled" : "unknown"))
  return {
    ...Outcomes.withCode(Outcomes.refusal(meaning, said, wait), code),
    ...(code === notOnWhatsApp ? { unreachable: true } : undefined),
  }
}

/** Too many messages to one recipient. Meta allows one in six seconds. */
const pairLimit = 131_056
const pairWaitMillis = 6_000

const notOnWhatsApp = 131_026

/** Subcode of 100: the phone number was removed, or the token may not access it. */
const missingObject = 33

// https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
const meanings = byCode<RefusalClass>([
  ["account", [0, 3, 10, 33, 190, 368, 131_031, 131_042]],
  ["recipient", [130_472, 131_021, notOnWhatsApp, 131_030, 131_049]],
  ["content", [100, 131_008, 131_009, 131_047, 131_051]],
  ["content", [132_000, 132_001, 132_005, 132_007, 132_012, 132_015, 132_016]],
  ["throttled", [4, 80_007, 130_429, 131_048, pairLimit, 133_016]],
  // The documentation does not say whether the message was accepted.
  ["unknown", [1, 2, 131_000, 131_016]],
])

/** Codes from 200 to 299 concern permissions. */
const meaningOf = (code: number) => (code >= 200 && code <= 299 ? "account" : meanings.get(code))

const callback = (
  name: string,
  verify: Verify,
  verifyToken: Redacted.Redacted | undefined,
): Callback =>
  Effect.fnUntraced(function* ({ body, headers, method, url }) {
    if (method === "GET") return handshake(url.searchParams, verifyToken)
    if (method !== "POST") return refused("Not a report")
    const signature = /^sha256=([0-9a-f]{64})$/.exec(headers["x-hub-signature-256"] ?? "")?.[1]
    if (signature === undefined) return refused("No signature")
    const isSigned = yield* verify(Hex.decode(signature), body)
    if (!isSigned) return refused("Wrong signature")
    const notification = readNotification(new TextDecoder().decode(body))
    if (notification === undefined) return malformed("A signed body that is no notification")
    const statuses = notification.entry
      .flatMap(({ changes }) => changes)
      .flatMap(({ value }): ReadonlyArray<unknown> =>
        Array.isArray(value.statuses) ? value.statuses : [],
      )
    return { _tag: "Reports", reports: statuses.flatMap((status) => reportOf(name, status)) }
  })

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

const readNotification = jsonDecoder(
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
)

const readStatus = decoder(
  Schema.Struct({
    id: Schema.NonEmptyString,
    status: Schema.String,
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
  }),
)

const reportStatuses: ReadonlyMap<string, ReportStatus> = new Map([
  ["sent", "accepted"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["failed", "failed"],
])

const keptFields = [
  "id",
  "status",
  "conversation.id",
  "conversation.origin.type",
  "pricing.billable",
  "pricing.pricing_model",
  "pricing.category",
  "errors[0].code",
]

/**
 * A notification can have several statuses, or none if it is about another topic. Empty for an unreadable status,
 * which does not discard the others.
 */
const reportOf = (name: string, received: unknown): ReadonlyArray<DeliveryReport> => {
  const read = readStatus(received)
  const status = reportStatuses.get(read?.status ?? "")
  if (read === undefined || status === undefined) return []
  const error = read.errors?.[0]
  const reason = error && Outcomes.reasonIn(meaningOf(error.code))
  const detail = error && `${error.code}: ${error.error_data?.details ?? error.title ?? "failed"}`
  return [
    {
      of: messageOf(name, read.id, read.biz_opaque_callback_data),
      // A documented refusal that arrived late, such as for a number that is not on WhatsApp.
      status: status === "failed" && reason !== undefined ? "rejected" : status,
      detail: detail ?? null,
      evidence: {
        ...fieldsAt(received, keptFields),
        timestamp: epochTime(at(received, "timestamp")),
      },
      ...(reason && { reason }),
      ...(error && { vendorCode: String(error.code) }),
      ...(error?.code === notOnWhatsApp ? { unreachable: true } : undefined),
    },
  ]
}
