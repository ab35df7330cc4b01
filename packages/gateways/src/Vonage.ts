/**
 * Vonage's Messages API, version 1: SMS and WhatsApp.
 *
 * https://developer.vonage.com/en/api/messages
 */
import type {
  RejectionReason,
  ReportStatus,
} from "@countersign/core/domain/messages/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { WebCrypto } from "effect/crypto/WebCrypto"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Adapter, Callback } from "./Adapter.ts"
import { layerConfigOf, layerOf, optional, optionalText } from "./internal/adapter.ts"
import { inUnits } from "./internal/durations.ts"
import { byCode, make as httpVendor, type Sign, type Vendor } from "./HttpVendor.ts"
import { decoder, fieldsAt, jsonDecoder, parseJson } from "./internal/json.ts"
import { vonage as errorMeanings } from "./internal/meanings.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, messageOf } from "./internal/ref.ts"
import { malformed, refused, sameText, utf8, verifier, type Verify } from "./internal/callback.ts"
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
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<Adapter, never, Requirements> {
  const digest = yield* Digest.Digest
  const name = options.name ?? "vonage"
  const callbackUrl =
    options.callbackUrl === undefined ? undefined : new URL(options.callbackUrl).href
  const { auth, baseUrl = "https://api.nexmo.com", signatureSecret } = options
  const verify = signatureSecret && (yield* verifier(Mac.hmacSha256, signatureSecret))
  const ttl = inUnits(1_000, "validity", options.validity, 1_000)
  const post = HttpClientRequest.acceptJson(HttpClientRequest.post(`${baseUrl}/v1/messages`))
  return yield* httpVendor(options, {
    meanings: errorMeanings,
    name,
    channels: ["sms", "whatsapp"],
    capabilities: { references: verify !== undefined },
    secrets: ["apiSecret" in auth ? auth.apiSecret : auth.privateKey, signatureSecret],
    requestOf: (message) => {
      const content = contentOf(options, ttl, message)
      if (typeof content === "string") return content
      return HttpClientRequest.bodyJsonUnsafe(post, {
        to: PhoneNumber.digits(message.phoneNumber),
        channel: message.channel,
        client_ref: markedRef(message),
        webhook_url: callbackUrl,
        webhook_version: callbackUrl && "v1",
        ...content,
      })
    },
    sign: yield* authorization(auth),
    outcomeOf: outcomeOf(options.reasons),
    documentedFailures: "all",
    callback: verify && callback(name, options.reasons, verify, digest),
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

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  auth: authConfig,
  signatureSecret: optional(Config.Redacted("VONAGE_SIGNATURE_SECRET")),
  callbackUrl: optionalText("VONAGE_CALLBACK_URL"),
  from: optionalText("VONAGE_FROM"),
  whatsApp: Config.all({
    from: optionalText("VONAGE_WHATSAPP_FROM"),
    template: optional(Config.all({ name: Config.NonEmptyString("VONAGE_WHATSAPP_TEMPLATE") })),
  }),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const

/** Decodes the body of a PKCS #8 PEM file. Environment variables often contain its line ends as `\n`. */
const derOf = (pem: string): Uint8Array<ArrayBuffer> => {
  const [, text] =
    /-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----/s.exec(
      pem.replaceAll(String.raw`\n`, "\n"),
    ) ?? []
  return Uint8Array.from(Result.getOrThrow(Base64.decode((text ?? "").replace(/\s/g, ""))))
}

/** Returns a function that signs claims with RS256. Dies if the key is invalid, without showing the key. */
const signer = (privateKey: Redacted.Redacted) =>
  Effect.gen(function* () {
    const crypto = yield* WebCrypto
    const key = yield* Effect.tryPromise({
      try: async () =>
        crypto.subtle.importKey("pkcs8", derOf(Redacted.value(privateKey)), rsa, false, ["sign"]),
      catch: () => new TypeError("The private key is no RSA key in a PKCS #8 PEM file"),
    }).pipe(Effect.orDie)
    const header = Base64Url.encode(JSON.stringify({ alg: "RS256", typ: "JWT" }))
    return (claims: Readonly<Record<string, unknown>>) => {
      const signed = `${header}.${Base64Url.encode(JSON.stringify(claims))}`
      return Effect.promise(async () => {
        const tag = await crypto.subtle.sign(rsa, key, Uint8Array.from(utf8(signed)))
        return `${signed}.${Base64Url.encode(new Uint8Array(tag))}`
      })
    }
  })

const readHeader = jsonDecoder(Schema.Struct({ alg: Schema.Literal("HS256") }))

const textOf = (part: string): string => Result.getOrElse(Base64Url.decodeString(part), () => "")

/** Returns the claims as JSON if the token has a valid HS256 signature; otherwise `undefined`. */
const claimsOf = (token: string, verify: Verify): Effect.Effect<string | undefined> => {
  const [, header = "", claims = "", tag = ""] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? []
  // The token's own algorithm is only compared with HS256.
  if (readHeader(textOf(header)) === undefined) return Effect.succeed(undefined)
  return Effect.map(verify(Base64Url.decode(tag), utf8(`${header}.${claims}`)), (isSigned) =>
    isSigned ? textOf(claims) : undefined,
  )
}

const authorization = (
  auth: Options["auth"],
): Effect.Effect<Sign, never, SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    if ("apiKey" in auth) {
      return (request) =>
        Effect.succeed(HttpClientRequest.basicAuth(request, auth.apiKey, auth.apiSecret))
    }
    const random = yield* SecureRandom.SecureRandom
    const sign = yield* signer(auth.privateKey)
    return Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
      const iat = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const token = yield* sign({
        application_id: auth.applicationId,
        iat,
        // The lifetime that the vendor's own tools use.
        exp: iat + 900,
        jti: yield* random.uuidV4(),
      })
      return HttpClientRequest.bearerToken(request, Redacted.make(token))
    })
  })

