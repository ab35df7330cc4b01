/**
 * Makes adapters to vendors that accept one message per HTTP request and answer with its result.
 *
 * You state the request, the meaning of each documented answer, and the vendor's abilities. The module sends the
 * request once, follows no redirect, and reads a bounded answer. It answers `NotSent` only if no byte has left, and
 * `Unknown` for lost answers, undocumented statuses, and answers that contradict themselves.
 */
import type { Channel } from "@countersign/core/domain/values/Channel"
import { type GatewayOutcome, isAccepted } from "@countersign/core/domain/messages/GatewayOutcome"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Tracing from "@countersign/core/engine/Tracing"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import type { CommonOptions } from "./VendorOptions.ts"
import { adapterOf, type Parts } from "./internal/adapter.ts"
import { type Answer, exchange } from "./internal/exchange.ts"
import * as Outcomes from "./internal/outcomes.ts"

export type { Parts } from "./internal/adapter.ts"
export { malformed, refused, sameText, utf8, verifier, type Verify } from "./internal/callback.ts"
export type { Answer } from "./internal/exchange.ts"
export {
  type AnswerHeaders,
  notSent,
  type Refusal,
  rejected,
  retryAfterMillis,
  throttled,
  unexplained,
  unknown,
  unsupported,
} from "./internal/outcomes.ts"
export { markedRef, messageOf, readRef } from "./internal/ref.ts"

/** Removes the secrets of the account from a vendor's text. */
export type Words = (text: string) => string

/** Signs a request. */
export type Sign<Message = GatewayMessage> = (
  request: HttpClientRequest.HttpClientRequest,
  message: Message,
) => Effect.Effect<HttpClientRequest.HttpClientRequest>

/** How a vendor takes messages. */
export interface Sending<Message extends { readonly channel: Channel }> {
  /** Channels that the vendor carries. @defaultValue `["sms"]` */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Secrets that are removed from the vendor's texts. */
  readonly secrets: ReadonlyArray<Redacted.Redacted | undefined>
  /** Returns the request, or the reason why none can be made. */
  readonly requestOf: (message: Message) => HttpClientRequest.HttpClientRequest | string
  readonly sign?: Sign<Message> | undefined
  /**
   * Whether requests carry the header `traceparent`, for servers of the host itself. @defaultValue `false`
   */
  readonly sendsTraceparent?: boolean | undefined
  /** Returns the meaning of an answer with a status below 300, or from 400 to 499. */
  readonly outcomeOf: (answer: Answer, message: Message, words: Words) => GatewayOutcome
  /** Statuses from 500 on whose answers also have a meaning; `all` if the answer's body decides. */
  readonly documentedFailures?: ReadonlyArray<number> | "all" | undefined
  /** Statuses from 300 on with which the vendor may confirm the message. */
  readonly alsoTaken?: ReadonlyArray<number> | undefined
}

/** A vendor, and the parts of its gateway. */
export interface Vendor extends Omit<Parts, "send">, Sending<GatewayMessage> {}

/** Makes the function that sends a message once. Never fails. */
export const sendTo = <Message extends { readonly channel: Channel }>(
  client: HttpClient.HttpClient,
  vendor: Sending<Message>,
): ((message: Message) => Effect.Effect<GatewayOutcome>) => {
  const { alsoTaken = [], channels = ["sms"], documentedFailures = [], sign } = vendor
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    vendor.sendsTraceparent === true
      ? Effect.flatMap(withTraceparent(request), (traced) => exchange(client, traced))
      : exchange(client, request)
  const isRead = (status: number): boolean =>
    documentedFailures === "all" ||
    Outcomes.isSuccess(status) ||
    (status >= 400 && status < 500) ||
    documentedFailures.includes(status)
  return (message) => {
    if (!channels.includes(message.channel)) {
      return Effect.succeed(Outcomes.unsupported(`Carries no messages of ${message.channel}`))
    }
    const request = vendor.requestOf(message)
    if (typeof request === "string") return Effect.succeed(Outcomes.unsupported(request))
    const answered =
      sign === undefined ? send(request) : Effect.flatMap(sign(request, message), send)
    return Effect.map(answered, (answer) => {
      if (answer._tag !== "Answer") return answer
      const { status } = answer
      if (!isRead(status)) return Outcomes.unreadable(status)
      const outcome = vendor.outcomeOf(answer, message, (text) =>
        Outcomes.withoutSecrets(text, vendor.secrets),
      )
      // Status and body contradict each other, so the outcome is unknown.
      return isAccepted(outcome) && !Outcomes.isSuccess(status) && !alsoTaken.includes(status)
        ? Outcomes.unreadable(status)
        : outcome
    })
  }
}

/** The request with the span that it is sent in, if there is one. */
const withTraceparent = (
  request: HttpClientRequest.HttpClientRequest,
): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Effect.withFiber(({ context }) => {
    const span = Tracing.isTraced(context) ? Tracing.current(context) : undefined
    return Effect.succeed(
      span === undefined
        ? request
        : HttpClientRequest.setHeader(request, "traceparent", Tracing.traceparentOf(span)),
    )
  })

/** Makes the adapter. Pass it to `Callbacks` if it reads reports, and its gateway to the engine. */
export const make = (options: CommonOptions, vendor: Vendor) =>
  Effect.map(HttpClient.HttpClient, (client) =>
    adapterOf(options, { ...vendor, send: sendTo(client, vendor) }),
  )

/** Makes a table of codes from the codes of each meaning. */
export const byCode = <A, Code = number>(
  rows: ReadonlyArray<readonly [meaning: A, codes: ReadonlyArray<Code>]>,
): ReadonlyMap<Code, A> =>
  new Map(rows.flatMap(([meaning, codes]) => codes.map((code) => [code, meaning] as const)))
