/**
 * What the console tells about what is going on. Numbers are masked; texts,
 * codes and keys are never part of it.
 */
import type { Event } from "@countersign/core/domain/events/Event"
import { Events } from "@countersign/core/engine/Events"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type * as Node from "@countersign/node/Node"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Writable } from "node:stream"

/**
 * Writes the lines of one turn of the event loop together, because the call of the system for each line would
 * cost more than the line.
 */
const writeTogether = (stream: Writable): void => {
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

// The process can exit in the middle of a turn.
process.on("exit", () => process.stdout.uncork())

const pretty = Logger.consolePretty()

export const layerLogger = Logger.layer([
  Logger.make<unknown, void>((line) => {
    writeTogether(process.stdout)
    pretty.log(line)
  }),
])

const failures = {
  attempts: (number: string) => `the attempts for ${number} are used up`,
  sending: (number: string) => `the code for ${number} could not be sent`,
  refused: (number: string) => `the code for ${number} was refused`,
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
    case "MessageDropped":
      return `the queued message ${event.id} was not sent: ${event.reason}`
    case "BatchPaused":
      return `the batch ${event.batchId} is paused: ${event.reason}`
    case "BatchDone":
      return `the batch ${event.batchId} is done: ${event.recipients} messages`
    case "Refunded":
      return `${Money.format(event.amount)} given back for message ${event.messageSequence}`
    case "ToppedUp":
    case "Adjusted":
      return `${Money.format(event.amount)} booked, ${Money.format(event.balance)} left`
    case "BalanceLow":
      return `${Money.format(event.balance)} left, which is below ${Money.format(event.threshold)}`
    case "BalanceRestored":
      return `${Money.format(event.balance)} left, which reaches ${Money.format(event.threshold)} again`
    case "AlertRaised":
      return `alert: ${event.alert} is ${event.value}, beyond the bound of ${event.bound}`
    case "AlertOver":
      return `the alert of ${event.alert} is over`
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
    case "CallsRefused":
      return `calls were refused: ${event.refusals.map(({ code, count }) => `${count} ${code}`).join(", ")}`
    case "FraudSuspected":
      return `codes to +${event.prefix} look suspicious: ${event.sent} sent, ${event.verified} verified`
    case "GatewayHealthChanged":
      return `the gateway ${event.gateway} is ${event.state}`
  }
}

const tell = (event: Event) =>
  Effect.logInfo(
    "organization" in event ? `${event.organization}: ${sentence(event)}` : sentence(event),
  )

/** Tells of every domain event for as long as the layer lives. */
export const layerEvents = Layer.effectDiscard(
  Effect.gen(function* () {
    const events = yield* Events
    yield* events.stream.pipe(
      // The events of a turn of the event loop wake this once.
      Stream.runForEachArray((some) =>
        Effect.andThen(Effect.forEach(some, tell, { discard: true }), Effect.yieldNow),
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

/** Logs every request to a listener. */
export const logged = Effect.fnUntraced(function* (listener: Node.Listener) {
  const log = Effect.runSyncWith(yield* Effect.context<never>())
  const clock = yield* Clock.Clock
  return (request: IncomingMessage, response: ServerResponse): void => {
    const line = `${request.method} ${shownPath(request.url ?? "")}`
    const startedAt = clock.currentTimeMillisUnsafe()
    response.on("close", () => {
      const millis = clock.currentTimeMillisUnsafe() - startedAt
      const outcome = response.writableFinished ? response.statusCode : "disconnected"
      log(Effect.logInfo(`${line} ${outcome} in ${millis} ms`))
    })
    listener(request, response)
  }
})
