/**
 * Common parts of adapters whose vendors accept one message per request and answer with its result.
 */
import type { Channel } from "@countersign/core/domain/Channel"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome, RejectionReason } from "@countersign/core/domain/GatewayOutcome"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import { type Answer, exchange } from "./exchange.ts"
import * as Outcomes from "./outcomes.ts"
import { vendorWords } from "./vendorWords.ts"

/** Removes sensitive data from a vendor's text. */
export type Words = (text: string) => string

export interface Vendor {
  readonly client: HttpClient.HttpClient
  /** Channels that the vendor carries. @defaultValue `["sms"]` */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Secrets that are removed from the vendor's texts. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Returns the request, or the outcome if none can be made. */
  readonly requestOf: (
    message: GatewayMessage,
  ) => HttpClientRequest.HttpClientRequest | GatewayOutcome
  /** Returns the meaning of an answer with a status below 300, or from 400 to 499. */
  readonly outcomeOf: (answer: Answer, message: GatewayMessage, words: Words) => GatewayOutcome
  /** Statuses from 500 on whose answers also have a meaning. */
  readonly documentedFailures?: ReadonlyArray<number> | undefined
  /** Statuses from 300 on with which the vendor may confirm the message. */
  readonly alsoTaken?: ReadonlyArray<number> | undefined
}

const sms: ReadonlyArray<Channel> = ["sms"]

const isOutcome = (
  made: HttpClientRequest.HttpClientRequest | GatewayOutcome,
): made is GatewayOutcome => "_tag" in made

const isTaken = ({ _tag }: GatewayOutcome): boolean => _tag === "Accepted" || _tag === "Delivered"

/** Sends a message once. */
export const sendTo =
  (vendor: Vendor) =>
  (message: GatewayMessage): Effect.Effect<GatewayOutcome> => {
    const { alsoTaken = [], channels = sms, documentedFailures = [] } = vendor
    if (!channels.includes(message.channel)) {
      return Effect.succeed(Outcomes.unsupported(`Carries no messages of ${message.channel}`))
    }
    const request = vendor.requestOf(message)
    if (isOutcome(request)) return Effect.succeed(request)
    return Effect.map(exchange(vendor.client, request), (answer) => {
      if (answer._tag !== "Answer") return answer
      const { status } = answer
      const isRead =
        Outcomes.isSuccess(status) ||
        (status >= 400 && status < 500) ||
        documentedFailures.includes(status)
      if (!isRead) return Outcomes.unreadable(status)
      const outcome = vendor.outcomeOf(answer, message, (text) =>
        vendorWords(text, message, vendor.secrets),
      )
      // Status and body contradict each other, so the outcome is unknown.
      return isTaken(outcome) && !Outcomes.isSuccess(status) && !alsoTaken.includes(status)
        ? Outcomes.unreadable(status)
        : outcome
    })
  }

/** Classes for a vendor's rejection that a host can configure. */
export type RefusalClass = RejectionReason | "throttled" | "unknown"

export const refusalOf = (kind: RefusalClass, message: string): GatewayOutcome => {
  switch (kind) {
    case "throttled":
      return Outcomes.throttled(message)
    case "unknown":
      return Outcomes.unknown(message)
    case "recipient":
    case "content":
    case "sender":
    case "account":
      return Outcomes.rejected(kind, message)
  }
}
