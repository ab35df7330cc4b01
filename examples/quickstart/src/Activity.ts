/**
 * What the console tells about what is going on. Numbers are masked; texts,
 * codes and keys are never part of it.
 */
import type { Event } from "@countersign/core/domain/Event"
import { Events } from "@countersign/core/services/Events"
import * as Money from "@countersign/core/domain/Money"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"

export const layerLogger = Logger.layer([Logger.consolePretty()])

const failures = {
  attempts: (number: string) => `the attempts for ${number} are used up`,
  sending: (number: string) => `the code for ${number} could not be sent`,
}

const sentence = (event: Event): string => {
  switch (event._tag) {
    case "VerificationSent":
      return `a code was sent to ${PhoneNumber.mask(event.phoneNumber)} over ${event.channel}`
    case "Verified":
      return `${PhoneNumber.mask(event.phoneNumber)} is verified`
    case "Failed":
      return failures[event.reason](PhoneNumber.mask(event.phoneNumber))
    case "Cancelled":
      return `the request for ${PhoneNumber.mask(event.phoneNumber)} was cancelled`
    case "Consumed":
      return `the verification of ${PhoneNumber.mask(event.phoneNumber)} is used`
    case "MessageSettled":
      return `message ${event.messageSequence} over ${event.channel} is ${event.status}`
    case "Refunded":
      return `${Money.format(event.amount)} given back for message ${event.messageSequence}`
    case "ToppedUp":
    case "Adjusted":
      return `${Money.format(event.amount)} booked, ${Money.format(event.balance)} left`
    case "BalanceLow":
      return `${Money.format(event.balance)} left, which is below ${Money.format(event.threshold)}`
    case "KeyCreated":
      return `the key ${event.key.id} was created`
    case "KeyRevoked":
      return `the key ${event.key.id} was revoked`
    case "BrandChanged":
      return `the sender ${event.brand.id} is ${event.brand.status}`
    case "SettingsChanged":
      return `new settings: ${event.settings.join(", ")}`
    case "WebhookCreated":
    case "WebhookChanged":
    case "WebhookRemoved":
      return `the settings of the webhook ${event.webhookId} have changed`
    case "WebhookFailing":
      return `the deliveries of the webhook ${event.webhookId} have ended`
    case "NumberErased":
      return `a number was erased from ${event.messages} messages`
    case "FraudSuspected":
      return `codes to +${event.prefix} look suspicious: ${event.sent} sent, ${event.verified} verified`
    case "GatewayHealthChanged":
      return `the gateway ${event.gateway} is ${event.state}`
  }
}

/** Tells of every domain event for as long as the layer lives. */
export const layerEvents = Layer.effectDiscard(
  Effect.gen(function* () {
    const events = yield* Events
    yield* events.stream.pipe(
      Stream.runForEach((event) =>
        Effect.logInfo(
          "organization" in event ? `${event.organization}: ${sentence(event)}` : sentence(event),
        ),
      ),
      Effect.forkScoped({ startImmediately: true }),
    )
  }),
)

/** Longest part of a path that is shown. */
const maxPath = 80

/** A query may hold a phone number, and so may a path that a caller got wrong. */
const shownPath = (url: string): string =>
  (url.split("?", 1)[0] ?? "").slice(0, maxPath).replace(/\d{5,}/g, "…")

/** Logs every request to the service itself; requests of the inbox's pages are noise. */
export const logRequests = <E, R>(answer: Effect.Effect<HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest
    if (!url.startsWith("/api/")) return yield* answer
    const startedAt = yield* Clock.currentTimeMillis
    const response = yield* answer
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    yield* Effect.logInfo(`${method} ${shownPath(url)} ${response.status} in ${millis} ms`)
    return response
  })
