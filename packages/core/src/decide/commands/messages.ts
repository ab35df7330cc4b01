/** The rules of messages: their charge, and the settlement of the charge. */
import * as Result from "effect/Result"
import * as Account from "../../domain/money/Account.ts"
import type { OrganizationEvent } from "../../domain/events/Event.ts"
import * as GatewayOutcome from "../../domain/messages/GatewayOutcome.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as Batch from "../../domain/outbox/Batch.ts"
import * as Message from "../../domain/messages/Message.ts"
import * as QuietHours from "../../domain/messages/QuietHours.ts"
import * as Report from "../../domain/messages/MessageReport.ts"
import * as SlidingWindow from "../../domain/limits/SlidingWindow.ts"
import * as Decider from "../shared/Decider.ts"
import * as OptOuts from "./optOuts.ts"
import type * as Shared from "../shared/Results.ts"
import type { Channel } from "../../domain/values/Channel.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { RejectionReason } from "../../domain/values/FailureReason.ts"
import type { Money } from "../../domain/values/Money.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import type { Rules } from "../../domain/fraud/PrefixStats.ts"
import type { Verification } from "../../domain/verifications/Verification.ts"

export interface Commands {
  /** Counts a message without sending one yet. */
  readonly AdmitMessage: Shared.Idempotent &
    Shared.OfQuietHours &
    Shared.MayBeOptedOut & { readonly version: number; readonly limits: Limits }
  /** Writes a message to the log and charges it. */
  readonly HoldMessage: Shared.Idempotent &
    Shared.OfQueued &
    Shared.OfQuietHours &
    Shared.MayBeOptedOut & {
      readonly version: number
      readonly phoneNumber: PhoneNumber
      readonly limits: Limits
      /** Whether `AdmitMessage` has already counted the message. */
      readonly isCounted: boolean
      readonly draft: Message.NewMessage
    }
  /** Records the outcome of a dispatch. */
  readonly RecordDispatch: Shared.OfMessage & {
    /** The dispatch with this outcome. The outcome of an older dispatch is ignored. */
    readonly dispatchNumber: number
    readonly outcome: GatewayOutcome.GatewayOutcome
    readonly hasReports: boolean
    readonly requestId: RequestId | null
    /** The request's part of the event. If the caller knows it, only an unsent outcome reads the request's row. */
    readonly verification?: Pick<Verification, "metadata" | "purpose"> | undefined
    /** Milliseconds until another message carries the code of a pending request. `undefined`: none follows. */
    readonly followMillis?: number | undefined
    readonly rules: Rules | undefined
  }
  /** Applies a delivery report. */
  readonly ApplyReport: Shared.OfMessage & {
    readonly status: GatewayOutcome.ReportStatus
    readonly detail: string | null
    /** Why the message did not arrive, if the vendor documents it. */
    readonly reason?: RejectionReason | undefined
    readonly vendorCode?: string | undefined
    /** The source of the report. `undefined`: the report does not come from a gateway and is not kept. */
    readonly source: Report.ReportSource | undefined
  }
  /** Takes over a dispatch whose node has died. */
  readonly ReclaimMessage: { readonly messageSequence: number; readonly leaseMillis: number }
  /** Postpones the end of a message at its deadline, so that the caller can look it up at its gateway. */
  readonly BeginLookup: {
    readonly messageSequence: number
    /** The gateways that support lookups of their messages. */
    readonly gateways: ReadonlyArray<string>
    /** How long the lookup may take, in milliseconds. */
    readonly lookupMillis: number
  }
  /** Closes a message whose outcome is still open at its deadline. */
  readonly CloseMessage: Shared.OfMessage & {
    /** Whether a lookup has ended without an outcome. Otherwise, a message under a lookup stays open. */
    readonly isLookedUp: boolean
  }
}

interface Settled {
  /** The message, if the command has given it its final outcome. */
  readonly settled: Message.Message | undefined
}

