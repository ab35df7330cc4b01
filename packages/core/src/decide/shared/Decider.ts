/** The types and functions that all deciders share. */
import * as Result from "effect/Result"
import type { Alerts } from "../../domain/alerts/AlertState.ts"
import * as Account from "../../domain/money/Account.ts"
import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import type { ClientActivity } from "../../domain/verifications/ClientActivity.ts"
import * as ErasedRecipient from "../../domain/verifications/ErasedRecipient.ts"
import type { Charge, Idempotent, OfQueued, Suspected } from "./Results.ts"
import { logged, type LoggedEvent, type OrganizationEvent } from "../../domain/events/Event.ts"
import * as IdempotencyKey from "../../domain/values/IdempotencyKey.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import type { Records } from "../../domain/organizations/RecordOptions.ts"
import * as Message from "../../domain/messages/Message.ts"
import type { OptOut } from "../../domain/messages/OptOut.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as PrefixStats from "../../domain/fraud/PrefixStats.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import type { Report } from "../../domain/messages/MessageReport.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import type { Count, Refusal } from "../../domain/verifications/Refusal.ts"
import type { Batch } from "../../domain/outbox/Batch.ts"
import * as QueuedSend from "../../domain/outbox/QueuedSend.ts"
import type { WebhookAttempt } from "../../domain/webhooks/WebhookAttempt.ts"
import type { WebhookProgress } from "../../domain/webhooks/WebhookProgress.ts"

/** The rows that a command may read. A recipient that is not stored yet is an empty one. */
export interface View {
  readonly account: Account.Account | undefined
  readonly recipient: Recipient.Recipient | undefined
  readonly verification: Verification.Verification | undefined
  readonly message: Message.Message | undefined
  readonly payment: Account.Entry | undefined
  readonly idempotencyKey: IdempotencyKey.IdempotencyKey | undefined
  /** The message that the verification points to. */
  readonly carrier: Message.Message | undefined
  readonly prefixStats: PrefixStats.PrefixStats | undefined
  readonly client: ClientActivity | undefined
  readonly webhook: WebhookProgress | undefined
  readonly erased: ErasedRecipient.ErasedRecipient | undefined
  readonly queued: QueuedSend.QueuedSend | undefined
  /** By their digests. */
  readonly optOuts: ReadonlyMap<string, OptOut>
  /** Those that exist, of the ids that the command names. */
  readonly queuedRows: ReadonlyArray<QueuedSend.QueuedSend>
  readonly batch: Batch | undefined
  readonly alerts: Alerts | undefined
}

/** The rows to insert or replace, and the entries to append. */
export interface Writes {
  readonly account?: Account.Account
  readonly recipient?: Recipient.Recipient
  readonly verification?: Verification.Verification
  readonly message?: Message.Message
  /** The message whose place `message` takes. */
  readonly followed?: Message.Message
  readonly gatewayId?: Message.GatewayId
  readonly prefixStats?: PrefixStats.PrefixStats
  readonly client?: ClientActivity
  readonly erased?: ErasedRecipient.ErasedRecipient
  readonly optOuts?: ReadonlyArray<OptOut>
  readonly entries?: ReadonlyArray<Account.Entry>
  readonly report?: Report
  readonly findings?: ReadonlyArray<PrefixStats.Finding>
  readonly idempotencyKey?: IdempotencyKey.IdempotencyKey
  readonly events?: ReadonlyArray<LoggedEvent>
  readonly webhook?: WebhookProgress
  /** Attempts of the webhook, to append. */
  readonly attempts?: ReadonlyArray<WebhookAttempt>
  readonly queued?: QueuedSend.QueuedSend
  readonly queuedRows?: ReadonlyArray<QueuedSend.QueuedSend>
  readonly batch?: Batch
  readonly alerts?: Alerts
  readonly audit?: ReadonlyArray<AuditRecord.AuditRecord>
  readonly refusals?: ReadonlyArray<Refusal>
  /** Refused calls to count. They are in no other row. */
  readonly refused?: ReadonlyArray<Count>
}

