import type { GatewayOutcome as Outcome } from "@countersign/core/domain/messages/GatewayOutcome"
import * as HttpVendor from "@countersign/gateways/HttpVendor"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import type { Gateway, GatewayOutcome, OutgoingMessage } from "../types/gateways.ts"
import * as HostGateway from "./hostGateway.ts"

/** A request to a vendor. */
export interface HttpRequest {
  /** @defaultValue `"POST"` */
  readonly method?: "GET" | "POST" | "PUT" | undefined
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A value that is sent as JSON, or a text. @defaultValue no body */
  readonly body?: { readonly json: unknown } | { readonly text: string; readonly type: string }
}

/** An answer of a vendor. */
export interface HttpAnswer {
  readonly status: number
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The text parsed as JSON; `undefined` if it is not JSON. */
  readonly json: unknown
}

/** A vendor that accepts a message in one HTTP request. */
export interface HttpSenderOptions {
  /** The keys and passwords of the account. They are removed from the vendor's words. */
  readonly secrets: ReadonlyArray<string>
  /** The request that carries a message. */
  readonly request: (message: OutgoingMessage) => HttpRequest
  /**
   * The meaning of an answer with a status below 300, or from 400 to 499. Answer `unknown` unless the vendor documents
   * the answer.
   */
  readonly outcome: (answer: HttpAnswer, message: OutgoingMessage) => GatewayOutcome
  /** Statuses from 500 on whose answers also have a meaning. @defaultValue none */
  readonly documentedFailures?: ReadonlyArray<number> | undefined
}

const plainOf = (outcome: Outcome): GatewayOutcome => {
  switch (outcome._tag) {
    case "Accepted":
      return { status: "accepted", gatewayId: outcome.gatewayId }
    case "Delivered":
      return { status: "delivered", gatewayId: outcome.gatewayId }
    case "Rejected": {
      const { message, reason, unreachable, vendorCode } = outcome
      return { status: "rejected", message, reason, unreachable, vendorCode }
    }
    case "Throttled": {
      const { message, retryAfterMillis: millis, vendorCode } = outcome
      const retryAfter = millis === undefined ? undefined : (`${millis} milliseconds` as const)
      return { status: "throttled", message, retryAfter, vendorCode }
    }
    case "NotSent":
      return { status: "not_sent", message: outcome.message, vendorCode: outcome.vendorCode }
    case "Unknown":
      return { status: "unknown", message: outcome.message, vendorCode: outcome.vendorCode }
  }
}

const requestOf = ({ body, headers = {}, method = "POST", url }: HttpRequest) => {
  const request = HttpClientRequest.make(method)(url, { headers })
  if (body === undefined) return request
  return "json" in body
    ? HttpClientRequest.bodyText(request, JSON.stringify(body.json), "application/json")
    : HttpClientRequest.bodyText(request, body.text, body.type)
}

/**
 * Makes the `send` of a gateway to a vendor that accepts a message in one HTTP request. It sends the request once,
 * follows no redirect, and reads a bounded answer. The outcome is `not_sent` only if no byte has left, and `unknown` if
 * the answer was lost, is not documented, or contradicts its status.
 */
export const httpSender = (options: HttpSenderOptions): Gateway["send"] => {
  const { documentedFailures, outcome, request, secrets } = options
  const send = Effect.map(HttpClient.HttpClient, (client) =>
    HttpVendor.sendTo<OutgoingMessage>(client, {
      channels: ["sms", "whatsapp"],
      secrets: secrets.map((secret) => Redacted.make(secret)),
      requestOf: (message) => requestOf(request(message)),
      outcomeOf: ({ headers, json, status, text }, message, words) => {
        const read = outcome({ status, headers, text, json }, message)
        const said = "message" in read ? { ...read, message: words(read.message) } : read
        return HostGateway.outcomeOf(said, true)
      },
      documentedFailures,
    }),
  )
  return (message, { signal }) =>
    Effect.runPromise(
      send.pipe(
        Effect.flatMap((to) => to(message)),
        Effect.map(plainOf),
        Effect.provide(FetchHttpClient.layer),
      ),
      { signal },
    )
}
