/**
 * Settles open messages: dispatches whose node has died, outcomes without a report, and codes that have not arrived.
 * Also applies reports that arrived before their message was known.
 *
 * A node looks a message up at its gateway once before the deadline closes it. No round waits for the answer,
 * and an answer that does not come in time counts as unknown. An organization that cannot be written to is
 * skipped for a while.
 *
 * Any number of nodes may settle at once. A node that takes over a dispatch raises its dispatch number under
 * the organization's lock, which shuts out all other nodes.
 */
import type { DeliveryReport, Reported } from "../domain/messages/DeliveryReport.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { CodeDelivery } from "../delivery/CodeDelivery.ts"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { type CommitError, Commits, retryUnavailable } from "../engine/Commits.ts"
import { Dispatcher } from "../delivery/Dispatcher.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import { Gateway, type LookupRequest } from "../ports/Gateway.ts"
import type { GatewayOutcome } from "../domain/messages/GatewayOutcome.ts"
import type { MessageRef, OrganizationId } from "../domain/values/Ids.ts"
import { BusyOrganizations, isBusy } from "../engine/internal/busyOrganizations.ts"
import { makeMessageContent } from "../delivery/internal/codeTexts.ts"
import type * as Message from "../domain/messages/Message.ts"
import * as Redaction from "../domain/messages/Redaction.ts"
import { Reports } from "../services/Reports.ts"
import { Store } from "../ports/Store.ts"
import * as Tracing from "../engine/Tracing.ts"

export interface SettlementPolicy {
  /** Pause between two rounds, in milliseconds. */
  readonly intervalMillis: number
  /** Maximum number of messages, and of kept reports, that one round examines. */
  readonly batch: number
}

/** The settlement policy in force. Default: a pause of one second, and 200 messages. */
export const SettlementPolicy = Context.Reference<SettlementPolicy>(
  "@countersign/core/SettlementPolicy",
  { defaultValue: () => ({ intervalMillis: 1_000, batch: 200 }) },
)

/** Milliseconds that a message stays open beyond its deadline while it waits for its lookup. */
export const lookupMillis = 600_000

/** Maximum number of messages that wait for a lookup. Further messages are closed without one. */
const maxLookups = 5_000

/** Number of lookups that a node runs at once. */
export const lookupWorkers = 8

/** Number of messages that a node settles at once, in total and of one organization. */
const workers = 8
const workersPerOrganization = 4

/** A message that this node looks up, the start of its wait, and the gateway's answer. */
interface Lookup {
  readonly message: Message.Message
  readonly since: number
  readonly found?: GatewayOutcome | Reported
}

export class Settlement extends Context.Service<
  Settlement,
  {
    /**
     * Runs one round and returns the number of examined messages. Skips organizations that cannot be written
     * to now, or that another round is settling. Several rounds may run at once.
     */
    readonly round: Effect.Effect<number, StoreUnavailable>
    /**
     * Looks up messages at their deadline, one after another, and returns their number. Stops when only
     * messages of organizations that cannot be written to are left. Several calls may run at once.
     */
    readonly lookup: Effect.Effect<number>
  }
>()("@countersign/core/jobs/Settlement") {}