export interface Results {
  readonly AdmitMessage: Shared.Tagged<"Admitted"> | Shared.OptedOut | Shared.Quiet | Shared.Limited
  readonly HoldMessage:
    | (Shared.Tagged<"Held"> & Shared.Charge)
    | Shared.OptedOut
    | Shared.Quiet
    | Shared.Limited
    | Shared.NotQueued
    | Account.Capped
    | Account.Insufficient
  readonly RecordDispatch:
    | (Settled & {
        readonly _tag: "Recorded"
        readonly status: Message.Status
        readonly balance: Money
      })
    | Shared.Tagged<"Fenced">
    | Shared.NotFound
  readonly ApplyReport:
    | (Settled & {
        readonly _tag: "Applied"
        readonly status: Message.Status
        readonly channel: Channel
        readonly phoneNumber: PhoneNumber
        /** The request whose code another message has to carry now; `null` if none has to. */
        readonly followDue: RequestId | null
        /** The trace of the message. */
        readonly traceparent: string | null
      })
    | Shared.NotFound
  readonly ReclaimMessage:
    | { readonly _tag: "Reclaimed"; readonly message: Message.Message }
    | Shared.NotDue
    | Shared.NotFound
  readonly BeginLookup:
    | { readonly _tag: "LookupBegun"; readonly message: Message.Message }
    | Shared.NotDue
    | Shared.NotFound
  readonly CloseMessage:
    | (Settled & Shared.Tagged<"Closed">)
    /** The message stays open, and another one has to carry its code. */
    | { readonly _tag: "FollowDue"; readonly requestId: RequestId }
    | Shared.NotDue
    | Shared.NotFound
}

type Decide<T extends keyof Commands> = Decider.Decider<Shared.Of<Commands, T>, Results[T]>

const admit = (
  { account, now }: Decider.Context,
  { messagesPerOrganization }: Limits,
): Result.Result<Account.Account, Shared.Limited> => {
  const admission = SlidingWindow.admit(account.sends, messagesPerOrganization, now)
  return admission._tag === "Limited"
    ? Result.fail(admission)
    : Result.succeed({ ...account, sends: admission.window })
}

const refuseQuiet = (
  { now }: Decider.Context,
  { quiet }: Shared.OfQuietHours,
): Decider.Decision<Shared.Quiet> | undefined => {
  const until = quiet && QuietHours.nextAllowed(quiet.hours, quiet.phoneNumber, now)
  return until === undefined || until <= now
    ? undefined
    : Decider.answer({ _tag: "Quiet", retryAfterSeconds: Math.ceil((until - now) / 1_000) })
}

export const admitMessage: Decide<"AdmitMessage"> = (context, command) =>
  OptOuts.refuseOptedOut(context, command.optOut) ??
  refuseQuiet(context, command) ??
  Result.match(admit(context, command.limits), {
    onFailure: (limited) => Decider.answer(limited),
    onSuccess: (account) => Decider.answer({ _tag: "Admitted" }, { account }),
  })

export const holdMessage: Decide<"HoldMessage"> = (context, command) => {
  const refused = OptOuts.refuseOptedOut(context, command.optOut) ?? refuseQuiet(context, command)
  if (refused !== undefined) return refused
  const { batch } = command.draft.batch === null ? {} : context.view
  // A batch that is paused or cancelled meanwhile sends nothing more.
  if (command.draft.batch !== null && batch?.status !== "running") {
    return Decider.answer({ _tag: "NotQueued" })
  }
  const admitted = command.isCounted
    ? Result.succeed(context.account)
    : admit(context, command.limits)
  if (Result.isFailure(admitted)) return Decider.answer(admitted.failure)
  const account = admitted.success
  const held = Decider.hold({ ...context, account }, command, command.phoneNumber, null)
  if (Result.isFailure(held)) return Decider.answer(held.failure, { account })
  const { charge, writes } = held.success
  const active = batch && Batch.send(batch, context.now)
  return Decider.answer(
    { _tag: "Held", ...charge },
    active === undefined || active === batch ? writes : { ...writes, batch: active },
  )
}

/** Books the effect of a message's change on the account, and makes its events. */
const settle = (
  { account, now }: Decider.Context,
  before: Message.Message,
  { message, money }: Message.Change,
) => {
  const { channel, charge, organization, sequence: messageSequence, status } = message
  const events: Array<OrganizationEvent> = []
  const settled = Message.isClosed(message) && !Message.isClosed(before) ? message : undefined
  if (settled !== undefined) {
    events.push({ _tag: "MessageSettled", organization, at: now, messageSequence, channel, status })
  }
  if (money === "release") {
    events.push({ _tag: "Refunded", organization, at: now, messageSequence, amount: charge })
  }
  const posting =
    money === "keep" ? { account, entries: [] } : Account.endHold(account, money, message, now)
  return { account: posting.account, entries: posting.entries, events, settled }
}

/**
 * Fails the request of a code whose message ended unsent, unless another message carries the code. A report
 * that came first has ended the message, regardless of the dispatch's outcome.
 */
