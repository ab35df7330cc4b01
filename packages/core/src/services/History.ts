/**
 * The history of a message or a request: why a person got no code, and where the money went.
 *
 * The rows of the ledger and of the event log are found by the times of the message, of its reports and of its
 * deadline. A call reads a limited number of rows from each of these times on. So in an organization with much traffic,
 * the time of an outcome may stay unknown.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import type { HostEffect } from "../api/Caller.ts"
import { requestIdOf } from "../api/internal/fieldProblems.ts"
import { stateOf } from "./verifications/requestLife.ts"
import type { messages } from "../api/messages.ts"
import type { FoundVerification, verificationHistory } from "../api/verificationRecords.ts"
import { MessageNotFound, OrganizationNotFound, RequestNotFound } from "../domain/errors/Errors.ts"
import type { MessageRef, OrganizationId, RequestId } from "../domain/values/Ids.ts"
import { Limits } from "../domain/limits/Limits.ts"
import { isClosed, type Message } from "../domain/messages/Message.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import type { Report } from "../domain/messages/MessageReport.ts"
import { statusOf } from "./internal/queuedVerification.ts"
import * as Timeline from "./internal/timeline.ts"
import type { Verification } from "../domain/verifications/Verification.ts"
import { Gateway } from "../ports/Gateway.ts"
import { Store } from "../ports/Store.ts"
import type { Trace } from "../ports/Search.ts"

export type MessageHistory = (typeof messages.history.output)["Type"]

export type VerificationHistory = Omit<typeof verificationHistory.Type, "verification"> & {
  readonly verification: FoundVerification
}

/** Maximum number of ledger entries, and of events, that are examined from one time on. */
export const maxExamined = 10_000

/** Maximum number of reads of them in a call. */
export const maxTraces = 10

export class History extends Context.Service<
  History,
  {
    readonly message: (ref: MessageRef) => HostEffect<MessageHistory, MessageNotFound>
    readonly verification: (request: {
      readonly organization: OrganizationId
      readonly requestId: string
    }) => HostEffect<VerificationHistory, RequestNotFound>
  }
>()("@countersign/core/services/History") {}

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const access = yield* Access
  const store = yield* Store
  const hostLimits = yield* Limits

  /**
   * The rows about messages and a request from the given times on, and then all rows up to `end`, until nothing is
   * missing.
   */
  const traceFrom = Effect.fnUntraced(function* (
    organization: OrganizationId,
    about: { readonly messages: ReadonlyArray<number>; readonly requestId: RequestId | null },
    times: ReadonlyArray<number>,
    end: number,
    isComplete: (found: Found) => boolean,
  ) {
    let found: Found = { entries: [], events: [] }
    let traces = 0
    const isOver = () => traces === maxTraces || (traces > 0 && isComplete(found))
    const read = Effect.fnUntraced(function* (from: number) {
      const query = { ...about, from, examine: maxExamined }
      const { entries, events, until = Infinity } = yield* store.trace(organization, query)
      found = { entries: [...found.entries, ...entries], events: [...found.events, ...events] }
      traces += 1
      return until
    })
    const [first = end, ...others] = times.toSorted((a, b) => a - b)
    let next = yield* read(first)
    let until = next
    for (const from of others) {
      // Otherwise these rows were examined from an earlier time on.
      if (from >= until && !isOver()) until = yield* read(from)
    }
    while (next < end && !isOver()) next = yield* read(next)
    return found
  })

  const reportsOn = (message: Message) =>
    message.reports === 0 ? Effect.succeed<ReadonlyArray<Report>>([]) : store.reports(message)

  const message: History["Service"]["message"] = Effect.fn("History.message")(function* (ref) {
    const read = yield* store.message(ref)
    if (read === undefined) return yield* new OrganizationNotFound()
    const { message } = read
    if (message === undefined) return yield* new MessageNotFound()
    const reports = yield* reportsOn(message)
    const { organization, requestId } = message
    const found = yield* traceFrom(
      organization,
      { messages: [ref.sequence], requestId },
      timesOf(message, reports),
      message.createdAt,
      (found) => isSettled(message, found),
    )
    const queued = yield* store.queued(organization, message.id)
    const rows = { message, reports, ...found }
    const { gateway: name, vendorCode } = message
    const meaning = vendorCode === null ? null : (gateway.meaningOf?.(name, vendorCode) ?? null)
    return { message, reports, timeline: Timeline.ofMessage(rows, queued), meaning }
  })

  const verification: History["Service"]["verification"] = Effect.fn("History.verification")(
    function* ({ organization: id, requestId: given }) {
      const requestId = requestIdOf(given)
      const organization = yield* access.load(id)
      const read = yield* store.verification(id, requestId)
      const queued = yield* store.queued(id, requestId)
      const limits = Organization.limitsOf(organization, hostLimits)
      if (read === undefined) {
        const verification = queued && statusOf(queued, limits)
        if (queued === undefined || verification === undefined) return yield* new RequestNotFound()
        return { verification, messages: [], timeline: Timeline.ofQueued(queued) }
      }
      const { now, verification } = read
      const sequences = [...verification.earlierMessages, verification.messageSequence]
      const rows = yield* Effect.forEach(sequences, (sequence) =>
        store.message({ organization: id, sequence }),
      )
      const messages = yield* Effect.forEach(
        rows.flatMap((one) => one?.message ?? []),
        (message) => Effect.map(reportsOn(message), (reports) => ({ message, reports })),
      )
      const found = yield* traceFrom(
        id,
        { messages: sequences, requestId },
        [verification.createdAt, ...messages.flatMap((one) => timesOf(one.message, one.reports))],
        // A caller may end it at any time of its life.
        verification.expiresAt,
        (found) =>
          isEnded(verification, found) &&
          messages.every(({ message }) => isSettled(message, found)),
      )
      const { attempts } = limits
      return {
        verification: stateOf(verification, limits, now, messages.at(-1)?.message.status ?? null),
        messages: messages.map(({ message }) => message),
        timeline: Timeline.ofVerification(
          { verification, messages, queued, attempts, ...found },
          now,
        ),
      }
    },
  )

  return History.of({ message, verification })
})

export const layer = Layer.effect(History, make)

type Found = Pick<Trace, "entries" | "events">

/** The times from which on the outcome of a message may be found: its dispatch, a final report, and its deadline. */
const timesOf = (
  { createdAt, settleBy, status }: Message,
  reports: ReadonlyArray<Report>,
): ReadonlyArray<number> => {
  const final = reports.find(({ status }) => status !== "accepted")
  return [
    createdAt,
    ...(final === undefined ? [] : [final.receivedAt]),
    // Only the deadline ends a message without an outcome.
    ...(status === "unknown" ? [settleBy] : []),
  ]
}

const isSettled = (message: Message, found: Found): boolean =>
  !isClosed(message) || Timeline.settledAt(message, found) !== undefined

const isEnded = (verification: Verification, { events }: Found): boolean =>
  verification.status !== "failed" || Timeline.endOf(verification, events) !== undefined