export interface Effects {
  readonly writes: Writes
  readonly events: ReadonlyArray<OrganizationEvent>
}

export interface Decision<out A> extends Effects {
  readonly result: A
  /** The audit records of the command. @defaultValue no records */
  readonly audited?: ReadonlyArray<AuditRecord.NewAuditRecord>
}

/** The account with its time moved to `now`, and the other rows that the command may read. */
export interface Context {
  readonly account: Account.Account
  readonly view: View
  readonly now: number
}

/** Decides the commands of one tag, once the account is known and the caller's settings are not stale. */
export type Decider<in Command, out A> = (context: Context, command: Command) => Decision<A>

/** Makes a decision. Without writes and events, it changes nothing. */
export const answer = <const A>(
  result: A,
  writes: Writes = {},
  events: ReadonlyArray<OrganizationEvent> = [],
  audited?: ReadonlyArray<AuditRecord.NewAuditRecord>,
): Decision<A> =>
  audited === undefined ? { result, writes, events } : { result, writes, events, audited }

export const noEffects: Effects = { writes: {}, events: [] }

/** The row of a call that has its effect now. It has no answer yet. */
export const newKey = (
  { account: { organization }, now }: Context,
  { fingerprint, id }: IdempotencyKey.IdempotentCall,
  effect: Pick<IdempotencyKey.IdempotencyKey, "messageSequence" | "requestId">,
): IdempotencyKey.IdempotencyKey => ({
  organization,
  id,
  fingerprint,
  ...effect,
  answer: null,
  expiresAt: now + IdempotencyKey.keptMillis,
})

export const hold = (
  context: Context,
  {
    draft,
    idempotency,
    limits,
    queued,
  }: Idempotent & OfQueued & { readonly draft: Message.NewMessage; readonly limits: Limits },
  phoneNumber: PhoneNumber,
  requestId: RequestId | null,
): Result.Result<
  { readonly charge: Charge; readonly writes: Writes },
  Account.Capped | Account.Insufficient
> => {
  const { account, now, view } = context
  const posting = Account.hold(account, draft.charge, limits.spendPerDay, now)
  if (Result.isFailure(posting)) return Result.fail(posting.failure)
  const { account: after, entries } = posting.success
  const { balance, lastMessage: sequence, organization } = after
  const message = Message.hold(draft, { organization, sequence, phoneNumber, requestId }, now)
  return Result.succeed({
    charge: { messageSequence: sequence, balance },
    writes: {
      account: after,
      entries,
      message,
      ...(idempotency && {
        idempotencyKey: newKey(context, idempotency, { messageSequence: sequence, requestId }),
      }),
      ...(queued &&
        view.queued && {
          queued: QueuedSend.sent(view.queued, sequence, now, draft.leaseMillis),
        }),
    },
  })
}

/** The recipient of a number. One that was erased gets back the limits that the erasure has left. */
export const recipientOf = (
  { now, view }: Context,
  { organization, phoneNumber }: Pick<Recipient.Recipient, "organization" | "phoneNumber">,
): Recipient.Recipient =>
  view.recipient ?? ErasedRecipient.restore(view.erased, organization, phoneNumber, now)

/** Ends the limits that `recipientOf` has given back; `undefined` if it has given none. */
export const endRestored = ({ now, view }: Context): Pick<Writes, "erased"> | undefined =>
  view.recipient === undefined && view.erased !== undefined
    ? { erased: ErasedRecipient.end(view.erased, now) }
    : undefined

export const closeRecipient = (
  recipient: Recipient.Recipient | undefined,
  { organization, phoneNumber, requestId }: Verification.Verification,
): Recipient.Recipient =>
  Recipient.close(recipient ?? Recipient.empty(organization, phoneNumber), requestId)

type Subject = Pick<
  Verification.Verification,
  "metadata" | "organization" | "phoneNumber" | "purpose" | "requestId"
