/**
 * What the tests of SMPP share: messages to send, and an adapter on a centre.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import { MessageId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Smpp from "@countersign/gateways/Smpp"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import { type Smsc, startSmsc } from "@countersign/testing/Smsc"
import { within } from "../../../packages/testing/src/internal/within.ts"

// For the examples, which have no dependency that their users would not have.
export { type Smsc, startSmsc, type Submitted } from "@countersign/testing/Smsc"

export const bangla = "আপনার যাচাইকরণ কোড 482913। এই কোডটি কারো সাথে শেয়ার করবেন না। "
export const english = "Your parcel is on its way, and will be with you before the evening. "

/** A message to send; each `sequence` is another message. */
export const messageOf = (
  change: Partial<Omit<GatewayMessage, "text" | "ref">> & {
    readonly text?: string
    readonly sequence?: number
  } = {},
): GatewayMessage => {
  const { sequence = 1, text = "Your code is 482913", ...rest } = change
  return {
    token: tokenOf(sequence),
    ref: { organization: OrganizationId("acme"), sequence },
    purpose: "message",
    class: "transactional",
    channel: "sms",
    phoneNumber: PhoneNumber.fromE164("+8801712345678"),
    sender: "ACME",
    ...rest,
    text: Redacted.make(text),
  }
}

/** A report on the message of that number. */
export const ofMessage = (sequence: number) => ({
  _tag: "Message" as const,
  organization: OrganizationId("acme"),
  sequence,
  token: tokenOf(sequence),
})

const tokenOf = (sequence: number) => MessageId(`msg_${String(sequence).padStart(44, "0")}`)

/** An adapter that is bound to this port, or will be. */
export const gatewayOn = (
  port: number,
  options: Partial<Smpp.Options> = {},
): Effect.Effect<Gateway["Service"], never, Scope.Scope> =>
  Effect.map(
    Smpp.make({
      host: "127.0.0.1",
      port,
      systemId: "acme",
      password: Redacted.make("secret"),
      ...options,
    }),
    ({ gateway }) => gateway,
  )

/** An adapter on a centre of its own. @param onSubmit The centre's replies */
export const bound = (options: Partial<Smpp.Options> = {}, onSubmit?: Smsc["onSubmit"]) =>
  Effect.gen(function* () {
    const smsc = yield* startSmsc()
    if (onSubmit !== undefined) smsc.onSubmit = onSubmit
    return { smsc, gateway: yield* gatewayOn(smsc.port, options) }
  })

export const delivered = { id: "1", state: "DELIVRD" }

/** A report on the first message. */
export const report = (status: DeliveryReport["status"], detail: string): DeliveryReport => ({
  of: ofMessage(1),
  status,
  detail,
})

/** Sends the first messages at once. */
export const sendAll = (gateway: Gateway["Service"], count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => messageOf({ sequence: index + 1 })),
    (message) => gateway.send(message),
    { concurrency: "unbounded" },
  )

/** The next reports. Ask once: what comes later is for the next call. */
export const reportsOf = (gateway: Gateway["Service"], count: number) =>
  within(
    `${count} reports`,
    Effect.map(Stream.runCollect(Stream.take(gateway.reports, count)), (reports) =>
      reports.map(({ evidence: _, ...report }) => report),
    ),
  )

/**
 * Time-outs that nothing in a test reaches, where time passes for another reason: the clock of a test may
 * outrun its sockets.
 */
export const patient = {
  answerTimeout: "1 day",
  queueTimeout: "1 day",
  connectTimeout: "1 day",
} as const

/** Runs an effect while the test's clock goes on in steps, and sockets do what they do between them. */
export const whileTimePasses = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  stepMillis = 100,
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(within("what takes its time", effect), {
      startImmediately: true,
    })
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(Duration.millis(stepMillis))
      yield* turns(10)
    }
    return yield* Fiber.join(fiber)
  })

/** Lets the event loop turn, so that what is on its way over loopback arrives. */
export const turns = (count: number): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await setImmediate()
  })
