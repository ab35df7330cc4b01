/**
 * Vonage's Messages API, version 1: SMS and WhatsApp.
 *
 * https://developer.vonage.com/en/api/messages
 */
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome, RejectionReason } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Adapter } from "./Adapter.ts"
import { defaultTimeoutMillis, layerOf, plainCapabilities, pushing } from "./internal/adapter.ts"
import { type Answer, exchange } from "./internal/exchange.ts"
import { signer } from "./internal/jwt.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef } from "./internal/ref.ts"
import { verifier } from "./internal/signing.ts"
import { vendorWords } from "./internal/vendorWords.ts"
import { codeOf, reasonByStatus, reasons, throttling } from "./internal/vonageCodes.ts"
import { reportReader } from "./internal/vonageReports.ts"

/** An application and its key. Vonage recommends this. */
export interface ApplicationAuth {
  readonly applicationId: string
  /** The PKCS #8 PEM file that Vonage issues. */
  readonly privateKey: Redacted.Redacted
}

/** The account's own key. Vonage sends reports to the URL in the account's settings. */
export interface AccountAuth {
  readonly apiKey: string
  readonly apiSecret: Redacted.Redacted
}

export interface WhatsAppOptions {
  /** The phone number that sends the messages. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /** The authentication template of codes. `undefined`: a code is sent as plain text. */
  readonly template?:
    | {
        readonly name: string
        /** WhatsApp's language code per locale. @defaultValue `{ "en-us": "en_US", "bn-bd": "bn" }` */
        readonly languages?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

export interface Options {
  readonly auth: ApplicationAuth | AccountAuth
  /** Verifies the reports. `undefined`: reports are not read, and an accepted message counts as delivered. */
  readonly signatureSecret?: Redacted.Redacted | undefined
  /** The callback URL for reports: `Callbacks.urlOf`. @defaultValue the URL in Vonage's settings */
  readonly callbackUrl?: string | URL | undefined
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  readonly whatsApp?: WhatsAppOptions | undefined
  /** How long Vonage may try to deliver an SMS, in seconds. @defaultValue Vonage's own default */
  readonly ttlSeconds?: number | undefined
  /** Rejection reasons of error codes. They override or extend the built-in table. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** Name of the gateway. @defaultValue `vonage` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
  /** Base URL of the vendor's API. @defaultValue `https://api.nexmo.com` */
  readonly baseUrl?: string | undefined
}

/** Services that the adapter requires. */
export type Requirements =
  | HttpClient.HttpClient
  | Mac.Mac
  | Digest.Digest
  | SecureRandom.SecureRandom

/** Makes the adapter. Dies if `callbackUrl` or the private key is invalid, or if a secret is empty. */
export const make: (options: Options) => Effect.Effect<Adapter, never, Requirements> =
  Effect.fnUntraced(function* (options: Options) {
    const client = yield* HttpClient.HttpClient
    const digest = yield* Digest.Digest
    const name = options.name ?? "vonage"
    const reasonOf = (code: number): RejectionReason | undefined =>
      options.reasons?.[code] ?? reasons[code]
    const authorized = yield* authorization(options.auth)
    const callbackUrl =
      options.callbackUrl === undefined ? undefined : new URL(options.callbackUrl).href
    const { baseUrl = "https://api.nexmo.com", signatureSecret } = options
    const post = HttpClientRequest.acceptJson(HttpClientRequest.post(`${baseUrl}/v1/messages`))

    const send = (message: GatewayMessage): Effect.Effect<GatewayOutcome> => {
      const content = contentOf(options, message)
      if (typeof content === "string") return Effect.succeed(Outcomes.unsupported(content))
      const request = HttpClientRequest.bodyJsonUnsafe(post, {
        to: PhoneNumber.digits(message.to),
        channel: message.channel,
        client_ref: markedRef(message),
        ...(callbackUrl === undefined
          ? undefined
          : { webhook_url: callbackUrl, webhook_version: "v1" }),
        ...content,
      })
      return Effect.flatMap(authorized(request), (ready) =>
        Effect.map(exchange(client, ready), (answer) =>
          answer._tag === "Answer" ? outcomeOf(options, reasonOf, message, answer) : answer,
        ),
      )
    }

    return pushing(
      {
        name,
        capabilities: {
          ...plainCapabilities,
          reports: signatureSecret === undefined ? "none" : "signed",
          timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
        },
        send,
      },
      signatureSecret === undefined
        ? undefined
        : reportReader({
            name,
            digest,
            reasonOf,
            verify: yield* verifier(Mac.hmacSha256, signatureSecret),
          }),
    )
  })

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = (options: Options): Layer.Layer<Gateway, never, Requirements> =>
  layerOf(make(options))

const authConfig: Config.Config<ApplicationAuth | AccountAuth> = Config.orElse(
  Config.all({
    applicationId: Config.NonEmptyString("VONAGE_APPLICATION_ID"),
    privateKey: Config.Redacted("VONAGE_PRIVATE_KEY"),
  }),
  (): Config.Config<ApplicationAuth | AccountAuth> =>
    Config.all({
      apiKey: Config.NonEmptyString("VONAGE_API_KEY"),
      apiSecret: Config.Redacted("VONAGE_API_SECRET"),
    }),
)

/**
 * Environment variables that {@link layerConfig} reads: VONAGE_APPLICATION_ID, VONAGE_PRIVATE_KEY and those
 * below.
 */
export const config: Config.Config<Options> = Config.map(
  Config.all({
    auth: authConfig,
    signatureSecret: Config.option(Config.Redacted("VONAGE_SIGNATURE_SECRET")),
    callbackUrl: Config.option(Config.NonEmptyString("VONAGE_CALLBACK_URL")),
    from: Config.option(Config.NonEmptyString("VONAGE_FROM")),
    whatsAppFrom: Config.option(Config.NonEmptyString("VONAGE_WHATSAPP_FROM")),
    template: Config.option(Config.NonEmptyString("VONAGE_WHATSAPP_TEMPLATE")),
  }),
  (read) => ({
    auth: read.auth,
    signatureSecret: Option.getOrUndefined(read.signatureSecret),
    callbackUrl: Option.getOrUndefined(read.callbackUrl),
    from: Option.getOrUndefined(read.from),
    whatsApp: {
      from: Option.getOrUndefined(read.whatsAppFrom),
      template: Option.getOrUndefined(Option.map(read.template, (name) => ({ name }))),
    },
  }),
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, Requirements> =>
  Layer.unwrap(Effect.map(config, (read) => layer({ ...read, ...options })))

/** The lifetime that the vendor's own tools use. */
const tokenSeconds = 900

type Authorize = (
  request: HttpClientRequest.HttpClientRequest,
) => Effect.Effect<HttpClientRequest.HttpClientRequest>

const authorization = (
  auth: ApplicationAuth | AccountAuth,
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
  const { languages = defaultLanguages, name } = template
  const language = languages[message.locale ?? ""]
  if (message.code === undefined) return "The template needs a code"
  if (language === undefined)
    return `No template for the language ${message.locale ?? "of the code"}`
  const parameters = [{ type: "text", text: Redacted.value(message.code) }]
  return {
    from,
    // Vonage's own template type has no button, and the template of a code requires one.
    message_type: "custom",
    custom: {
      type: "template",
      template: {
        name,
        language: { policy: "deterministic", code: language },
        components: [
          { type: "body", parameters },
          { type: "button", sub_type: "url", index: "0", parameters },
        ],
      },
    },
  }
}

const defaultLanguages: Readonly<Record<string, string>> = { "en-us": "en_US", "bn-bd": "bn" }

const readTaken = Schema.decodeUnknownOption(Schema.Struct({ message_uuid: Schema.NonEmptyString }))

const readProblem = Schema.decodeUnknownOption(
  Schema.Struct({
    title: Schema.String,
    type: Schema.optional(Schema.String),
    detail: Schema.optional(Schema.String),
  }),
)

const outcomeOf = (
  { auth, signatureSecret }: Options,
  reasonOf: (code: number) => RejectionReason | undefined,
  message: GatewayMessage,
  { headers, json, status }: Answer,
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
  const said = vendorWords([...named.flat(), problem.detail ?? ""].join(": "), message, [
    "apiSecret" in auth ? auth.apiSecret : auth.privateKey,
    ...(signatureSecret === undefined ? [] : [signatureSecret]),
  ])
  if (status === 429 || code === throttling) {
    return Outcomes.throttled(said, Outcomes.retryAfterMillis(headers))
  }
  if (status >= 500) return Outcomes.unknown(said)
  const reason = (code === undefined ? undefined : reasonOf(code)) ?? reasonByStatus(status, code)
  return reason === undefined ? Outcomes.unknown(said) : Outcomes.rejected(reason, said)
}
