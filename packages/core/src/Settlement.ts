/**
 * Sees to what was left open: dispatches whose node has gone, outcomes that
 * nobody reported, reports that came before their message was known.
 *
 * A gateway that can tell is asked once what became of a message before its
 * deadline closes it. No round waits for that, and a gateway that has no answer
 * in time has none.
 *
 * Any number of nodes may do this at once. Whoever takes a dispatch over raises
 * its number under the organization's lock, which shuts out everybody else.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Commits } from "./Commits.ts"
import { Dispatcher } from "./Dispatcher.ts"
import type { OrganizationNotFound, StoreUnavailable } from "./Errors.ts"
import { type DeliveryReport, Gateway, type Inquiry, type Reported } from "./Gateway.ts"
import type { GatewayOutcome } from "./GatewayOutcome.ts"
import type { MessageRef } from "./Ids.ts"
import type { StaleSettings } from "./internal/staleSettings.ts"
import type * as Message from "./Message.ts"
import { Reports } from "./Reports.ts"
import { Store } from "./Store.ts"

export interface SettlementPolicy {
  /** Pause between two rounds. */
  readonly intervalMillis: number
  /** Most messages, and most kept reports, that one round looks at. */
  readonly batch: number
}

/** Every second, 200 messages. */
export const SettlementPolicy = Context.Reference<SettlementPolicy>(
  "@countersign/core/SettlementPolicy",
  { defaultValue: () => ({ intervalMillis: 1_000, batch: 200 }) },
)

/** How long a message stays open beyond its deadline while its turn to be asked about comes, at most. */
export const askMillis = 600_000

/** Most messages that wait to be asked about; one more is closed without. */
export const maxInquiries = 5_000

/** How many messages a node asks about at a time. */
export const inquirers = 8

/** A message that this node may ask about, and since when. */
interface Open {
  readonly message: Message.Message
  readonly since: number
}

export class Settlement extends Context.Service<
  Settlement,
  {
    /** One round; answers how many messages it looked at. */
    readonly round: Effect.Effect<number, StoreUnavailable>
    /**
     * Asks the gateway about messages that rounds have found open at their deadline, one after another,
     * until none is left; answers how many. Several may run at once.
     */
    readonly inquire: Effect.Effect<number>
  }
