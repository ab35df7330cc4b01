/**
 * Twilio: SMS, and WhatsApp with content templates.
 *
 * https://www.twilio.com/docs/messaging/api/message-resource
 */
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Config from "effect/Config"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Callback } from "./Adapter.ts"
import { layerConfigOf, layerOf, optional, optionalText } from "./internal/adapter.ts"
import { inUnits } from "./internal/durations.ts"
import { writtenTime } from "./internal/evidence.ts"
import type { Answer } from "./internal/exchange.ts"
import { byCode, make as httpVendor, type Vendor, type Words } from "./HttpVendor.ts"
import { decoder } from "./internal/json.ts"
import { twilio as errorMeanings } from "./internal/meanings.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, messageOf } from "./internal/ref.ts"
import { malformed, refused, sameText, utf8, verifier, type Verify } from "./internal/callback.ts"
import { noPayment } from "./internal/whatsAppTemplate.ts"
import type { RefusalClass, TwilioOptions } from "./VendorOptions.ts"

export type Options = TwilioOptions<Redacted.Redacted>

/** Makes the adapter. Dies if `callbackUrl` is not a URL or if `authToken` is empty. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const digest = yield* Digest.Digest
  const verify = yield* verifier(Mac.hmacSha1, options.authToken)
  const name = options.name ?? "twilio"
  const callbackUrl =
    options.callbackUrl === undefined ? undefined : new URL(options.callbackUrl).href
  const validity = inUnits(1_000, "validity", options.validity, 1_000, 36_000_000)
  const { accountSid, apiKey, authToken, baseUrl = "https://api.twilio.com" } = options
  const account = encodeURIComponent(accountSid)
  const post = HttpClientRequest.post(
    `${baseUrl}/2010-04-01/Accounts/${account}/Messages.json`,
  ).pipe(
    HttpClientRequest.basicAuth(apiKey?.sid ?? accountSid, apiKey?.secret ?? authToken),
    HttpClientRequest.acceptJson,
  )
  return yield* httpVendor(options, {
    meanings: errorMeanings,
    name,
    channels: ["sms", "whatsapp"],
    capabilities: { segments: true, references: callbackUrl !== undefined },
    secrets: [authToken, apiKey?.secret],
    requestOf: (message) => {
      const content = contentOf(options, message)
      if (typeof content === "string") return content
      return HttpClientRequest.bodyUrlParams(post, {
        ...endsOf(options, message),
        ...content,
        ValidityPeriod: validity?.toString(),
        StatusCallback: callbackUrl && withRef(callbackUrl, markedRef(message)),
      })
    },
    outcomeOf: outcomeOf(options.reasons),
    documentedFailures: "all",
    callback:
      callbackUrl === undefined ? undefined : callback(name, options.reasons, verify, digest),
  })
})

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  accountSid: Config.NonEmptyString("TWILIO_ACCOUNT_SID"),
  authToken: Config.Redacted("TWILIO_AUTH_TOKEN"),
  apiKey: optional(
    Config.all({
      sid: Config.NonEmptyString("TWILIO_API_KEY_SID"),
      secret: Config.Redacted("TWILIO_API_KEY_SECRET"),
    }),
  ),
  messagingServiceSid: optionalText("TWILIO_MESSAGING_SERVICE_SID"),
  from: optionalText("TWILIO_FROM"),
  whatsApp: Config.all({
    from: optionalText("TWILIO_WHATSAPP_FROM"),
    verificationContent: optionalText("TWILIO_WHATSAPP_CONTENT_SID"),
  }),
  callbackUrl: optionalText("TWILIO_CALLBACK_URL"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

type Fields = Readonly<Record<string, string | undefined>>

/** Senders are stored without the plus of a phone number. Names and short codes stay as they are. */
const senderOf = (sender: string) => (/^[1-9]\d{6,14}$/.test(sender) ? `+${sender}` : sender)

const withPrefix = (number: string): string =>
  number.startsWith("whatsapp:") ? number : `whatsapp:${senderOf(number)}`

