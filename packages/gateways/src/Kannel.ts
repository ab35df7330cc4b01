/**
 * Kannel: SMS through the `sendsms` interface of its smsbox.
 *
 * https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { errorText, type ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Segments from "@countersign/core/text/Segments"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import type { Callback } from "./Adapter.ts"
import { layerConfigOf, layerOf, optional, optionalText } from "./internal/adapter.ts"
import { inUnits } from "./internal/durations.ts"
import { receiptFields, receiptState, withoutText } from "./internal/evidence.ts"
import { make as httpVendor, type Vendor } from "./HttpVendor.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, readRef } from "./internal/ref.ts"
import { malformed, refused, utf8, verifier, type Verify } from "./internal/callback.ts"
import { meanings, statusCode, verdictOf } from "./internal/smpp/statuses.ts"
import type { KannelOptions, RefusalClass } from "./VendorOptions.ts"

export type Options = KannelOptions<Redacted.Redacted>

/**
 * Makes the adapter. Dies if a URL is invalid, if an option cannot be an HTTP header, or if the secret is empty. Also
 * dies if only one of `callbackUrl` and `callbackSecret` is set.
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { callbackSecret, callbackUrl } = options
  // Kannel would otherwise send no reports without a warning.
  if ((callbackSecret === undefined) !== (callbackUrl === undefined)) {
    throw new TypeError("callbackUrl and callbackSecret go together")
  }
  const post = requestTo(options)
  const callback =
    callbackSecret === undefined || callbackUrl === undefined
      ? undefined
      : yield* signedCallback(callbackSecret, new URL(callbackUrl))
  return yield* httpVendor(options, {
    // Kannel passes on the statuses of the message centre. Its own refusals have a text and no code.
    meanings,
    name: "kannel",
    capabilities: { segments: true, references: callback !== undefined },
    secrets: [options.password],
    sendsTraceparent: true,
    requestOf: (message) => requestOf(options, post, message),
    sign: callback?.sign,
    outcomeOf,
    documentedFailures: [503],
    callback: callback?.read,
  })
})

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. Fails if only one of the two variables for reports is set. */
export const config: Config.Config<Options> = Config.flatMap(
  Config.all({
    url: Config.URL("KANNEL_URL"),
    username: Config.NonEmptyString("KANNEL_USERNAME"),
    password: Config.Redacted("KANNEL_PASSWORD"),
    from: optionalText("KANNEL_FROM"),
    smsc: optionalText("KANNEL_SMSC"),
    callbackUrl: optional(Config.URL("KANNEL_CALLBACK_URL")),
    callbackSecret: optional(Config.Redacted("KANNEL_CALLBACK_SECRET")),
  }),
  (read) =>
    (read.callbackUrl === undefined) === (read.callbackSecret === undefined)
      ? Config.succeed(read)
      : Config.fail(
          new ConfigProvider.SourceError({
            message: "KANNEL_CALLBACK_URL and KANNEL_CALLBACK_SECRET go together",
          }),
        ),
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

const printable = /^[\x20-\x7e]*$/

/** Uses POST and sends everything but the text in headers, because Kannel and its proxies log URLs. */
const requestTo = (options: Options): HttpClientRequest.HttpClientRequest => {
  const validity = inUnits(60_000, "validity", options.validity, 60_000)
  const headers = {
    "X-Kannel-Username": options.username,
    "X-Kannel-Password": Redacted.value(options.password),
    "X-Kannel-SMSC": options.smsc,
    "X-Kannel-Account": options.account,
    "X-Kannel-Validity": validity?.toString(),
  }
  for (const [name, value = ""] of Object.entries(headers)) {
    if (!printable.test(value)) throw new TypeError(`${name} cannot hold what is configured`)
  }
  return HttpClientRequest.post(new URL(options.url).href).pipe(
    HttpClientRequest.setHeaders(headers),
  )
}

const requestOf = (
  options: Options,
  post: HttpClientRequest.HttpClientRequest,
  { sender, text, phoneNumber }: GatewayMessage,
): HttpClientRequest.HttpClientRequest | string => {
  const from = options.from ?? sender
  if (!printable.test(from)) return "Kannel has no room for this sender"
  const plain = Redacted.value(text)
  return post.pipe(
    HttpClientRequest.setHeaders({
      "X-Kannel-From": from,
      "X-Kannel-To": PhoneNumber.digits(phoneNumber),
      "X-Kannel-Coding": Segments.encodingOf(plain) === "gsm7" ? "0" : "2",
    }),
    HttpClientRequest.bodyText(plain, "text/plain; charset=UTF-8"),
  )
}

const outcomeOf: Vendor["outcomeOf"] = ({ status, text }, message, words) => {
  if (status === 202 && taken.some((beginning) => text.startsWith(beginning))) {
    // Kannel assigns no id to a message.
    const { segments } = Segments.count(Redacted.value(message.text))
    return { _tag: "Accepted", gatewayId: message.token, segments }
  }
  const refusal = refusalOf(text)
  if (refusal === undefined || status < 400) return Outcomes.unreadable(status)
  return Outcomes.refusal(refusal, words(text))
}

/** Prefixes of answers that accept a message. */
const taken = ["0: Accepted for delivery", "3: Queued for later delivery"]

/** Prefixes of rejections, with their reasons. */
const refusals: ReadonlyArray<readonly [beginning: string, kind: RefusalClass]> = [
  ["Authorization failed for sendsms", "account"],
  ["Not routable. Do not try again.", "account"],
  ["Empty receiver number not allowed, rejected", "recipient"],
  ["Missing receiver", "recipient"],
  ["Number(s) has/have been denied by white- and/or black-lists.", "recipient"],
  ["Sender missing and no global set, rejected", "sender"],
  ["Charset or body misformed, rejected", "content"],
  ["Invalid content-type", "account"],
  ["Unsupported content-type", "account"],
  ["Temporal failure, try again later.", "throttled"],
]

/** Returns the meaning of a rejection; `undefined` for an unknown text. */
const refusalOf = (text: string): RefusalClass | undefined =>
  refusals.find(([beginning]) => text.startsWith(beginning))?.[1] ??
  // `DLR-URL field misformed, rejected` and similar texts: the configuration is wrong.
  (/^[A-Z][\w-]*(?: or body)? field misformed(?: or too long)?, rejected/.test(text)
    ? "account"
    : undefined)

/** Adds the callback URL to requests, with Kannel's escape codes, and reads its requests. */
const signedCallback = Effect.fnUntraced(function* (secret: Redacted.Redacted, url: URL) {
  const mac = yield* Mac.Mac
  const verify = yield* verifier(Mac.hmacSha256, secret)
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, utf8(Redacted.value(secret))))
  const path = `${url.origin}${url.pathname.replace(/\/+$/, "")}`
  const sign = (request: HttpClientRequest.HttpClientRequest, message: GatewayMessage) => {
    const ref = markedRef(message)
    return Effect.map(Effect.orDie(mac.sign(key, utf8(ref))), (tag) => {
      // Kannel replaces `%` escapes, so a literal percent sign is doubled.
      const address = `${path}/${ref}/${Base64Url.encode(tag)}`.replaceAll("%", "%%")
      // Receipts quote the start of the message, which often contains the code. Keep that out of the URL.
      const query = message.purpose === "verification" ? "type=%d" : "type=%d&answer=%A"
      return HttpClientRequest.setHeaders(request, {
        // The bits of all reports.
        "X-Kannel-DLR-Mask": "31",
        "X-Kannel-DLR-URL": `${address}?${query}`,
      })
    })
  }
  return { sign, read: reader(verify) }
})