>()("@countersign/core/Settlement") {
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
      const askable = capabilities.lookup ? lookupNames : []
      const inquiries: Array<Open> = []
      const terms = { askMillis: Math.max(askMillis, 2 * capabilities.timeoutMillis) }

      /** Whether the gateway would know the token of a message that was taken over just now. */
      const isRemembered = ({ createdAt, dueAt }: Message.Message): boolean =>
        (dueAt ?? 0) - dispatcher.terms.leaseMillis - createdAt < capabilities.tokenMillis

      const takeOver = Effect.fnUntraced(function* (message: Message.Message, claimedAt: bigint) {
        const { attempt, verification } = message
        const handed = handedOver(message)
        const settle = (outcome: GatewayOutcome) =>
          dispatcher.settle(handed, { attempt, verification }, outcome)
        // Another gateway knows nothing of it, and would not know its token either.
        const isOurs = message.gateway === gateway.name
        if (capabilities.lookup && isOurs) {
          const found = yield* dispatcher.lookup(handed)
          if (found._tag === "Reported") {
            yield* reports.receive({ ...found, of: { _tag: "Message", ...handed.ref } })
            return yield* settle(stopped)
          }
          if (found._tag !== "Unknown") return yield* settle(found)
        }
        // A code cannot be sent again: only its digest was kept.
        if (isOurs && verification === null && isRemembered(message)) {
          const text = Redacted.make(message.text, { label: "text" })
          return yield* dispatcher.dispatch(
            { ...handed, text },
            { attempt, verification, claimedAt },
          )
        }
        return yield* settle(stopped)
      })

      const lookAt = Effect.fnUntraced(function* ({ number, organization }: MessageRef) {
        const about = { organization, message: number }
        const expired = yield* commits.run({
          _tag: "ExpireMessage",
          ...about,
          ...terms,
          askable: inquiries.length < maxInquiries ? askable : [],
          asked: false,
        })
        if (expired._tag === "Closed") return
        if (expired._tag === "Asking") {
          inquiries.push({ message: expired.message, since: yield* Clock.currentTimeMillis })
          return
        }
        const claimedAt = yield* Clock.monotonicTimeNanos
        const reclaimed = yield* commits.run({
          _tag: "ReclaimMessage",
          ...about,
          leaseMillis: dispatcher.terms.leaseMillis,
        })
        if (reclaimed._tag === "Reclaimed") yield* takeOver(reclaimed.message, claimedAt)
      })

      const askAbout = Effect.fnUntraced(function* ({ message, since }: Open) {
        const waited = (yield* Clock.currentTimeMillis) - since
        // The answer might come after somebody has closed it.
        if (waited + capabilities.timeoutMillis > terms.askMillis) return
        const handed = handedOver(message)
        const report = reportOf(yield* dispatcher.lookup(handed))
        const { number, organization } = handed.ref
        const written: Effect.Effect<
          unknown,
          OrganizationNotFound | StaleSettings | StoreUnavailable
        > =
          report === undefined
            ? commits.run({
                _tag: "ExpireMessage",
                organization,
                message: number,
                ...terms,
                askable,
                asked: true,
              })
            : reports.receive({ ...report, of: { _tag: "Message", ...handed.ref } })
        yield* Effect.retry(written, {
          schedule: Schedule.exponential("100 millis"),
          times: 8,
          while: ({ _tag }) => _tag === "StoreUnavailable",
        })
      })

      const inquire = Effect.gen(function* () {
        let asked = 0
        for (let open = inquiries.shift(); open !== undefined; open = inquiries.shift()) {
          asked += 1
          const { number, organization } = open.message
          yield* askAbout(open).pipe(
            Effect.catchIf(isGone, () => Effect.void),
            // The next round after its time will close it.
            Effect.catchCause(() =>
              Effect.logError("What a gateway said could not be written down", {
                organization,
                number,
              }),
            ),
          )
        }
        return asked
      }).pipe(Effect.withSpan("Settlement.inquire"))

      const round = Effect.gen(function* () {
        // A row that cannot be read must not cost the others their settlement.
        yield* Effect.catchDefect(reports.adopt(policy.batch), () =>
          Effect.logError("Kept reports could not be looked at"),
        )
        const due = yield* store.due(policy.batch)
        yield* Effect.forEach(
          due,
          (ref) =>
            lookAt(ref).pipe(
              Effect.catchIf(isGone, () => Effect.void),
              // One message must not cost all others their settlement.
              Effect.catchDefect(() => Effect.logError("A message could not be settled", ref)),
            ),
          {
            concurrency: 8,
            discard: true,
          },
        )
        return due.length
      }).pipe(Effect.withSpan("Settlement.round"))

      return Settlement.of({ round, inquire })
    }),
  )

  /** Runs rounds, and takes in the gateway's reports, for as long as the layer lives. */
  static readonly layerBackground = Layer.effectDiscard(
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const reports = yield* Reports
      const settlement = yield* Settlement
      const { intervalMillis } = yield* SettlementPolicy

      yield* settlement.round.pipe(
        Effect.catchCause(() =>
          Effect.logWarning("A settlement round failed; the next will try again"),
        ),
        Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
      )
      yield* settlement.inquire.pipe(
        Effect.repeat(Schedule.spaced(Duration.millis(intervalMillis))),
        Effect.forkScoped,
        Effect.replicateEffect(inquirers, { discard: true }),
      )
      // A vendor that was told "taken" will not say it again, and one organization that cannot be written to
      // must not keep the reports of others waiting.
      const scope = yield* Effect.scope
      let insisting = 0
      const insist = (report: DeliveryReport) => {
        const taken = Effect.asVoid(Effect.retry(reports.receive(report), reportRetries))
        if (insisting >= maxInsisting) return taken
        insisting += 1
        return taken.pipe(
          Effect.catchCause(() => lost),
          Effect.ensuring(Effect.sync(() => (insisting -= 1))),
          Effect.forkIn(scope),
          Effect.asVoid,
        )
      }

      yield* gateway.reports.pipe(
        Stream.mapEffect(
          (report) =>
            reports.receive(report).pipe(
              Effect.retry({ schedule: Schedule.exponential("100 millis"), times: 5 }),
              Effect.catchTag("StoreUnavailable", () => insist(report)),
              Effect.catchCause(() => lost),
            ),
          { concurrency: 16 },
        ),
        Stream.runDrain,
        // An adapter that breaks off once must not leave every later report unheard.
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

/** Most reports that are insisted on beside the others; with more, the others wait. */
const maxInsisting = 10_000

const lost = Effect.logError("A delivery report was lost; the settlement deadline will decide")

/** As long as it takes, five seconds apart in the end. */
const reportRetries = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("5 seconds"),
])

const isGone = (
  error: OrganizationNotFound | StaleSettings | StoreUnavailable,
): error is OrganizationNotFound | StaleSettings => error._tag !== "StoreUnavailable"

const stopped: GatewayOutcome = { _tag: "Unknown", message: "The node that was sending stopped" }

const handedOver = (message: Message.Message): Inquiry => ({
  token: message.id,
  ref: { organization: message.organization, number: message.number },
  purpose: message.verification === null ? "message" : "verification",
  channel: message.channel,
  to: message.recipient,
  sender: message.sender,
  taken:
    message.gatewayId === null ? null : { gateway: message.gateway, gatewayId: message.gatewayId },
})

/** What an answer at the deadline says for good; `undefined` where it leaves the outcome open. */
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