const endsOf = (
  options: Options,
  { channel, purpose, sender, phoneNumber }: GatewayMessage,
): Fields => {
  if (channel !== "sms") {
    return { To: `whatsapp:${phoneNumber}`, From: withPrefix(options.whatsApp?.from ?? sender) }
  }
  const { from = sender, messagingServiceSid } = options
  return {
    To: phoneNumber,
    From: messagingServiceSid === undefined ? senderOf(from) : undefined,
    MessagingServiceSid: messagingServiceSid,
    // A code has to arrive unchanged, and its text already fits its segments.
    SmartEncoded: purpose === "verification" ? "false" : undefined,
  }
}

/** Returns the fields of the content, or why it cannot be sent. */
const contentOf = (options: Options, message: GatewayMessage): Fields | string => {
  const text = Redacted.value(message.text)
  if (message.channel === "sms") return { Body: text }
  const { messageContent, verificationContent } = options.whatsApp ?? {}
  if (message.purpose === "message") {
    return messageContent === undefined ? { Body: text } : template(messageContent, text)
  }
  if (verificationContent === undefined) return { Body: text }
  if (message.payment !== undefined) return noPayment
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

const readCreated = decoder(
  Schema.Struct({
    sid: Schema.NonEmptyString,
    status: Schema.String,
    num_segments: Schema.optional(Schema.NullOr(Schema.String)),
    error_code: Schema.optional(Schema.NullOr(Schema.Number)),
    error_message: Schema.optional(Schema.NullOr(Schema.String)),
  }),
)

/** Both error formats: Twilio's own and RFC 9457. */
const readProblem = decoder(
  Schema.Struct({
    code: Schema.Number,
    message: Schema.optional(Schema.String),
    title: Schema.optional(Schema.String),
    detail: Schema.optional(Schema.NullOr(Schema.String)),
  }),
)

const failedStatuses = new Set(["failed", "undelivered", "canceled"])

const outcomeOf =
  (reasons: Options["reasons"]): Vendor["outcomeOf"] =>
  (answer, _message, words) => {
    if (Outcomes.isSuccess(answer.status)) {
      const created = readCreated(answer.json)
      if (created === undefined) return Outcomes.unreadable(answer.status)
      const { error_code: code, error_message: text, num_segments, sid, status } = created
      if (failedStatuses.has(status)) {
        const said = words(
          typeof code === "number" ? `${code}: ${text ?? status}` : (text ?? status),
        )
        const reason = typeof code === "number" ? reasonOf(reasons, code) : undefined
        // Twilio accepted the message before it failed. Without a documented code, parts may have been sent.
        return Outcomes.withCode(
          reason === undefined ? Outcomes.unknown(said) : Outcomes.rejected(reason, said),
          code,
        )
      }
      // 0 if the messaging service has not chosen the sender yet.
      return { _tag: "Accepted", gatewayId: sid, ...Outcomes.segmentsIn(num_segments) }
    }
    const problem = readProblem(answer.json)
    if (problem === undefined) return Outcomes.unexplained(answer.status, answer.headers)
    return Outcomes.withCode(refusalOf(reasons, answer, problem, words), problem.code)
  }

const refusalOf = (
  reasons: Options["reasons"],
  answer: Answer,
  problem: NonNullable<ReturnType<typeof readProblem>>,
  words: Words,
): Outcomes.Refusal => {
  const text = problem.message ?? problem.detail ?? problem.title ?? "refused"
  const said = words(`${problem.code}: ${text}`)
  const known = meanings.get(problem.code)
  if (answer.status === 429 || known === "throttled") {
    return Outcomes.throttled(said, Outcomes.retryAfterMillis(answer.headers))
  }
  // A server error proves nothing, even with a code.
  if (answer.status < 400 || answer.status >= 500) return Outcomes.unknown(said)
  // Twilio splits and adds codes over time, so there is a default for each status.
  const byStatus = [401, 403, 404].includes(answer.status) ? "account" : "content"
  return Outcomes.refusal(reasons?.[problem.code] ?? known ?? byStatus, said)
}

/** The classes of error codes. Only 30006, 21635 and the codes of the test credentials are confirmed. */
const meanings = byCode<RefusalClass>([
  // The recipient is unreachable or has opted out.
  ["recipient", [21211, 21214, 21610, 21614, 21635, 30005, 30006, 63003, 63024]],
  // The sender is not allowed, in general or for this destination.
  ["sender", [21212, 21408, 21606, 21608, 21612, 30034, 63007]],
  ["account", [10001, 20003, 20005, 30002]],
  ["content", [21617, 30007, 63013, 63016, 63049]],
  // Twilio accepted nothing.
  ["throttled", [20429, 21611, 30001, 63018]],
  // The error may be temporary. Twilio does not say whether the message was sent.
  ["unknown", [30003, 30008, 63012]],
])

const reasonOf = (reasons: Options["reasons"], code: number) =>
  reasons?.[code] ?? Outcomes.reasonIn(meanings.get(code))

const reportStatuses = byCode<ReportStatus, string>([
  ["accepted", ["accepted", "scheduled", "queued", "sending", "sent"]],
  // Some recipients have the message. Twilio does not say which.
  ["accepted", ["partially_delivered"]],
  ["delivered", ["delivered", "read"]],
  ["undelivered", ["undelivered"]],
  ["failed", ["failed", "canceled"]],
])

/**
 * Returns the query in the encoding of Twilio's former platform: `'` is not encoded, and all values of a name
 * follow its first occurrence.
 */
const legacySearch = (url: URL): string => {
  const grouped = Object.groupBy(url.searchParams, ([name]) => name)
  const pairs = Object.values(grouped).flatMap((entries = []) =>
    entries.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** The four URL forms that Twilio's own validator accepts. */
const signedAddresses = (url: URL): ReadonlyArray<string> => {
  const standardPort = url.protocol === "https:" ? "443" : "80"
  const hosts = [url.hostname, `${url.hostname}:${url.port === "" ? standardPort : url.port}`]
  const [written = ""] = url.href.slice(`${url.protocol}//${url.host}`.length).split("#")
  // A question mark without a query is kept.
  const targets = new Set([
    written,
    ...(url.search === "" ? [] : [url.pathname + legacySearch(url)]),
  ])
  return hosts.flatMap((host) => [...targets].map((target) => `${url.protocol}//${host}${target}`))
}

/** Every name in order of its code units, each followed by its distinct values. */
const signedForm = (form: URLSearchParams): string =>
  [...new Set(form.keys())]
    .toSorted()
    .flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value))
    .join("")

const callback = (
  name: string,
  reasons: Options["reasons"],
  verify: Verify,
  digest: Digest.Digest["Service"],
): Callback =>
  Effect.fnUntraced(function* ({ body, headers, method, url }) {
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
    const of = messageOf(name, id, url.searchParams.get(refParameter))
    const code = form.get("ErrorCode") ?? ""
    const words = form.get("ErrorMessage") ?? form.get("ChannelStatusMessage") ?? ""
    const detail = [code, words].filter((part) => part !== "").join(": ")
    const reason = reasonOf(reasons, Number(code))
    const evidence = {
      ...Object.fromEntries(keptFields.map((field) => [field, form.get(field)])),
      RawDlrDoneDate: writtenTime(form.get("RawDlrDoneDate") ?? ""),
    }
    const vendorCode = code === "" ? undefined : { vendorCode: code }
    const report = { of, status, detail: detail === "" ? null : detail, evidence, ...vendorCode }
    return { _tag: "Reports", reports: [{ ...report, ...(reason && { reason }) }] }
  })

const keptFields = [
  "MessageSid",
  "MessageStatus",
  "SmsSid",
  "SmsStatus",
  "ErrorCode",
  "MessagingServiceSid",
  "ChannelPrefix",
  "ChannelStatusCode",
  "EventType",
]
