/**
 * Settles open messages: dispatches whose node has died, outcomes without a report, and reports that arrived
 * before their message was known.
 *
 * If the gateway supports lookups, it is asked once for the outcome of a message before the deadline closes
 * the message. No round waits for the answer. An answer that does not come in time counts as unknown.
 *
 * An organization that cannot be written to is skipped for a while, so it delays no other organization.
 *
 * Any number of nodes may settle at once. A node that takes over a dispatch raises its attempt number under
 * the organization's lock, which shuts out all other nodes.
 */
import type { DeliveryReport, Reported } from "../domain/DeliveryReport.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Commits } from "./Commits.ts"
import { Dispatcher } from "./Dispatcher.ts"
import type { OrganizationNotFound, StoreUnavailable } from "../domain/Errors.ts"
import { Gateway, type Inquiry } from "../ports/Gateway.ts"
import type { GatewayOutcome } from "../domain/GatewayOutcome.ts"
import type { MessageRef, OrganizationId } from "../domain/Ids.ts"
import { BusyOrganizations, isBusy } from "./internal/busyOrganizations.ts"
import { makeReportIntake } from "./internal/reportIntake.ts"
import type { StaleSettings } from "./internal/staleSettings.ts"
import type * as Message from "../domain/Message.ts"
import { Reports } from "./Reports.ts"
import { Store } from "../ports/Store.ts"

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

/**
 * Maximum time, in milliseconds, that a message stays open beyond its deadline while it waits for its lookup.
 */
export const minLookupMillis = 600_000

/** Maximum number of messages that wait for a lookup. Further messages are closed without one. */
export const maxLookups = 5_000

/** Number of lookups that a node runs at once. */
export const inquirers = 8

/** Number of messages that a node settles at once, in total and of one organization. */
const workers = 8
const workersPerOrganization = 4

/** A message that this node may look up, the start of its wait, and the gateway's answer. */
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
     * to now, and organizations that another round is settling. Several rounds may run at once.
     */
    readonly round: Effect.Effect<number, StoreUnavailable>
    /**
     * Looks up messages that rounds have found open at their deadline, one after another, and returns their
     * number. Stops when only messages of organizations that cannot be written to are left. Several calls may
     * run at once.
     */
    readonly inquire: Effect.Effect<number>
  }