const reader = (verify: Verify): Callback =>
  Effect.fnUntraced(function* ({ method, url }) {
    // The reference and its signature are at the end of the path.
    const [, text = "", tag = ""] = /\/([^/]+)\/([A-Za-z0-9_-]+)$/.exec(url.pathname) ?? []
    const isSigned = yield* verify(Base64Url.decode(tag), utf8(text))
    if (!isSigned) return refused("Wrong signature")
    if (method !== "GET") return refused("Not a report")
    const ref = readRef(text)
    const status = statusOf(url.searchParams.get("type"))
    if (ref === undefined || status === undefined) return malformed("Not a report that is known")
    if (status === null) return { _tag: "Reports", reports: [] }
    const answer = url.searchParams.get("answer")
    return {
      _tag: "Reports",
      reports: [
        {
          of: { _tag: "Message", ...ref },
          status,
          ...receiptDetail(answer),
          evidence: { type: url.searchParams.get("type"), ...receiptFields(answer ?? "") },
        },
      ],
    }
  })

/** The bits of `%d`. */
const bits = { delivered: 1, undelivered: 2, buffered: 4, submitted: 8, refused: 16, unknown: 64 }

/** Returns the status in `%d`; `undefined` if it is not a number, `null` if it has no meaning. */
const statusOf = (type: string | null): ReportStatus | null | undefined => {
  if (type === null || !/^\d{1,3}$/.test(type)) return undefined
  const mask = Number(type)
  const has = (bit: number): boolean => (mask & bit) !== 0
  if (has(bits.delivered)) return "delivered"
  // The centre does not know the state.
  if (has(bits.unknown)) return "accepted"
  if (has(bits.undelivered)) return "undelivered"
  if (has(bits.refused)) return "rejected"
  return has(bits.buffered) || has(bits.submitted) ? "accepted" : null
}

const nack = /^NACK\/(0x[0-9a-fA-F]{1,8})(?:\/([\w -]{0,80}))?$/
const state = /(?:^|\s)stat:([A-Za-z]{1,16})/
const error = /(?:^|\s)err:([0-9A-Za-z]{1,8})/

/**
 * Extracts the storable part of `%A`: the status with which the centre rejected the message, or the state and
 * the error of its receipt. Never the text that the receipt quotes.
 */
const receiptDetail = (
  answer: string | null,
): Pick<DeliveryReport, "detail" | "reason" | "vendorCode"> => {
  const [, status, words] = nack.exec(answer ?? "") ?? []
  if (status !== undefined) {
    const reason = Outcomes.reasonIn(verdictOf(Number(status), undefined))
    const detail = errorText(words === undefined || words === "" ? status : `${status} ${words}`)
    const vendorCode = statusCode(Number(status))
    return reason === undefined ? { detail, vendorCode } : { detail, reason, vendorCode }
  }
  const receipt = withoutText(answer ?? "")
  const word = state.exec(receipt)?.[1]
  return { detail: word === undefined ? null : receiptState(word, error.exec(receipt)?.[1]) }
}
