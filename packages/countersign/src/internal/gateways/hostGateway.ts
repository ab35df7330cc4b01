import { defaultOrganization } from "@countersign/core/api/Fields"
import type { DeliveryReport as Plain } from "@countersign/core/api/PlainTypes"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import {
  type Capabilities,
  Gateway as Port,
  type GatewayMessage,
  type GatewayState,
  withRecovery,
} from "@countersign/core/ports/Gateway"
import {
  type GatewayOutcome as Outcome,
  readOutcome,
  unreadableOutcome,
} from "@countersign/core/domain/messages/GatewayOutcome"
import type { Duration as DurationText } from "@countersign/core/domain/values/DurationText"
import * as DeliveryReport from "@countersign/core/domain/messages/DeliveryReport"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import type { Adapter, Callback, CallbackOutcome } from "@countersign/gateways/Adapter"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type {
  Gateway,
  GatewayOutcome,
  OutgoingMessage,
  Undelivered,
  VendorReports,
} from "../types/gateways.ts"
import { type Channel, channels } from "@countersign/core/domain/values/Channel"

/** The gateway name of messages that neither gateway of a pair has answered yet. */
export const pairName = "host"

/** A gateway for each channel, written with promises. */
export type Pair = { readonly [K in Channel]?: Gateway | undefined }

/** Valid durations only: the plan and `answerProblem` refuse others. */
const millisOf = (duration: DurationText | undefined): number | undefined =>
  duration === undefined ? undefined : Result.getOrUndefined(Duration.toMillis(duration))

export const outcomeOf = (outcome: GatewayOutcome, reports: boolean): Outcome => {
  switch (outcome.status) {
    case "accepted":
      return { _tag: reports ? "Accepted" : "Delivered", gatewayId: outcome.gatewayId }
    case "delivered":
      return { _tag: "Delivered", gatewayId: outcome.gatewayId }
    case "rejected": {
      const { message, reason, unreachable, vendorCode } = outcome
      return { _tag: "Rejected", message, reason, unreachable, vendorCode }
    }
    case "throttled": {
      const { message, retryAfter, vendorCode } = outcome
      const retryAfterMillis = millisOf(retryAfter)
      return { _tag: "Throttled", message, retryAfterMillis, vendorCode }
    }
    case "not_sent":
      return { _tag: "NotSent", message: outcome.message, vendorCode: outcome.vendorCode }
    case "unknown":
      return { _tag: "Unknown", message: outcome.message, vendorCode: outcome.vendorCode }
  }
}

const statuses = ["accepted", "delivered", "rejected", "throttled", "not_sent", "unknown"] as const

/** Returns a problem with the fields of an answer that are checked before all others. */
const answerProblem = (answer: unknown, allowed: ReadonlyArray<unknown>): string | undefined => {
  if (typeof answer !== "object" || answer === null) return "the answer must be an object"
  if (!("status" in answer && allowed.includes(answer.status))) {
    return `status must be one of ${allowed.join(", ")}`
  }
  if (!("retryAfter" in answer) || answer.retryAfter === undefined) return undefined
  return Result.match(Duration.toMillis(answer.retryAfter), {
    onSuccess: () => undefined,
    onFailure: ({ message }) => `retryAfter ${message}`,
  })
}

const readSent = (answer: GatewayOutcome, reports: boolean): Result.Result<Outcome, string> => {
  const problem = answerProblem(answer, statuses)
  return problem === undefined ? readOutcome(outcomeOf(answer, reports)) : Result.fail(problem)
}

const readFound = (
  found: GatewayOutcome | Undelivered,
  reports: boolean,
): Result.Result<Outcome | DeliveryReport.Reported, string> => {
  const problem = answerProblem(found, [...statuses, "undelivered"])
  if (problem !== undefined) return Result.fail(problem)
  const answer =
    found.status === "undelivered"
      ? { _tag: "Reported", status: found.status, detail: found.message }
      : outcomeOf(found, reports)
  return Result.mapError(DeliveryReport.readAnswer(answer), (sentence) =>
    // The field has another name in this package.
    sentence.replace(/^detail /, "message "),
  )
}

