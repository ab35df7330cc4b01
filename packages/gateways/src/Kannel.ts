/**
 * Kannel: SMS through the `sendsms` interface of its smsbox.
 *
 * https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html
 */
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Segments from "@countersign/core/text/Segments"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Adapter, Callback } from "./Adapter.ts"
import {
  defaultTimeoutMillis,
  layerOf,
  malformed,
  plainCapabilities,
  pushing,
  refused,
} from "./internal/adapter.ts"
import type { Answer } from "./internal/exchange.ts"
import { isTaken, refusalOf, receiptDetail, statusOf } from "./internal/kannelWords.ts"
import * as Outcomes from "./internal/outcomes.ts"
import { markedRef, readRef } from "./internal/ref.ts"
import { utf8, verifier, type Verify } from "./internal/signing.ts"
import { sendTo, type Words } from "./internal/smsVendor.ts"

export interface CallbackOptions {
  /** The callback URL for reports: `Callbacks.urlOf`. */
  readonly url: string | URL
  /**
   * Signs the callback URL of each message, because Kannel signs nothing. Generate it, and share it with no
   * other system.
   */
  readonly secret: Redacted.Redacted
}

export interface Options {
  /** URL of `sendsms`: `http://127.0.0.1:13013/cgi-bin/sendsms`. */
  readonly url: string | URL
  /** User in the group `sendsms-user`. Username and password have to be printable ASCII. */
  readonly username: string
  readonly password: Redacted.Redacted
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /** The `smsc-id` that carries the message. @defaultValue Kannel's choice */
  readonly smsc?: string | undefined
  /** Account name for Kannel's access log. */
  readonly account?: string | undefined
  /** How long the message centre may try, in minutes. @defaultValue the centre's own default */
  readonly validityMinutes?: number | undefined
  /** Enables reports. `undefined`: there are no reports, and an accepted message counts as delivered. */
  readonly callback?: CallbackOptions | undefined
  /** Name of the gateway. @defaultValue `kannel` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
}

/**
 * Makes the adapter. Dies if a URL is invalid, if an option cannot be an HTTP header, or if the secret is
 * empty.
 */
export const make: (
  options: Options,
) => Effect.Effect<Adapter, never, HttpClient.HttpClient | Mac.Mac> = Effect.fnUntraced(function* (
  options: Options,
) {
  const client = yield* HttpClient.HttpClient
  const post = requestTo(options)
  const callback =
    options.callback === undefined ? undefined : yield* signedCallback(options.callback)
  const send = Effect.fnUntraced(function* (message: GatewayMessage) {
    const reportsTo = callback === undefined ? undefined : yield* callback.addressOf(message)
    return yield* sendTo({
      client,
      secrets: [options.password],
      documentedFailures: [503],
      requestOf: () => requestOf(options, post, message, reportsTo),
      outcomeOf,
    })(message)
  })
  return pushing(
    {
      name: options.name ?? "kannel",
      capabilities: {
        ...plainCapabilities,
        reports: callback === undefined ? "none" : "signed",
        segments: true,
        timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
      },
      send,
    },
    callback?.read,
  )
})

/** Provides the gateway to the engine, without reports. For reports, pass the adapter to `Callbacks`. */
export const layer = (
  options: Options,
): Layer.Layer<Gateway, never, HttpClient.HttpClient | Mac.Mac> => layerOf(make(options))

/**
 * Fails if only one of the two variables is set. Otherwise the gateway would lack reports without a warning.
 */
const callback = Config.flatMap(
  Config.all({
    url: Config.option(Config.URL("KANNEL_CALLBACK_URL")),
    secret: Config.option(Config.Redacted("KANNEL_CALLBACK_SECRET")),
  }),
  ({ secret, url }): Config.Config<CallbackOptions | undefined> => {
    if (Option.isNone(url) && Option.isNone(secret)) return Config.succeed(undefined)
    return Option.isSome(url) && Option.isSome(secret)
      ? Config.succeed({ url: url.value, secret: secret.value })
      : Config.fail(
          new ConfigProvider.SourceError({
            message: "KANNEL_CALLBACK_URL and KANNEL_CALLBACK_SECRET go together",
          }),
        )
  },
)

/**
 * Environment variables that {@link layerConfig} reads: KANNEL_URL, KANNEL_USERNAME, KANNEL_PASSWORD and
 * those below.
 */
export const config: Config.Config<Options> = Config.map(
  Config.all({
    url: Config.URL("KANNEL_URL"),
    username: Config.NonEmptyString("KANNEL_USERNAME"),
    password: Config.Redacted("KANNEL_PASSWORD"),
    from: Config.option(Config.NonEmptyString("KANNEL_FROM")),
    smsc: Config.option(Config.NonEmptyString("KANNEL_SMSC")),
    callback,
  }),
  (read) => ({
    url: read.url,
    username: read.username,
    password: read.password,
    from: Option.getOrUndefined(read.from),
    smsc: Option.getOrUndefined(read.smsc),
    callback: read.callback,
  }),
)

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient | Mac.Mac> =>
  Layer.unwrap(Effect.map(config, (read) => layer({ ...read, ...options })))

const printable = /^[\x20-\x7e]*$/

/** Uses POST and sends everything but the text in headers, because Kannel and its proxies log URLs. */
const requestTo = (options: Options): HttpClientRequest.HttpClientRequest => {
  const headers = {
    "X-Kannel-Username": options.username,
    "X-Kannel-Password": Redacted.value(options.password),
    ...(options.smsc === undefined ? undefined : { "X-Kannel-SMSC": options.smsc }),
    ...(options.account === undefined ? undefined : { "X-Kannel-Account": options.account }),
    ...(options.validityMinutes === undefined
      ? undefined
      : { "X-Kannel-Validity": String(Math.max(1, Math.floor(options.validityMinutes))) }),
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!printable.test(value)) throw new TypeError(`${name} cannot hold what is configured`)
  }
  return HttpClientRequest.post(new URL(options.url).href).pipe(
    HttpClientRequest.setHeaders(headers),
  )
}