/** Returns the content of the request, or the reason why it cannot be made. */
const contentOf = (options: Options, ttl: number | undefined, message: GatewayMessage) => {
  const text = Redacted.value(message.text)
  if (message.channel === "sms") {
    const { from = message.sender } = options
    return { from, message_type: "text", text, ttl }
  }
  const { from = message.sender, template } = options.whatsApp ?? {}
  if (message.purpose === "message" || template === undefined) {
    return { from, message_type: "text", text }
  }
  const filled = authenticationTemplate(template, message, { policy: "deterministic" })
  // Vonage's own template type has no button, and the template of a code requires one.
  return typeof filled === "string" ? filled : { from, message_type: "custom", custom: filled }
}

const readTaken = decoder(Schema.Struct({ message_uuid: Schema.NonEmptyString }))

const readProblem = decoder(
  Schema.Struct({
    title: Schema.String,
    type: Schema.optional(Schema.String),
    detail: Schema.optional(Schema.String),
  }),
)

const outcomeOf =
  (reasons: Options["reasons"]): Vendor["outcomeOf"] =>
  ({ headers, json, status }, _message, words) => {
    if (Outcomes.isSuccess(status)) {
      const taken = readTaken(json)
      return taken === undefined
        ? Outcomes.unreadable(status)
        : { _tag: "Accepted", gatewayId: taken.message_uuid }
    }
    const problem = readProblem(json)
    if (problem === undefined) return Outcomes.unexplained(status, headers)
    const code = codeOf(problem.title, problem.type)
    const head = code === undefined || problem.title === String(code) ? "" : `${code}: `
    const said = words(`${head}${problem.title}: ${problem.detail ?? ""}`)
    return Outcomes.withCode(refusalOf(reasons, code, status, headers, said), code)
  }

const refusalOf = (
  reasons: Options["reasons"],
  code: number | undefined,
  status: number,
  headers: Outcomes.AnswerHeaders,
  said: string,
): Outcomes.Refusal => {
  if (status === 429 || code === throttling) {
    return Outcomes.throttled(said, Outcomes.retryAfterMillis(headers))
  }
  if (status >= 500) return Outcomes.unknown(said)
  if ([401, 402, 403].includes(status)) {
    return Outcomes.rejected(reasonOf(reasons, code) ?? "account", said)
  }
  // An unknown code may stand for another cause than the content.
  const byStatus = status === 422 && code === undefined ? "content" : "unknown"
  return Outcomes.refusal(reasonOf(reasons, code) ?? byStatus, said)
}