const unknown = (message: string): Outcome => ({ _tag: "Unknown", message })

const described = (message: Omit<GatewayMessage, "text">) => ({
  token: message.token,
  organization: message.ref.organization,
  sequence: message.ref.sequence,
  purpose: message.purpose,
  class: message.class,
  channel: message.channel,
  phoneNumber: message.phoneNumber,
  sender: message.sender,
  ...(message.locale === undefined ? undefined : { locale: message.locale }),
})

const outgoing = (message: GatewayMessage): OutgoingMessage => ({
  ...described(message),
  text: Redacted.value(message.text),
  ...(message.code === undefined ? undefined : { code: Redacted.value(message.code) }),
  ...(message.payment === undefined ? undefined : { payment: message.payment }),
})

const timeoutOf = ({ timeout }: Gateway): number => millisOf(timeout) ?? 10_000

const capabilitiesOf = (gateways: ReadonlyArray<Gateway>): Capabilities => ({
  tokenMillis: gateways.every(({ honoursToken }) => honoursToken === true) ? Infinity : 0,
  // If two gateways have the same name, their ids are looked up together.
  idMillis: Math.min(...gateways.map(({ idLifetime }) => millisOf(idLifetime) ?? Infinity)),
  lookup: gateways.some(({ lookup }) => lookup !== undefined),
  lookupByToken: gateways.every(({ lookupByToken }) => lookupByToken === true),
  recipientCheck: gateways.some(({ isReachable }) => isReachable !== undefined),
  reports: gateways.some(({ reports }) => reports === true) ? "signed" : "none",
  references: gateways.every(({ reportsByReference }) => reportsByReference === true),
  segments: false,
  timeoutMillis: Math.max(...gateways.map(timeoutOf)),
})

/**
 * Returns the answer of a gateway within its time limit. Sets a timer only if the limit is shorter than `most`, which
 * the engine keeps: a second timer costs a tenth of a send. Exceptions of the gateway do not escape.
 */
const answered = <A, B>(
  gateway: Gateway,
  most: number,
  kind: Telemetry.Unreadable,
  ask: (signal: AbortSignal) => Promise<A>,
  read: (answer: A, reports: boolean) => Result.Result<B, string>,
): Effect.Effect<B | Outcome> => {
  const duration = timeoutOf(gateway)
  // A gateway in JavaScript may return a value instead of a promise.
  const asked = Effect.tryPromise(async (signal) => ask(signal)).pipe(
    Effect.flatMap((answer) =>
      Telemetry.readOr(
        read(answer, gateway.reports === true),
        unreadableOutcome,
        kind,
        gateway.name,
      ),
    ),
    Effect.catch(({ cause }) => {
      // The message of an exception may quote the text that was sent.
      const error = cause instanceof Error ? cause.name : typeof cause
      return Effect.as(
        Effect.logError("A gateway has thrown", { gateway: gateway.name, error }),
        unknown("The gateway failed"),
      )
    }),
  )
  if (duration >= most) return asked
  const orElse = () => Effect.succeed(unknown("The gateway did not answer in time"))
  return Effect.timeoutOrElse(asked, { duration, orElse })
}

