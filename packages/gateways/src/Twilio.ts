/**
 * Twilio: SMS, and WhatsApp with content templates.
 *
 * https://www.twilio.com/docs/messaging/api/message-resource
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type {
  GatewayOutcome,
  RejectionReason,
  ReportStatus,
} from "@countersign/core/domain/GatewayOutcome"
import * as Config from "effect/Config"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Adapter, Callback } from "./Adapter.ts"
import {
  defaultTimeoutMillis,
  layerOf,
  malformed,
  plainCapabilities,
  pushing,
  refused,
} from "./internal/adapter.ts"
import { type Answer, exchange } from "./internal/exchange.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, readRef } from "./internal/ref.ts"
import { sameText, utf8, verifier, type Verify } from "./internal/signing.ts"
import { isDoubt, reasonByStatus, reasons, throttles } from "./internal/twilioCodes.ts"
import { signedAddresses, signedForm } from "./internal/twilioSignature.ts"
import { reportWords, vendorWords } from "./internal/vendorWords.ts"

export interface WhatsAppOptions {
  /** The approved sender in E.164 form. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /**
   * The content template of codes, `HX…`, with the code as variable 1. Either one for all languages, or one
   * per language (`en-us`). `undefined`: the text is sent as it is. WhatsApp accepts that only within 24
   * hours of the recipient's last message.
   */
  readonly verificationContent?: string | Readonly<Record<string, string>> | undefined
  /** The content template of messages, with the text as variable 1. `undefined`: the text is sent as it is. */
  readonly messageContent?: string | undefined
}

export interface Options {
  /** SID of the account, `AC…`. */
  readonly accountSid: string
  /** Verifies the reports. Authenticates the requests if `apiKey` is `undefined`. */
  readonly authToken: Redacted.Redacted
  /** Authenticates the requests instead of the auth token. */
  readonly apiKey?: { readonly sid: string; readonly secret: Redacted.Redacted } | undefined
  /** `MG…`: the messaging service that chooses the sender of every SMS. It takes precedence over `from`. */
  readonly messagingServiceSid?: string | undefined
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  readonly whatsApp?: WhatsAppOptions | undefined
  /**
   * The callback URL for reports: `Callbacks.urlOf`. `undefined`: there are no reports, and an accepted
   * message counts as delivered.
   */
  readonly callbackUrl?: string | URL | undefined
  /** How long Twilio may try, 1 to 36,000 seconds. @defaultValue Twilio's default, ten hours */
  readonly validitySeconds?: number | undefined
  /** Rejection reasons of error codes. They override or extend the built-in table. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** Name of the gateway. @defaultValue `twilio` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
  /** Base URL of the vendor's API. @defaultValue `https://api.twilio.com` */
  readonly baseUrl?: string | undefined
}

/** Makes the adapter. Dies if `callbackUrl` is not a URL or if `authToken` is empty. */
export const make: (
  options: Options,
) => Effect.Effect<Adapter, never, HttpClient.HttpClient | Mac.Mac | Digest.Digest> =
  Effect.fnUntraced(function* (options: Options) {
    const client = yield* HttpClient.HttpClient
    const digest = yield* Digest.Digest
    const verify = yield* verifier(Mac.hmacSha1, options.authToken)
    const name = options.name ?? "twilio"
    const callbackUrl =
      options.callbackUrl === undefined ? undefined : new URL(options.callbackUrl).href
    const post = requestTo(options)
    const send = (message: GatewayMessage): Effect.Effect<GatewayOutcome> => {
      const fields = fieldsOf(options, callbackUrl, message)
      return typeof fields === "string"
        ? Effect.succeed(Outcomes.unsupported(fields))
        : Effect.map(exchange(client, HttpClientRequest.bodyUrlParams(post, fields)), (answer) =>
            answer._tag === "Answer" ? outcomeOf(options, message, answer) : answer,
          )
    }
    return pushing(
      {
        name,
        capabilities: {
          ...plainCapabilities,
          reports: callbackUrl === undefined ? "none" : "signed",
          segments: true,
          timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
        },
        send,
      },
      callbackUrl === undefined ? undefined : callback(name, options, verify, digest),
    )
  })

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = (
  options: Options,
): Layer.Layer<Gateway, never, HttpClient.HttpClient | Mac.Mac | Digest.Digest> =>
  layerOf(make(options))