const make = Effect.gen(function* () {
  const codes = yield* CodeDelivery
  const commits = yield* Commits
  const dispatcher = yield* Dispatcher
  const gateway = yield* Gateway
  const reports = yield* Reports
  const store = yield* Store
  const policy = yield* SettlementPolicy
  const contentOf = yield* makeMessageContent
  const { capabilities, lookupNames = [gateway.name] } = gateway
  const gateways = capabilities.lookup ? lookupNames : []
  const lookups: Array<Lookup> = []
  const busy = new BusyOrganizations()
  const permits = yield* Semaphore.make(workers)
  /** Organizations that rounds are settling. */
  const active = new Set<OrganizationId>()
  const adopting = yield* Semaphore.make(1)
  const maxLookupMillis = Math.max(lookupMillis, 2 * capabilities.timeoutMillis)

  /** Whether the gateway still knows the token of a message that was just taken over. */
  const isRemembered = ({ createdAt, dueAt }: Message.Message): boolean =>
    (dueAt ?? 0) - dispatcher.terms.leaseMillis - createdAt < capabilities.tokenMillis

  const resume = Effect.fnUntraced(function* (
    message: Message.Message,
    claimedAt: bigint,
    restore: typeof Effect.interruptible,
  ) {
    const { dispatchNumber, requestId } = message
    const lookup = lookupOf(message)
    const again = requestId === null ? undefined : yield* codes.recover(message, requestId)
    const followMillis = again?.followMillis
    const settle = (outcome: GatewayOutcome) =>
      dispatcher.settle(lookup, { dispatchNumber, requestId, followMillis }, outcome)
    // Another gateway knows neither the message nor its token.
    const isOurs = message.gateway === gateway.name
    if (capabilities.lookup && isOurs) {
      const found = yield* restore(dispatcher.lookup(lookup))
      if (found._tag === "Reported") {
        yield* reports.receive({
          ...found,
          of: { _tag: "Message", ...lookup.ref, token: lookup.token },
        })
        return yield* settle(nodeStopped)
      }
      if (found._tag !== "Unknown") {
        return yield* settle(Redaction.outcome(found, yield* contentOf(message)))
      }
    }
    if (isOurs && isRemembered(message)) {
      const claim = { dispatchNumber, requestId, claimedAt, followMillis }
      if (requestId === null && message.text !== "") {
        const text = Redacted.make(message.text, { label: "text" })
        return yield* dispatcher.dispatch({ ...lookup, text }, claim)
      }
      if (again !== undefined)
        return yield* dispatcher.dispatch({ ...lookup, ...again.content }, claim)
    }
    return yield* settle(nodeStopped)
  })

  /** Takes a message over for a new dispatch. Only the lookup can be interrupted. */
  const reclaim = ({ organization, sequence }: MessageRef) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const claimedAt = yield* Clock.monotonicTimeNanos
        const reclaimed = yield* commits.run({
          _tag: "ReclaimMessage",
          organization,
          messageSequence: sequence,
          leaseMillis: dispatcher.terms.leaseMillis,
        })
        if (reclaimed._tag === "Reclaimed") {
          const { message } = reclaimed
          yield* Tracing.resume(resume(message, claimedAt, restore), message.traceparent)
        }
      }),
    )

  const settleOne = Effect.fnUntraced(function* (ref: MessageRef) {
    const about = { organization: ref.organization, messageSequence: ref.sequence }
    if (gateways.length > 0 && lookups.length < maxLookups) {
      const times = { lookupMillis: maxLookupMillis }
      const begun = yield* commits.run({ _tag: "BeginLookup", ...about, gateways, ...times })
      if (begun._tag === "LookupBegun") {
        lookups.push({ message: begun.message, since: yield* Clock.currentTimeMillis })
        return
      }
    }
    const closed = yield* commits.run({ _tag: "CloseMessage", ...about, isLookedUp: false })
    if (closed._tag === "FollowDue") yield* Effect.ignore(codes.follow(ref, closed.requestId))
    if (closed._tag === "NotDue") yield* reclaim(ref)
  })

  const record = ({ message }: Lookup, found: GatewayOutcome | Reported) => {
    const report = reportOf(found)
    const { id: token, sequence, organization } = message
    const written: Effect.Effect<unknown, CommitError> =
      report === undefined
        ? commits.run({
            _tag: "CloseMessage",
            organization,
            messageSequence: sequence,
            token,
            isLookedUp: true,
          })
        : reports.receive({ ...report, of: { _tag: "Message", organization, sequence, token } })
    return retryUnavailable(
      busy.run(organization, written),
      (error) => error._tag === "StoreUnavailable" && !isBusy(error),
    )
  }

  const lookupOne = Effect.fnUntraced(function* (one: Lookup) {
    const waited = (yield* Clock.currentTimeMillis) - one.since
    const timeoutMillis = one.found === undefined ? capabilities.timeoutMillis : 0
    // A node may close the message before the answer arrives.
    if (waited + timeoutMillis > maxLookupMillis) return
    const found = one.found ?? (yield* dispatcher.lookup(lookupOf(one.message)))
    yield* Effect.catchIf(record(one, found), isBusy, () =>
      Effect.sync(() => void lookups.push({ ...one, found })),
    )
  })

  const nextLookup = Effect.map(busy.current, (skipped) => {
    const index = lookups.findIndex(({ message }) => !skipped.includes(message.organization))
    return index < 0 ? undefined : lookups.splice(index, 1)[0]
  })

  const lookup = Effect.gen(function* () {
    let count = 0
    for (let one = yield* nextLookup; one !== undefined; one = yield* nextLookup) {
      count += 1
      const { organization, sequence } = one.message
      yield* lookupOne(one).pipe(
        Effect.catchIf(isGone, () => Effect.void),
        // The next round after the wait closes the message.
        Effect.catchCause(() =>
          Effect.logError("The result of a lookup could not be recorded", {
            organization,
            sequence,
          }),
        ),
      )
    }
    return count
  }).pipe(Effect.withSpan("Settlement.lookup", Tracing.background))

  const settle = (ref: MessageRef) =>
    permits.withPermit(
      busy.run(ref.organization, settleOne(ref)).pipe(
        Effect.catchIf(isBusy, () => Effect.void),
        Effect.catchIf(isGone, () => Effect.void),
        // A defect in one message must not stop the settlement of the others.
        Effect.catchDefect(() => Effect.logError("A message could not be settled", ref)),
      ),
    )

  /** Settles the first message alone: only one worker finds out whether the organization is busy. */
  const settleOrganization = ([organization, [first, ...rest]]: readonly [
    OrganizationId,
    ReadonlyArray<MessageRef>,
  ]) =>
    first === undefined || active.has(organization)
      ? Effect.void
      : Effect.acquireUseRelease(
          Effect.sync(() => active.add(organization)),
          () =>
            Effect.andThen(
              settle(first),
              Effect.forEach(rest, settle, { concurrency: workersPerOrganization, discard: true }),
            ),
          () => Effect.sync(() => active.delete(organization)),
        )

  const adopt = reports.adopt(policy.batch).pipe(
    Effect.asVoid,
    Effect.catchIf(isBusy, () => Effect.logWarning("Kept reports could not be examined")),
    // A row that cannot be read must not stop the settlement of the others.
    Effect.catchDefect(() => Effect.logError("Kept reports could not be examined")),
    // A round continues without this step while another round is in it.
    adopting.withPermitsIfAvailable(1),
  )

  const round = Effect.gen(function* () {
    yield* adopt
    const due = yield* store.due(policy.batch, [...active, ...(yield* busy.current)])
    const byOrganization = Map.groupBy(due, ({ organization }) => organization)
    yield* Effect.forEach(byOrganization, settleOrganization, {
      concurrency: "unbounded",
      discard: true,
    })
    return due.length
  }).pipe(Effect.withSpan("Settlement.round", Tracing.background))

  return Settlement.of({ round, lookup })
})