>

/** The fields that all events of a request have. */
export const about = (
  { metadata, organization, phoneNumber, purpose, requestId }: Subject,
  at: number,
) => ({ organization, at, requestId, phoneNumber, purpose, metadata })

/**
 * Ends a request whose code was not sent, if it is still pending at `now`. Removes the code from the count of
 * its prefix, unless the request was verified or its attempts were used up.
 */
export const failRequest = (context: Context, rules: PrefixStats.Rules | undefined): Effects => {
  const { now, view } = context
  const { verification } = view
  if (verification?.status !== "pending" || verification.mayHaveArrived) return noEffects
  const counted = recount(context, rules, "unsent")
  const failed = Verification.fail(verification, now)
  if (failed === verification) return { writes: counted, events: [] }
  return {
    writes: {
      verification: failed,
      recipient: closeRecipient(view.recipient, verification),
      ...counted,
    },
    events: [{ _tag: "Failed", ...about(verification, now), reason: "sending" }],
  }
}

/** Recounts the code of the request, if the statistics that count it are loaded. */
export const recount = (
  { now, view: { prefixStats, verification } }: Context,
  rules: PrefixStats.Rules | undefined,
  change: "verified" | "unsent",
): Writes =>
  prefixStats === undefined || rules === undefined || verification === undefined
    ? {}
    : {
        prefixStats: PrefixStats.count(
          PrefixStats.at(prefixStats, rules, now),
          change,
          rules,
          verification.createdAt,
        ),
      }

interface FraudCheck extends Effects {
  /** Why no code may be sent to the prefix now; `undefined` if one may. */
  readonly denied?: Suspected
}

export const checkFraud = (
  { account: { organization }, now, view }: Context,
  prefix: string | null,
  rules: PrefixStats.Rules | undefined,
): FraudCheck => {
  if (prefix === null || rules === undefined) return noEffects
  const before = view.prefixStats ?? PrefixStats.empty(organization, prefix)
  const { current, findings, prefixStats, reasons } = PrefixStats.judge(before, rules, now)
  const effects: Effects = {
    writes: { prefixStats, findings },
    events: findings.map(({ unverifiedAmount: _amount, ...finding }) => ({
      _tag: "FraudSuspected",
      ...finding,
    })),
  }
  if (rules.action === "record" || reasons.length === 0) return effects
  const retryAfterSeconds = PrefixStats.retryAfterSeconds(current, rules, now)
  return { ...effects, denied: { _tag: "Suspected", retryAfterSeconds } }
}

const none: ReadonlyArray<never> = []

/**
 * Gives the events and the audit entries of a decision the next places of their organization, and adds their
 * rows. No other function gives places. `current` is the account if the decision does not change it.
 */
export const recorded = <A>(
  decision: Decision<A>,
  current: Account.Account,
  records: Records,
): Decision<A> => {
  const raised = records.events ? decision.events : none
  const audited = (records.audit ? decision.audited : undefined) ?? none
  if (raised.length === 0 && audited.length === 0) return decision
  const { account = current } = decision.writes
  const { lastAt: at, organization } = account
  const firstEvent = account.lastEvent + 1
  const firstEntry = account.lastAudit + 1
  const events = raised.length > 0 && {
    events: raised.map((event, index) => logged(event, firstEvent + index)),
  }
  const audit = audited.length > 0 && {
    audit: audited.map((draft, index) =>
      AuditRecord.make(draft, { organization, sequence: firstEntry + index, at }),
    ),
  }
  const numbered: Account.Account = {
    ...account,
    lastEvent: account.lastEvent + raised.length,
    lastAudit: account.lastAudit + audited.length,
  }
  return {
    ...decision,
    events: records.events
      ? raised.map((event, index) => ({ ...event, sequence: firstEvent + index }))
      : decision.events,
    writes: { ...decision.writes, account: numbered, ...events, ...audit },
  }
}
