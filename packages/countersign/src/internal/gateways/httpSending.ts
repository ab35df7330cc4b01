/** The code of a sender over HTTP. It is loaded with the first message. */
import type { GatewayOutcome as Outcome } from "@countersign/core/domain/messages/GatewayOutcome"
import * as HttpVendor from "@countersign/gateways/HttpVendor"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import type { Gateway, GatewayOutcome, OutgoingMessage } from "../types/gateways.ts"
import * as HostGateway from "./hostGateway.ts"
import type { HttpRequest, HttpSenderOptions } from "./httpSender.ts"

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

export const senderOf = (options: HttpSenderOptions): Gateway["send"] => {
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