/**
 * Rejection reasons by code. A missing code proves nothing. Missing are 1030, 1100 and 1330 (errors inside or
 * behind Vonage) and 1180 (the subscriber is temporarily absent). Codes from 1160 on are not confirmed; the
 * host can override them.
 */
const documented = byCode<RejectionReason>([
  ["recipient", [1050, 1170, 1190, 1240, 1260]],
  ["sender", [1120, 1420]],
  ["account", [1060, 1070, 1080, 1160]],
  ["content", [1010, 1020, 1021, 1022, 1040, 1090, 1130, 1340, 1370, 1430]],
])

const reasonOf = (reasons: Options["reasons"], code = 0) => reasons?.[code] ?? documented.get(code)

/** Vonage accepted nothing. */
const throttling = 1000

/** Reads the code from the title, `1120`, or the type, `https://developer.vonage.com/api-errors/messages#1120`. */
const codeOf = (title: string, type: string | undefined): number | undefined => {
  const [, digits] = /^(\d{4})$/.exec(title) ?? /#(\d{4})$/.exec(type ?? "") ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Largest difference between the signature's time and ours, in either direction. */
const toleranceSeconds = 300

const readClaims = jsonDecoder(
  Schema.Struct({
    iat: Schema.Number,
    jti: Schema.NonEmptyString.check(Schema.isMaxLength(128)),
    payload_hash: Schema.String,
  }),
)

const readStatusReport = decoder(
  Schema.Struct({
    message_uuid: Schema.NonEmptyString,
    status: Schema.optional(Schema.String),
    client_ref: Schema.optional(Schema.NullOr(Schema.String)),
    error: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          title: Schema.optional(Schema.Union([Schema.String, Schema.Number])),
          type: Schema.optional(Schema.String),
          detail: Schema.optional(Schema.String),
        }),
      ),
    ),
  }),
)

const statuses: ReadonlyMap<string, ReportStatus> = new Map([
  ["submitted", "accepted"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["rejected", "rejected"],
  ["undeliverable", "undelivered"],
])

const callback = (
  name: string,
  reasons: Options["reasons"],
  verify: Verify,
  digest: Digest.Digest["Service"],
): Callback =>
  Effect.fnUntraced(function* ({ body, headers, method }) {
    if (method !== "POST") return refused("Not a report")
    const [, token] = /^bearer (\S+)$/i.exec(headers["authorization"] ?? "") ?? []
    if (token === undefined) return refused("No signature")
    const signed = yield* claimsOf(token, verify)
    if (signed === undefined) return refused("Wrong signature")
    const claims = readClaims(signed)
    if (claims === undefined) return refused("A token that is about no body")
    const actual = Hex.encode(yield* Effect.orDie(digest.digest(Digest.sha256, body)))
    if (!sameText(claims.payload_hash.toLowerCase(), actual)) return refused("Wrong body")
    const now = (yield* Clock.currentTimeMillis) / 1_000
    if (!(Math.abs(now - claims.iat) <= toleranceSeconds)) return refused("Too old or too new")
    const json = parseJson(new TextDecoder().decode(body))
    const report = readStatusReport(json)
    if (report === undefined) return malformed("A signed body that is no report")
    const { client_ref, error, message_uuid } = report
    const status = statuses.get(report.status ?? "")
    // Incoming messages and unknown statuses are not about sent messages.
    if (status === undefined) return { _tag: "Reports", reports: [], once: claims.jti }
    const title = String(error?.title ?? "")
    const code = codeOf(title, error?.type)
    const reason = reasonOf(reasons, code)
    const detail = [title, error?.detail ?? ""].filter((part) => part !== "").join(": ")
    return {
      _tag: "Reports",
      reports: [
        {
          of: messageOf(name, message_uuid, client_ref),
          status,
          detail: detail === "" ? null : detail,
          evidence: fieldsAt(json, keptFields),
          ...(reason && { reason }),
          ...(code !== undefined && { vendorCode: String(code) }),
        },
      ],
      once: claims.jti,
    }
  })

const keptFields = [
  "message_uuid",
  "status",
  "timestamp",
  "channel",
  "error.title",
  "usage.price",
  "usage.currency",
  "sms.num_messages",
  "sms.count_total",
  "destination.network_code",
]