/**
 * Environment variables that {@link layerConfig} reads: TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and those
 * below.
 */
export const config: Config.Config<Options> = Config.map(
  Config.all({
    accountSid: Config.NonEmptyString("TWILIO_ACCOUNT_SID"),
    authToken: Config.Redacted("TWILIO_AUTH_TOKEN"),
    apiKey: Config.option(
      Config.all({
        sid: Config.NonEmptyString("TWILIO_API_KEY_SID"),
        secret: Config.Redacted("TWILIO_API_KEY_SECRET"),
      }),
    ),
    messagingServiceSid: Config.option(Config.NonEmptyString("TWILIO_MESSAGING_SERVICE_SID")),
    from: Config.option(Config.NonEmptyString("TWILIO_FROM")),
    whatsAppFrom: Config.option(Config.NonEmptyString("TWILIO_WHATSAPP_FROM")),
    whatsAppContent: Config.option(Config.NonEmptyString("TWILIO_WHATSAPP_CONTENT_SID")),
    callbackUrl: Config.option(Config.NonEmptyString("TWILIO_CALLBACK_URL")),
  }),
  (read) => ({
    accountSid: read.accountSid,
    authToken: read.authToken,
    apiKey: Option.getOrUndefined(read.apiKey),
    messagingServiceSid: Option.getOrUndefined(read.messagingServiceSid),
    from: Option.getOrUndefined(read.from),
    whatsApp: {
      from: Option.getOrUndefined(read.whatsAppFrom),
      verificationContent: Option.getOrUndefined(read.whatsAppContent),
    },
    callbackUrl: Option.getOrUndefined(read.callbackUrl),
  }),
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient | Mac.Mac | Digest.Digest> =>
  Layer.unwrap(Effect.map(config, (read) => layer({ ...read, ...options })))

const requestTo = (options: Options): HttpClientRequest.HttpClientRequest => {
  const { accountSid, apiKey, authToken, baseUrl = "https://api.twilio.com" } = options
  const account = encodeURIComponent(accountSid)
  return HttpClientRequest.post(`${baseUrl}/2010-04-01/Accounts/${account}/Messages.json`).pipe(
    HttpClientRequest.basicAuth(apiKey?.sid ?? accountSid, apiKey?.secret ?? authToken),
    HttpClientRequest.acceptJson,
  )
}

type Fields = Readonly<Record<string, string>>

/** Senders are stored without the plus of a phone number. Names and short codes stay as they are. */
const senderOf = (sender: string): string =>
  /^[1-9]\d{6,14}$/.test(sender) ? `+${sender}` : sender

const withPrefix = (number: string): string =>
  number.startsWith("whatsapp:") ? number : `whatsapp:${senderOf(number)}`

/** Returns the fields of the request, or the reason why it cannot be made. */
const fieldsOf = (
  options: Options,
  callbackUrl: string | undefined,
  message: GatewayMessage,
): Fields | string => {
  const content = contentOf(options, message)
  if (typeof content === "string") return content
  return {
    ...(message.channel === "sms" ? smsEnds(options, message) : whatsAppEnds(options, message)),
    ...content,
    ...(options.validitySeconds === undefined
      ? undefined
      : { ValidityPeriod: String(options.validitySeconds) }),
    ...(callbackUrl === undefined
      ? undefined
      : { StatusCallback: withRef(callbackUrl, markedRef(message)) }),
  }
}

const smsEnds = (
  { from, messagingServiceSid }: Options,
  { purpose, sender, to }: GatewayMessage,
): Fields => ({
  To: to,
  ...(messagingServiceSid === undefined
    ? { From: senderOf(from ?? sender) }
    : { MessagingServiceSid: messagingServiceSid }),
  // A code has to arrive unchanged, and its text already fits its segments.
  ...(purpose === "verification" ? { SmartEncoded: "false" } : undefined),
})

const whatsAppEnds = (options: Options, { sender, to }: GatewayMessage): Fields => ({
  To: `whatsapp:${to}`,
  From: withPrefix(options.whatsApp?.from ?? sender),
})

const contentOf = (options: Options, message: GatewayMessage): Fields | string => {
  const text = Redacted.value(message.text)
  if (message.channel === "sms") return { Body: text }
  const { messageContent, verificationContent } = options.whatsApp ?? {}
  if (message.purpose === "message") {
    return messageContent === undefined ? { Body: text } : template(messageContent, text)
  }
  if (verificationContent === undefined) return { Body: text }
  const sid =
    typeof verificationContent === "string"
      ? verificationContent
      : verificationContent[message.locale ?? ""]
  if (sid === undefined) return `No template for the language ${message.locale ?? "of the code"}`
  return message.code === undefined
    ? "The template needs a code"
    : template(sid, Redacted.value(message.code))
}

const template = (sid: string, value: string): Fields => ({
  ContentSid: sid,
  ContentVariables: JSON.stringify({ "1": value }),
})

/** The callback URL carries the reference, because Twilio echoes no other field. */
const refParameter = "message"

const withRef = (callbackUrl: string, ref: string): string => {
  const url = new URL(callbackUrl)
  url.searchParams.set(refParameter, ref)
  return url.href
}

const Created = Schema.Struct({
  sid: Schema.NonEmptyString,
  status: Schema.String,
  num_segments: Schema.optional(Schema.NullOr(Schema.String)),
  error_code: Schema.optional(Schema.NullOr(Schema.Number)),
  error_message: Schema.optional(Schema.NullOr(Schema.String)),
})
const readCreated = Schema.decodeUnknownOption(Created)

/** Both error formats: Twilio's own and RFC 9457. */
const Problem = Schema.Struct({
  code: Schema.Number,
  message: Schema.optional(Schema.String),
  title: Schema.optional(Schema.String),
  detail: Schema.optional(Schema.NullOr(Schema.String)),
})
const readProblem = Schema.decodeUnknownOption(Problem)

const failedStatuses = new Set(["failed", "undelivered", "canceled"])

const outcomeOf = (options: Options, message: GatewayMessage, answer: Answer): GatewayOutcome => {
  const secrets = [options.authToken, ...(options.apiKey ? [options.apiKey.secret] : [])]
  const words = (code: number | undefined, text: string): string =>
    vendorWords(`${code === undefined ? "" : `${code}: `}${text}`, message, secrets)
  if (Outcomes.isSuccess(answer.status)) {
    const created = Option.getOrUndefined(readCreated(answer.json))
    if (created === undefined) return Outcomes.unreadable(answer.status)
    const { error_code: code, error_message: text, num_segments, sid, status } = created
    if (failedStatuses.has(status)) {
      const said = words(code ?? undefined, text ?? status)
      const reason = code === null || code === undefined ? undefined : reasonOf(options, code)
      // Twilio accepted the message before it failed. Without a documented code, parts may have been sent.
      return reason === undefined ? Outcomes.unknown(said) : Outcomes.rejected(reason, said)
    }
    const segments = Number(num_segments)
    return {
      _tag: "Accepted",
      gatewayId: sid,
      // 0 if the messaging service has not chosen the sender yet.
      ...(Number.isSafeInteger(segments) && segments > 0 ? { segments } : undefined),
    }
  }
  const problem = Option.getOrUndefined(readProblem(answer.json))
  if (problem === undefined) {
    return answer.status === 429
      ? Outcomes.throttled("Too many requests", Outcomes.retryAfterMillis(answer.headers))
      : Outcomes.unreadable(answer.status)
  }
  const said = words(problem.code, problem.message ?? problem.detail ?? problem.title ?? "refused")
  if (answer.status === 429 || throttles(problem.code)) {
    return Outcomes.throttled(said, Outcomes.retryAfterMillis(answer.headers))
  }
  // A server error proves nothing, even with a code.
  if (answer.status < 400 || answer.status >= 500) return Outcomes.unknown(said)
  const reason = reasonOf(options, problem.code)
  if (reason === undefined && isDoubt(problem.code)) return Outcomes.unknown(said)
  return Outcomes.rejected(reason ?? reasonByStatus(answer.status), said)
}

const reasonOf = (options: Pick<Options, "reasons">, code: number): RejectionReason | undefined =>
  options.reasons?.[code] ?? reasons[code]

const reportStatuses: ReadonlyMap<string, ReportStatus> = new Map([
  ["accepted", "accepted"],
  ["scheduled", "accepted"],
  ["queued", "accepted"],
  ["sending", "accepted"],
  ["sent", "accepted"],
  // Some recipients have the message. Twilio does not say which.
  ["partially_delivered", "accepted"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["undelivered", "undelivered"],
  ["failed", "failed"],
  ["canceled", "failed"],
])

const callback =
  (
    name: string,
    options: Pick<Options, "reasons">,
    verify: Verify,
    digest: Digest.Digest["Service"],
  ): Callback =>
  ({ body, headers, method, url }) =>
    Effect.gen(function* () {
      if (method !== "POST") return refused("Not a report")
      const signature = headers["x-twilio-signature"]
      if (signature === undefined) return refused("No signature")
      const text = new TextDecoder().decode(body)
      const bodyHash = url.searchParams.get("bodySHA256")
      const form = new URLSearchParams(bodyHash === null ? text : "")
      const tag = Base64.decode(signature)
      const suffix = signedForm(form)
      let isSigned = false
      for (const address of signedAddresses(url)) {
        // Compute every signature, even after a match, so that the time reveals nothing.
        isSigned = (yield* verify(tag, utf8(address + suffix))) || isSigned
      }
      if (!isSigned) return refused("Wrong signature")
      if (bodyHash !== null) {
        const actual = Hex.encode(yield* Effect.orDie(digest.digest(Digest.sha256, body)))
        return sameText(bodyHash.toLowerCase(), actual)
          ? malformed("A signed body that is no form")
          : refused("Wrong hash of the body")
      }
      const id = form.get("MessageSid") ?? form.get("SmsSid")
      if (id === null || id === "") return malformed("No MessageSid")
      const status = reportStatuses.get(form.get("MessageStatus") ?? form.get("SmsStatus") ?? "")
      // Incoming messages and unknown statuses are not about sent messages.
      if (status === undefined) return { _tag: "Reports", reports: [] }
      const ref = readRef(url.searchParams.get(refParameter))
      return { _tag: "Reports", reports: [reportOf(name, options, id, ref, status, form)] }
    })

const reportOf = (
  name: string,
  options: Pick<Options, "reasons">,
  gatewayId: string,
  ref: ReturnType<typeof readRef>,
  status: ReportStatus,
  form: URLSearchParams,
): DeliveryReport => {
  const code = form.get("ErrorCode") ?? ""
  const words = form.get("ErrorMessage") ?? form.get("ChannelStatusMessage") ?? ""
  const detail = [code, words].filter((part) => part !== "").join(": ")
  const reason = reasonOf(options, Number(code))
  return {
    of:
      ref === undefined
        ? { _tag: "GatewayId", gateway: name, gatewayId }
        : { _tag: "Message", ...ref },
    status,
    detail: detail === "" ? null : reportWords(detail, form.get("To") ?? undefined),
    ...(reason === undefined ? undefined : { reason }),
  }
}