/** Bits of the requested reports: all of them. */
const everyReport = 31

const codings: Record<Segments.Encoding, string> = { gsm7: "0", ucs2: "2" }

const requestOf = (
  options: Options,
  post: HttpClientRequest.HttpClientRequest,
  { sender, text, to }: GatewayMessage,
  reportsTo: string | undefined,
): HttpClientRequest.HttpClientRequest | GatewayOutcome => {
  const from = options.from ?? sender
  if (!printable.test(from)) {
    return Outcomes.unsupported("Kannel has no room for this sender")
  }
  const plain = Redacted.value(text)
  return post.pipe(
    HttpClientRequest.setHeaders({
      "X-Kannel-From": from,
      "X-Kannel-To": PhoneNumber.digits(to),
      "X-Kannel-Coding": codings[Segments.encodingOf(plain)],
      ...(reportsTo === undefined
        ? undefined
        : { "X-Kannel-DLR-Mask": String(everyReport), "X-Kannel-DLR-URL": reportsTo }),
    }),
    HttpClientRequest.bodyText(plain, "text/plain; charset=UTF-8"),
  )
}

const outcomeOf = (
  { status, text }: Answer,
  message: GatewayMessage,
  words: Words,
): GatewayOutcome => {
  if (status === 202 && isTaken(text)) {
    // Kannel assigns no id to a message.
    const { segments } = Segments.count(Redacted.value(message.text))
    return { _tag: "Accepted", gatewayId: message.token, segments }
  }
  const refusal = refusalOf(text)
  if (refusal === undefined || status < 400) return Outcomes.unreadable(status)
  return refusal === "throttled"
    ? Outcomes.throttled(words(text))
    : Outcomes.rejected(refusal, words(text))
}

interface SignedCallback {
  /** Returns the callback URL for a message, with Kannel's escape codes. */
  readonly addressOf: (message: GatewayMessage) => Effect.Effect<string>
  readonly read: Callback
}

const signedCallback = Effect.fnUntraced(function* ({ secret, url }: CallbackOptions) {
  const mac = yield* Mac.Mac
  const verify = yield* verifier(Mac.hmacSha256, secret)
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, utf8(Redacted.value(secret))))
  const sign = (ref: string) => Effect.map(Effect.orDie(mac.sign(key, utf8(ref))), Base64Url.encode)
  const base = new URL(url)
  const path = `${base.origin}${base.pathname.replace(/\/+$/, "")}`
  return {
    addressOf: (message) => {
      const ref = markedRef(message)
      return Effect.map(sign(ref), (tag) => {
        // Kannel replaces `%` escapes, so a literal percent sign is doubled.
        const address = `${path}/${ref}/${tag}`.replaceAll("%", "%%")
        // Receipts quote the start of the message, which often contains the code. Keep that out of the URL.
        return message.purpose === "verification"
          ? `${address}?type=%d`
          : `${address}?type=%d&answer=%A`
      })
    },
    read: reader(verify),
  } satisfies SignedCallback
})

/** The reference and its signature at the end of the path. */
const signedPath = /\/([^/]+)\/([A-Za-z0-9_-]+)$/

const reader =
  (verify: Verify): Callback =>
  ({ method, url }) =>
    Effect.gen(function* () {
      const [, text = "", tag = ""] = signedPath.exec(url.pathname) ?? []
      const isSigned = yield* verify(Base64Url.decode(tag), utf8(text))
      if (!isSigned) return refused("Wrong signature")
      if (method !== "GET") return refused("Not a report")
      const ref = readRef(text)
      const status = statusOf(url.searchParams.get("type"))
      if (ref === undefined || status === undefined) return malformed("Not a report that is known")
      if (status === null) return { _tag: "Reports", reports: [] }
      const { detail, reason } = receiptDetail(url.searchParams.get("answer"))
      return {
        _tag: "Reports",
        reports: [
          {
            of: { _tag: "Message", ...ref },
            status,
            detail,
            ...(reason === undefined ? undefined : { reason }),
          },
        ],
      }
    })
