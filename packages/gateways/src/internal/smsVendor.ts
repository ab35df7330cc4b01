/**
 * What adapters of vendors have in common that take one message by one request, and tell in their answer
 * what became of it.
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

/** The vendor's words, made fit to be kept. */
export type Words = (text: string) => string

export interface Vendor {
  readonly client: HttpClient.HttpClient
  /** `sms` alone when left out. */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** What is cut out of the vendor's words. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** The request, or the outcome where none can be made. */
  readonly requestOf: (
    message: GatewayMessage,
  ) => HttpClientRequest.HttpClientRequest | GatewayOutcome
  /** What an answer with a status below 300, or from 400 to 499, means. */
  readonly outcomeOf: (answer: Answer, message: GatewayMessage, words: Words) => GatewayOutcome
  /** Statuses from 500 on whose answers mean something as well. */
  readonly documentedFailures?: ReadonlyArray<number> | undefined
  /** Statuses from 300 on by which the vendor may say that it has the message. */
  readonly alsoTaken?: ReadonlyArray<number> | undefined
}

const sms: ReadonlyArray<Channel> = ["sms"]

const isOutcome = (
  made: HttpClientRequest.HttpClientRequest | GatewayOutcome,
): made is GatewayOutcome => "_tag" in made

const isTaken = ({ _tag }: GatewayOutcome): boolean => _tag === "Accepted" || _tag === "Delivered"

/** Hands a message over once. */
export const sendTo =
  (vendor: Vendor) =>
  (message: GatewayMessage): Effect.Effect<GatewayOutcome> => {
    const { alsoTaken = [], channels = sms, documentedFailures = [] } = vendor
    if (!channels.includes(message.channel)) {
      return Effect.succeed(Outcomes.leftToOthers(`Carries no messages of ${message.channel}`))
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
      // Two words that contradict each other are none.
      return isTaken(outcome) && !Outcomes.isSuccess(status) && !alsoTaken.includes(status)
        ? Outcomes.unreadable(status)
        : outcome
    })
  }

/** What a refusal of a vendor may be counted as, where a host knows better. */
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
