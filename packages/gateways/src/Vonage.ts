/**
 * Vonage's Messages API, version 1: SMS and WhatsApp.
 *
 * https://developer.vonage.com/en/api/messages
 */
import type { GatewayOutcome, RejectionReason } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Adapter } from "./Adapter.ts"
import {
  layerConfigOf,
  layerOf,
  optional,
  optionalSecret,
  optionalText,
} from "./internal/adapter.ts"
import type { Answer } from "./internal/exchange.ts"
import { httpVendor, type Words } from "./internal/httpVendor.ts"
import { signer } from "./internal/vonage/jwt.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef } from "./internal/ref.ts"
import { verifier } from "./internal/signing.ts"
import { codeOf, reasonByStatus, reasons, throttling } from "./internal/vonage/codes.ts"
import { reportReader } from "./internal/vonage/reports.ts"
import { authenticationTemplate } from "./internal/whatsAppTemplate.ts"
import type { VonageOptions } from "./VendorOptions.ts"

/** Services that the adapter requires. */
export type Requirements =
  | HttpClient.HttpClient
  | Mac.Mac
  | Digest.Digest
  | SecureRandom.SecureRandom

export type Options = VonageOptions<Redacted.Redacted>

/** Makes the adapter. Dies if `callbackUrl` or the private key is invalid, or if a secret is empty. */
export const make: (options: Options) => Effect.Effect<Adapter, never, Requirements> =
  Effect.fnUntraced(function* (options: Options) {
    const digest = yield* Digest.Digest
    const name = options.name ?? "vonage"
    const reasonOf = (code: number): RejectionReason | undefined =>
      options.reasons?.[code] ?? reasons.get(code)
    const callbackUrl =
      options.callbackUrl === undefined ? undefined : new URL(options.callbackUrl).href
    const { auth, baseUrl = "https://api.nexmo.com", signatureSecret } = options
    const post = HttpClientRequest.acceptJson(HttpClientRequest.post(`${baseUrl}/v1/messages`))
    return yield* httpVendor(options, {
      name,
      channels: ["sms", "whatsapp"],
      secrets: ["apiSecret" in auth ? auth.apiSecret : auth.privateKey, signatureSecret],
      requestOf: (message) => {
        const content = contentOf(options, message)
        if (typeof content === "string") return content
        return HttpClientRequest.bodyJsonUnsafe(post, {
          to: PhoneNumber.digits(message.to),
          channel: message.channel,
          client_ref: markedRef(message),
          ...(callbackUrl === undefined
            ? undefined
            : { webhook_url: callbackUrl, webhook_version: "v1" }),
          ...content,
        })
      },
      sign: yield* authorization(auth),
      outcomeOf: (answer, _message, words) => outcomeOf(reasonOf, answer, words),
      documentedFailures: "all",
      callback:
        signatureSecret === undefined
          ? undefined
          : reportReader({
              name,
              digest,
              reasonOf,
              verify: yield* verifier(Mac.hmacSha256, signatureSecret),
            }),
    })
  })

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = layerOf(make)

const authConfig: Config.Config<Options["auth"]> = Config.orElse(
  Config.all({
    applicationId: Config.NonEmptyString("VONAGE_APPLICATION_ID"),
    privateKey: Config.Redacted("VONAGE_PRIVATE_KEY"),
  }),
  (): Config.Config<Options["auth"]> =>
    Config.all({
      apiKey: Config.NonEmptyString("VONAGE_API_KEY"),
      apiSecret: Config.Redacted("VONAGE_API_SECRET"),
    }),
)

/**
 * Environment variables that {@link layerConfig} reads: VONAGE_APPLICATION_ID, VONAGE_PRIVATE_KEY and those
 * below.
 */
export const config: Config.Config<Options> = Config.all({
  auth: authConfig,
  signatureSecret: optionalSecret("VONAGE_SIGNATURE_SECRET"),
  callbackUrl: optionalText("VONAGE_CALLBACK_URL"),
  from: optionalText("VONAGE_FROM"),
  whatsApp: Config.all({
    from: optionalText("VONAGE_WHATSAPP_FROM"),
    template: optional(Config.all({ name: Config.NonEmptyString("VONAGE_WHATSAPP_TEMPLATE") })),
  }),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

/** The lifetime that the vendor's own tools use. */
const tokenSeconds = 900

type Authorize = (
  request: HttpClientRequest.HttpClientRequest,
) => Effect.Effect<HttpClientRequest.HttpClientRequest>

const authorization = (
  auth: Options["auth"],
): Effect.Effect<Authorize, never, SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    if ("apiKey" in auth) {
      return (request) =>
        Effect.succeed(HttpClientRequest.basicAuth(request, auth.apiKey, auth.apiSecret))
    }
    const random = yield* SecureRandom.SecureRandom
    const sign = yield* signer(auth.privateKey)
    return (request) =>
      Effect.gen(function* () {
        const iat = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
        const token = yield* sign({
          application_id: auth.applicationId,
          iat,
          exp: iat + tokenSeconds,
          jti: yield* random.uuidV4(),
        })
        return HttpClientRequest.bearerToken(request, Redacted.make(token))
      })
  })

type Content = Readonly<Record<string, unknown>>

/** Returns the content of the request, or the reason why it cannot be made. */
const contentOf = (options: Options, message: GatewayMessage): Content | string => {
  const text = Redacted.value(message.text)
  if (message.channel === "sms") {
    return {
      from: options.from ?? message.sender,
      message_type: "text",
      text,
      ...(options.ttlSeconds === undefined ? undefined : { ttl: options.ttlSeconds }),
    }
  }
  const { from = message.sender, template } = options.whatsApp ?? {}
  if (message.purpose === "message" || template === undefined) {
    return { from, message_type: "text", text }
  }
  const filled = authenticationTemplate(template, message, { policy: "deterministic" })
  // Vonage's own template type has no button, and the template of a code requires one.
  return typeof filled === "string" ? filled : { from, message_type: "custom", custom: filled }
}

const readTaken = Schema.decodeUnknownOption(Schema.Struct({ message_uuid: Schema.NonEmptyString }))

const readProblem = Schema.decodeUnknownOption(
  Schema.Struct({
    title: Schema.String,
    type: Schema.optional(Schema.String),
    detail: Schema.optional(Schema.String),
  }),
)

const outcomeOf = (
  reasonOf: (code: number) => RejectionReason | undefined,
  { headers, json, status }: Answer,
  words: Words,
): GatewayOutcome => {
  if (Outcomes.isSuccess(status)) {
    const taken = Option.getOrUndefined(readTaken(json))
    return taken === undefined
      ? Outcomes.unreadable(status)
      : { _tag: "Accepted", gatewayId: taken.message_uuid }
  }
  const problem = Option.getOrUndefined(readProblem(json))
  if (problem === undefined) {
    return status === 429
      ? Outcomes.throttled("Too many requests", Outcomes.retryAfterMillis(headers))
      : Outcomes.unreadable(status)
  }
  const code = codeOf(problem.title, problem.type)
  const named = [code === undefined || problem.title === String(code) ? [] : [code], problem.title]
  const said = words([...named.flat(), problem.detail ?? ""].join(": "))
  if (status === 429 || code === throttling) {
    return Outcomes.throttled(said, Outcomes.retryAfterMillis(headers))
  }
  if (status >= 500) return Outcomes.unknown(said)
  const reason = (code === undefined ? undefined : reasonOf(code)) ?? reasonByStatus(status, code)
  return reason === undefined ? Outcomes.unknown(said) : Outcomes.rejected(reason, said)
}