>()("@countersign/core/services/Settlement") {
  static readonly layer = Layer.effect(
    Settlement,
    Effect.gen(function* () {
      const commits = yield* Commits
      const dispatcher = yield* Dispatcher
      const gateway = yield* Gateway
      const reports = yield* Reports
      const store = yield* Store
      const policy = yield* SettlementPolicy
      const { capabilities, lookupNames = [gateway.name] } = gateway
      const gateways = capabilities.lookup ? lookupNames : []
      const lookups: Array<Lookup> = []
      const busy = new BusyOrganizations()
      const permits = yield* Semaphore.make(workers)
      /** Organizations that rounds are settling. */
      const underway = new Set<OrganizationId>()
      const adopting = yield* Semaphore.make(1)
      const lookupMillis = Math.max(minLookupMillis, 2 * capabilities.timeoutMillis)

      /** Whether the gateway still knows the token of a message that was just taken over. */
      const isRemembered = ({ createdAt, dueAt }: Message.Message): boolean =>
        (dueAt ?? 0) - dispatcher.terms.leaseMillis - createdAt < capabilities.tokenMillis

      const takeOver = Effect.fnUntraced(function* (
        message: Message.Message,
        claimedAt: bigint,
        restore: typeof Effect.interruptible,
      ) {
        const { attempt, requestId } = message
        const handed = handedOver(message)
        const settle = (outcome: GatewayOutcome) =>
          dispatcher.settle(handed, { attempt, requestId }, outcome)
        // Another gateway knows neither the message nor its token.
        const isOurs = message.gateway === gateway.name
        if (capabilities.lookup && isOurs) {
          const found = yield* restore(dispatcher.lookup(handed))
          if (found._tag === "Reported") {
            yield* reports.receive({ ...found, of: { _tag: "Message", ...handed.ref } })
            return yield* settle(stopped)
          }
          if (found._tag !== "Unknown") return yield* settle(found)
        }
        // A code cannot be sent again: only its digest was kept.
        if (isOurs && requestId === null && isRemembered(message)) {
          const text = Redacted.make(message.text, { label: "text" })
          return yield* dispatcher.dispatch({ ...handed, text }, { attempt, requestId, claimedAt })
        }
        return yield* settle(stopped)
      })

      /** Takes a message over for a new dispatch. Only the lookup can be interrupted. */
      const reclaim = (about: {
        readonly organization: OrganizationId
        readonly messageSequence: number
      }) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const claimedAt = yield* Clock.monotonicTimeNanos
            const reclaimed = yield* commits.run({
              _tag: "ReclaimMessage",
              ...about,
              leaseMillis: dispatcher.terms.leaseMillis,
            })
            if (reclaimed._tag === "Reclaimed") {
              yield* takeOver(reclaimed.message, claimedAt, restore)
            }
          }),
        )

      const lookAt = Effect.fnUntraced(function* ({ sequence, organization }: MessageRef) {
        const about = { organization, messageSequence: sequence }
        if (gateways.length > 0 && lookups.length < maxLookups) {
          const begun = yield* commits.run({
            _tag: "BeginLookup",
            ...about,
            gateways,
            lookupMillis,
          })
          if (begun._tag === "LookupBegun") {
            lookups.push({ message: begun.message, since: yield* Clock.currentTimeMillis })
            return
          }
        }
        const closed = yield* commits.run({ _tag: "CloseMessage", ...about, isLookedUp: false })
        if (closed._tag === "NotDue") yield* reclaim(about)
      })

      /** Records the gateway's answer about a message at its deadline. */
      const conclude = ({ message }: Lookup, found: GatewayOutcome | Reported) => {
        const report = reportOf(found)
        const { sequence, organization } = message
        const written: Effect.Effect<unknown, CommitError> =
          report === undefined
            ? commits.run({
                _tag: "CloseMessage",
                organization,
                messageSequence: sequence,
                isLookedUp: true,
              })
            : reports.receive({ ...report, of: { _tag: "Message", organization, sequence } })
        return Effect.retry(busy.run(organization, written), {
          schedule: Schedule.exponential("100 millis"),
          times: 8,
          while: (error) => error._tag === "StoreUnavailable" && !isBusy(error),
        })
      }

      const askAbout = Effect.fnUntraced(function* (open: Lookup) {
        const waited = (yield* Clock.currentTimeMillis) - open.since
        const asking = open.found === undefined ? capabilities.timeoutMillis : 0
        // A node may close the message before the answer arrives.
        if (waited + asking > lookupMillis) return
        const found = open.found ?? (yield* dispatcher.lookup(handedOver(open.message)))
        yield* Effect.catchIf(conclude(open, found), isBusy, () =>
          Effect.sync(() => void lookups.push({ ...open, found })),
        )
      })

      const nextInquiry = Effect.map(busy.current, (left) => {
        const index = lookups.findIndex(({ message }) => !left.includes(message.organization))
        return index < 0 ? undefined : lookups.splice(index, 1)[0]
      })

      const inquire = Effect.gen(function* () {
        let asked = 0
        for (let open = yield* nextInquiry; open !== undefined; open = yield* nextInquiry) {
          asked += 1
          const { sequence, organization } = open.message
          yield* askAbout(open).pipe(
            Effect.catchIf(isGone, () => Effect.void),
            // The next round after the wait closes the message.
            Effect.catchCause(() =>
              Effect.logError("What a gateway said could not be written down", {
                organization,
                number: sequence,
              }),
            ),
          )
        }
        return asked
      }).pipe(Effect.withSpan("Settlement.inquire"))

      const settle = (ref: MessageRef) =>
        permits.withPermit(
          busy.run(ref.organization, lookAt(ref)).pipe(
            Effect.catchIf(isBusy, () => Effect.void),
            Effect.catchIf(isGone, () => Effect.void),
            // A defect in one message must not stop the settlement of the others.
            Effect.catchDefect(() => Effect.logError("A message could not be settled", ref)),
          ),
        )

      /**
       * Settles the first message alone, so that only one worker finds out whether the organization is busy.
       */
      const settleAll = ([organization, [first, ...rest]]: readonly [
        OrganizationId,
        ReadonlyArray<MessageRef>,
      ]) =>
        first === undefined || underway.has(organization)
          ? Effect.void
          : Effect.acquireUseRelease(
              Effect.sync(() => underway.add(organization)),
              () =>
                Effect.andThen(
                  settle(first),
                  Effect.forEach(rest, settle, {
                    concurrency: workersPerOrganization,
                    discard: true,
                  }),
                ),
              () => Effect.sync(() => underway.delete(organization)),
            )

      const adopt = reports.adopt(policy.batch).pipe(
        Effect.asVoid,
        Effect.catchIf(isBusy, () => Effect.logWarning("Kept reports could not be looked at")),
        // A row that cannot be read must not stop the settlement of the others.
        Effect.catchDefect(() => Effect.logError("Kept reports could not be looked at")),
        // A round continues without this step while another round is in it.
        adopting.withPermitsIfAvailable(1),
      )

      const round = Effect.gen(function* () {
        yield* adopt
        const due = yield* store.due(policy.batch, [...underway, ...(yield* busy.current)])
        const byOrganization = Map.groupBy(due, ({ organization }) => organization)
        yield* Effect.forEach(byOrganization, settleAll, {
          concurrency: "unbounded",
          discard: true,
        })
        return due.length
      }).pipe(Effect.withSpan("Settlement.round"))

      return Settlement.of({ round, inquire })
    }),
  )

  /** Runs rounds and receives the gateway's reports, for the lifetime of the layer. */
  static readonly layerBackground = Layer.effectDiscard(
    Effect.gen(function* () {
      const gateway = yield* Gateway
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
        Effect.flatMap((fiber) => Effect.timeoutOption(Fiber.await(fiber), patience)),
        Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
      )
      yield* settlement.inquire.pipe(
        Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
        Effect.replicateEffect(inquirers, { discard: true }),
      )
      const takeIn = yield* makeReportIntake
      yield* gateway.reports.pipe(
        Stream.mapEffect(takeIn, { concurrency: 16 }),
        Stream.runDrain,
        // A stream that fails once must not lose every later report.
        Effect.catchCause(() =>
          Effect.andThen(
            Effect.logError("The gateway's reports broke off; listening again"),
            Effect.fail("broken off"),
          ),
        ),
        Effect.retry(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
      )
    }),
  )
}

/** Maximum number of concurrent rounds of a node, and how long a round waits for the previous one. */
const maxRounds = 8
const patience = Duration.seconds(1)

type CommitError = OrganizationNotFound | StaleSettings | StoreUnavailable

const isGone = (error: CommitError): error is OrganizationNotFound | StaleSettings =>
  error._tag !== "StoreUnavailable"

const stopped: GatewayOutcome = { _tag: "Unknown", message: "The node that was sending stopped" }

const handedOver = (message: Message.Message): Inquiry => ({
  token: message.id,
  ref: { organization: message.organization, sequence: message.sequence },
  purpose: message.requestId === null ? "message" : "verification",
  channel: message.channel,
  to: message.phoneNumber,
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