export const layer = Layer.effect(Settlement, make)

/** Runs rounds and lookups for the lifetime of the layer. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const settlement = yield* Settlement
    const { intervalMillis } = yield* SettlementPolicy

    const scope = yield* Effect.scope
    const rounds = yield* Semaphore.make(maxRounds)
    // A round that waits for one organization does not delay the next round.
    yield* rounds.take(1).pipe(
      Effect.andThen(
        settlement.round.pipe(
          Effect.catchCause(() =>
            Effect.logWarning("A settlement round failed; the next will try again"),
          ),
          Effect.ensuring(rounds.release(1)),
          Effect.forkIn(scope, { startImmediately: true }),
        ),
      ),
      Effect.flatMap((fiber) => Effect.timeoutOption(Fiber.await(fiber), roundWait)),
      Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
      Effect.forkScoped,
    )
    yield* settlement.lookup.pipe(
      Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
      Effect.forkScoped,
      Effect.replicateEffect(lookupWorkers, { discard: true }),
    )
  }),
)

/** Maximum number of concurrent rounds of a node, and how long a round waits for the previous one. */
const maxRounds = 8
const roundWait = Duration.seconds(1)

const isGone = (error: CommitError): error is Exclude<CommitError, StoreUnavailable> =>
  error._tag !== "StoreUnavailable"

const nodeStopped: GatewayOutcome = {
  _tag: "Unknown",
  message: "The node that was sending stopped",
}

const lookupOf = (message: Message.Message): LookupRequest => ({
  token: message.id,
  ref: { organization: message.organization, sequence: message.sequence },
  purpose: message.requestId === null ? "message" : "verification",
  class: message.class,
  channel: message.channel,
  phoneNumber: message.phoneNumber,
  sender: message.sender,
  taken:
    message.gatewayId === null ? null : { gateway: message.gateway, gatewayId: message.gatewayId },
})

/** The final report in an answer at the deadline; `undefined` if the outcome is still open. */
const reportOf = (
  found: GatewayOutcome | Reported,
): Pick<DeliveryReport, "status" | "detail"> | undefined => {
  switch (found._tag) {
    case "Accepted":
    case "Unknown":
      return undefined
    case "Delivered":
      return { status: "delivered", detail: null }
    case "Rejected":
      return { status: "rejected", detail: found.message }
    case "Throttled":
    case "NotSent":
      return { status: "failed", detail: found.message }
    case "Reported":
      return found.status === "accepted" ? undefined : found
  }
}