const portOf = (
  name: string,
  gateways: ReadonlyArray<Gateway>,
  choose: (channel: Channel) => Gateway | undefined,
): Port["Service"] => {
  const capabilities = capabilitiesOf(gateways)
  const { timeoutMillis, tokenMillis } = capabilities
  const own = new Map(gateways.map((one) => [one, { ...capabilitiesOf([one]), tokenMillis }]))
  return Port.of({
    name,
    capabilities,
    send: (message) => {
      const { channel } = message
      const gateway = choose(channel)
      if (gateway === undefined) {
        const message = `There is no gateway for ${channel}`
        return Effect.succeed({ _tag: "NotSent", reason: "no_gateway", message })
      }
      const send = (signal: AbortSignal) => gateway.send(outgoing(message), { signal })
      const chosen = own.get(gateway) ?? capabilities
      return Effect.map(answered(gateway, timeoutMillis, "outcome", send, readSent), (outcome) => ({
        gateway: gateway.name,
        ...withRecovery(outcome, chosen, message),
      }))
    },
    isReachable: (channel, to) => {
      const ask = channel === "whatsapp" ? choose(channel)?.isReachable : undefined
      if (ask === undefined) return Effect.succeed("unknown")
      return Effect.catch(
        Effect.tryPromise(async () => ask(to)),
        () => Effect.succeed<"unknown">("unknown"),
      )
    },
    lookup: (message) => {
      const gateway = choose(message.channel)
      const ask = gateway?.lookup
      if (gateway === undefined || ask === undefined) {
        return Effect.succeed(unknown("There is no look-up"))
      }
      const request = { ...described(message), gatewayId: message.taken?.gatewayId ?? null }
      return answered(gateway, timeoutMillis, "lookup", () => ask(request), readFound)
    },
    reports: Stream.empty,
  })
}

const reportOf = (report: Plain, name: string): DeliveryReport.DeliveryReport => {
  const { detail = null, evidence, gateway = name, reason, status, unreachable } = report
  return {
    of:
      "messageSequence" in report
        ? {
            _tag: "Message",
            organization: OrganizationId(report.organization ?? defaultOrganization),
            sequence: report.messageSequence,
            token: report.token,
          }
        : { _tag: "GatewayId", gateway, gatewayId: report.gatewayId },
    status,
    detail,
    reason,
    unreachable,
    gateway,
    evidence,
  }
}

const malformed = (reason: string): CallbackOutcome => ({ _tag: "Malformed", reason })

const readingOf = (read: VendorReports, name: string): CallbackOutcome => {
  if ("refused" in read) return { _tag: "Refused", reason: read.refused }
  if ("malformed" in read) return malformed(read.malformed)
  const { once, reports } = read
  return { _tag: "Reports", reports: reports.map((report) => reportOf(report, name)), once }
}

/** The reader of a gateway's reports. A gateway that throws accepts nothing, and the log names the error only. */
const callbackOf = ({ callback, name }: Gateway): Callback | undefined =>
  callback === undefined
    ? undefined
    : (request) =>
        Effect.tryPromise(async () => readingOf(await callback(request), name)).pipe(
          Effect.catch(({ cause }) => {
            const error = cause instanceof Error ? cause.name : typeof cause
            return Effect.succeed(malformed(`The callback of the gateway has thrown: ${error}`))
          }),
        )

/** One of several gateways. */
export const member = (gateway: Gateway): Port["Service"] =>
  portOf(gateway.name, [gateway], () => gateway)

/**
 * Makes an adapter of a gateway that is written with promises, as the engine does. `GatewaySuite` of
 * `@countersign/testing` tests it.
 */
export const toAdapter = (gateway: Gateway): Adapter => ({
  gateway: member(gateway),
  callback: callbackOf(gateway),
})

/** Combines a gateway for each channel. Messages have the names of their gateways. */
export const pair = ({ sms, whatsapp }: Pair): Port["Service"] => {
  const gateways = [...new Set([sms, whatsapp])].filter((one) => one !== undefined)
  const choose = (channel: Channel) => (channel === "sms" ? sms : whatsapp)
  const states = gateways.map((gateway): GatewayState => ({
    gateway: gateway.name,
    state: "available",
    channels: channels.filter((channel) => choose(channel) === gateway),
    capabilities: capabilitiesOf([gateway]),
    perSecond: undefined,
    pairMillis: undefined,
  }))
  const names = [...new Set(gateways.map(({ name }) => name))]
  const [name = pairName] = names.length === 1 ? names : []
  return {
    ...portOf(name, gateways, choose),
    lookupNames: [name, ...names],
    states: Effect.succeed(states),
    memberFor: (channel) => choose(channel)?.name,
  }
}