const settleRequest = (
  context: Decider.Context,
  command: Shared.Of<Commands, "RecordDispatch">,
  message: Message.Message,
): Decider.Effects => {
  const { followMillis, messageSequence, outcome, requestId, rules } = command
  const { channel, organization, phoneNumber, status } = message
  const { verification } = context.view
  if (GatewayOutcome.isUnsent(outcome) && Message.isUnsentStatus(status)) {
    const isCarried =
      followMillis !== undefined || verification?.messageSequence !== messageSequence
    return isCarried ? Decider.noEffects : Decider.failRequest(context, rules)
  }
  const known = verification ?? command.verification
  if (known === undefined || requestId === null || Message.isErased(message))
    return Decider.noEffects
  const { metadata, purpose } = known
  const given = Decider.about(
    { organization, requestId, phoneNumber, purpose, metadata },
    context.now,
  )
  return { writes: {}, events: [{ _tag: "VerificationSent", ...given, channel }] }
}

/** The message of a command; `undefined` if another message has its sequence. */
const messageOf = (
  { view: { message } }: Decider.Context,
  { token = "" }: Pick<Shared.Of<Commands, "ApplyReport">, "token">,
): Message.Message | undefined => (message?.id.endsWith(token) === true ? message : undefined)

export const recordDispatch: Decide<"RecordDispatch"> = (context, command) => {
  const before = messageOf(context, command)
  if (before === undefined) return Decider.answer({ _tag: "NotFound" })
  if (before.dispatchNumber !== command.dispatchNumber) return Decider.answer({ _tag: "Fenced" })
  const { hasReports, outcome } = command
  const change = Message.settle(before, outcome, hasReports)
  const message = Message.followWithin(change.message, command.followMillis, context.now)
  const idMillis = GatewayOutcome.isAccepted(outcome) ? outcome.idMillis : undefined
  const gatewayId = Message.newGatewayId(before, message, idMillis, context.now)
  const settled = settle(context, before, { ...change, message })
  const request = settleRequest(context, command, message)
  return Decider.answer(
    {
      _tag: "Recorded",
      status: message.status,
      balance: settled.account.balance,
      settled: settled.settled,
    },
    {
      ...request.writes,
      account: settled.account,
      entries: settled.entries,
      message,
      ...(gatewayId === undefined ? undefined : { gatewayId }),
    },
    [...settled.events, ...request.events],
  )
}

const isFollowDue = ({ followAt }: Message.Message, now: number): boolean =>
  followAt !== null && now >= followAt

export const applyReport: Decide<"ApplyReport"> = (context, command) => {
  const before = messageOf(context, command)
  if (before === undefined) return Decider.answer({ _tag: "NotFound" })
  const { source } = command
  const { detail, reason, vendorCode } = command
  const change = Message.report(before, command.status, detail, reason, vendorCode)
  const { channel, phoneNumber, requestId, status, traceparent } = change.message
  const isDue = isFollowDue(change.message, context.now)
  const followDue = isDue ? requestId : null
  const about = { status, channel, phoneNumber, traceparent }
  const applied = { _tag: "Applied", ...about, followDue } as const
  const message = source === undefined ? change.message : Report.count(change.message)
  if (message === before) return Decider.answer({ ...applied, settled: undefined })
  const report = source && Report.keep(before, command, source, context.now)
  const { account, entries, events, settled } = settle(context, before, change)
  const writes = { account, entries, message, ...(report === undefined ? undefined : { report }) }
  return Decider.answer({ ...applied, settled }, writes, events)
}

export const reclaimMessage: Decide<"ReclaimMessage"> = ({ account, now, view }, command) => {
  if (view.message === undefined) return Decider.answer({ _tag: "NotFound" })
  const message = Message.reclaim(view.message, command.leaseMillis, now)
  return message === undefined
    ? Decider.answer({ _tag: "NotDue" })
    : Decider.answer({ _tag: "Reclaimed", message }, { account, message })
}

export const beginLookup: Decide<"BeginLookup"> = ({ account, now, view }, command) => {
  if (view.message === undefined) return Decider.answer({ _tag: "NotFound" })
  const message = command.gateways.includes(view.message.gateway)
    ? Message.beginLookup(view.message, command.lookupMillis, now)
    : undefined
  return message === undefined
    ? Decider.answer({ _tag: "NotDue" })
    : Decider.answer({ _tag: "LookupBegun", message }, { account, message })
}

export const closeMessage: Decide<"CloseMessage"> = (context, command) => {
  const before = messageOf(context, command)
  if (before === undefined) return Decider.answer({ _tag: "NotFound" })
  const change = Message.expire(before, context.now, command.isLookedUp)
  if (change === undefined) {
    return before.requestId !== null && isFollowDue(before, context.now)
      ? Decider.answer({ _tag: "FollowDue", requestId: before.requestId })
      : Decider.answer({ _tag: "NotDue" })
  }
  const { account, entries, events, settled } = settle(context, before, change)
  return Decider.answer(
    { _tag: "Closed", settled },
    { account, entries, message: change.message },
    events,
  )
}
