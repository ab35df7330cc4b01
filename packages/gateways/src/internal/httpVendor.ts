/** Common parts of adapters whose vendors accept one message per HTTP request and answer with its result. */
import type { Channel } from "@countersign/core/domain/Channel"
import { type GatewayOutcome, isAccepted } from "@countersign/core/domain/GatewayOutcome"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import type { Adapter } from "../Adapter.ts"
import type { CommonOptions } from "../VendorOptions.ts"
import { adapterOf, type Parts } from "./adapter.ts"
import { type Answer, exchange } from "./exchange.ts"
import * as Outcomes from "./outcomes.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

/** Removes the secrets of the account from a vendor's text. */
export type Words = (text: string) => string

/** Signs a request. */
export type Sign = (
  request: HttpClientRequest.HttpClientRequest,
  message: GatewayMessage,
) => Effect.Effect<HttpClientRequest.HttpClientRequest>

export interface Vendor extends Omit<Parts, "send"> {
  /** Channels that the vendor carries. @defaultValue `["sms"]` */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Secrets that are removed from the vendor's texts. */
  readonly secrets: ReadonlyArray<Redacted.Redacted | undefined>
  /** Returns the request, or the reason why none can be made. */
  readonly requestOf: (message: GatewayMessage) => HttpClientRequest.HttpClientRequest | string
  readonly sign?: Sign | undefined
  /** Returns the meaning of an answer with a status below 300, or from 400 to 499. */
  readonly outcomeOf: (answer: Answer, message: GatewayMessage, words: Words) => GatewayOutcome
  /** Statuses from 500 on whose answers also have a meaning; `all` if the answer's body decides. */
  readonly documentedFailures?: ReadonlyArray<number> | "all" | undefined
  /** Statuses from 300 on with which the vendor may confirm the message. */
  readonly alsoTaken?: ReadonlyArray<number> | undefined
}

/** Sends a message once. */
const sendTo = (client: HttpClient.HttpClient, vendor: Vendor): Parts["send"] => {
  const { alsoTaken = [], channels = ["sms"], documentedFailures = [], sign } = vendor
  const secrets = vendor.secrets.filter((secret) => secret !== undefined)
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
      sign === undefined
        ? exchange(client, request)
        : Effect.flatMap(sign(request, message), (signed) => exchange(client, signed))
    return Effect.map(answered, (answer) => {
      if (answer._tag !== "Answer") return answer
      const { status } = answer
      if (!isRead(status)) return Outcomes.unreadable(status)
      const outcome = vendor.outcomeOf(answer, message, (text) => withoutSecrets(text, secrets))
      // Status and body contradict each other, so the outcome is unknown.
      return isAccepted(outcome) && !Outcomes.isSuccess(status) && !alsoTaken.includes(status)
        ? Outcomes.unreadable(status)
        : outcome
    })
  }
}

/** Makes the adapter. */
export const httpVendor = (
  options: CommonOptions,
  vendor: Vendor,
): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) =>
    adapterOf(options, { ...vendor, send: sendTo(client, vendor) }),
  )

/** Makes a table of codes from the codes of each meaning. */
export const byCode = <A, Code = number>(
  rows: ReadonlyArray<readonly [meaning: A, codes: ReadonlyArray<Code>]>,
): ReadonlyMap<Code, A> =>
  new Map(rows.flatMap(([meaning, codes]) => codes.map((code) => [code, meaning] as const)))
