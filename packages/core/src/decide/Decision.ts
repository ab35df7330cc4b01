/**
 * The rules: a view of the state and a command lead to a decision. Every store runs them under its
 * organization's lock.
 */
import * as Account from "../domain/money/Account.ts"
import type { ClientActivity } from "../domain/verifications/ClientActivity.ts"
import type { ErasedRecipient } from "../domain/verifications/ErasedRecipient.ts"
import {
  callOf,
  claimedOf,
  type Command,
  type CommandResult,
  type OwnResult,
  type Tag,
} from "./Command.ts"
import { needs } from "./Needs.ts"
import { type IdempotencyKey, isSameCall } from "../domain/values/IdempotencyKey.ts"
import type { OrganizationId, RequestId, WebhookId } from "../domain/values/Ids.ts"
import { answer, type Decider, type Decision, recorded, type View } from "./shared/Decider.ts"
import type { Alerts as AlertRow } from "../domain/alerts/AlertState.ts"
import * as Alerts from "./commands/alerts.ts"
import * as Checks from "./commands/checks.ts"
import * as Messages from "./commands/messages.ts"
import * as Batches from "./commands/batches.ts"
import * as Outbox from "./commands/outbox.ts"
import * as OptOuts from "./commands/optOuts.ts"
import * as Records from "./commands/records.ts"
import * as Verifications from "./commands/verifications.ts"
import * as Webhooks from "./commands/webhooks.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import * as Message from "../domain/messages/Message.ts"
import type { OptOut } from "../domain/messages/OptOut.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { Records as Kept } from "../domain/organizations/RecordOptions.ts"
import type * as Recipient from "../domain/verifications/Recipient.ts"
import type { PrefixStats } from "../domain/fraud/PrefixStats.ts"
import * as Verification from "../domain/verifications/Verification.ts"
import type { Batch } from "../domain/outbox/Batch.ts"
import * as QueuedSend from "../domain/outbox/QueuedSend.ts"
import type { WebhookProgress } from "../domain/webhooks/WebhookProgress.ts"

export type { Decision, View, Writes } from "./shared/Decider.ts"

/** The rows of one organization in a store, while it decides a command. */
export interface Rows {
  readonly account: Account.Account | undefined
  readonly recipient: (phoneNumber: PhoneNumber) => Recipient.Recipient | undefined
  readonly verification: (requestId: RequestId) => Verification.Verification | undefined
  readonly message: (sequence: number) => Message.Message | undefined
  readonly payment: (paymentId: string) => Account.Entry | undefined
  readonly idempotencyKey: (id: string) => IdempotencyKey | undefined
  readonly prefixStats: (prefix: string) => PrefixStats | undefined
  readonly client: (digest: string) => ClientActivity | undefined
  readonly webhook: (id: WebhookId) => WebhookProgress | undefined
  readonly erasedRecipient: (digest: string) => ErasedRecipient | undefined
  readonly queued: (id: string) => QueuedSend.QueuedSend | undefined
  readonly optOut: (digest: string) => OptOut | undefined
  readonly batch: (id: string) => Batch | undefined
  readonly alerts: (organization: OrganizationId) => AlertRow | undefined
}

export const view = <T extends Tag>(rows: Rows, command: Command<T>): View => {
  const wanted = needs(command)
  const { idempotencyId, messageSequence, paymentId, requestId } = wanted
  const found = requestId === undefined ? undefined : rows.verification(requestId)
  // Commands on a request find no erased one, but its id stays taken.
  const isHidden = command._tag !== "RequestVerification" && found && Verification.isErased(found)
  const verification = isHidden === true ? undefined : found
  const phoneNumber = wanted.phoneNumber ?? verification?.phoneNumber
  const prefix =
    wanted.prefixOfRequest === true ? (verification?.prefix ?? undefined) : wanted.prefix
  return {
    account: rows.account,
    recipient: phoneNumber === undefined ? undefined : rows.recipient(phoneNumber),
    verification,
    message: messageSequence === undefined ? undefined : rows.message(messageSequence),
    payment: paymentId === undefined ? undefined : rows.payment(paymentId),
    idempotencyKey: idempotencyId === undefined ? undefined : rows.idempotencyKey(idempotencyId),
    carrier:
      wanted.carrier === true && verification !== undefined
        ? rows.message(verification.messageSequence)
        : undefined,
    prefixStats: prefix === undefined ? undefined : rows.prefixStats(prefix),
    client: wanted.client && firstUnder(wanted.client, rows.client),
    erased: wanted.erased && firstUnder(wanted.erased, rows.erasedRecipient),
    optOuts: wanted.optOuts === undefined ? noOptOuts : optOutsOf(rows, wanted.optOuts),
    webhook: wanted.webhookId === undefined ? undefined : rows.webhook(wanted.webhookId),
    queued: wanted.queuedId === undefined ? undefined : rows.queued(wanted.queuedId),
    queuedRows:
      wanted.queuedIds === undefined
        ? noQueuedRows
        : wanted.queuedIds.flatMap((id) => rows.queued(id) ?? []),
    batch: wanted.batchId === undefined ? undefined : rows.batch(wanted.batchId),
    alerts: wanted.alerts === true ? rows.alerts(command.organization) : undefined,
  }
}

const noQueuedRows: View["queuedRows"] = []

const noOptOuts: View["optOuts"] = new Map()

const optOutsOf = (rows: Rows, digests: ReadonlyArray<string>): View["optOuts"] =>
  new Map(
    digests.flatMap((digest) => {
      const row = rows.optOut(digest)
      return row === undefined ? [] : [[digest, row] as const]
    }),
  )

/** The row stays under the digest that it was made with, so there is one row while its secret is in use. */
const firstUnder = <A>(
  digests: Digests,
  find: (digest: string) => A | undefined,
): A | undefined => {
  for (const digest of digests) {
    const found = find(digest)
    if (found !== undefined) return found
  }
  return undefined
}

/** The time of an organization's decision: never before the latest time that the organization has seen. */
export const timeOf = (account: Account.Account | undefined, clockMillis: number): number =>
  Math.max(clockMillis, account?.lastAt ?? 0)

/** Decides a command at `now` (epoch milliseconds, from `timeOf`). `records`: what the store keeps. */
export const decide = <T extends Tag>(
  view: View,
  command: Command<T>,
  now: number,
  records: Kept,
): Decision<CommandResult<T>> => {
  const { account } = view
  if (account === undefined) return answer({ _tag: "NoAccount" })
  if ("version" in command && command.version !== account.version) return answer({ _tag: "Stale" })
  const call = callOf(command)
  const key = view.idempotencyKey
  if (call !== undefined && key !== undefined && now < key.expiresAt) {
    return answer(isSameCall(key, call) ? { _tag: "Repeated", key, now } : mismatch)
  }
  const claimed = claimedOf(command)
  if (claimed !== undefined && !isQueued(view.queued, claimed, command, now)) {
    return answer(notQueued)
  }
  const decider: Decider<Command<T>, OwnResult<T>> = deciders[command._tag]
  const current = { ...account, lastAt: now }
  const decided = decider({ account: current, view, now }, command)
  const decision = withBalanceAlert(account, records.bodies ? decided : withoutBodies(decided), now)
  return recorded(decision, current, records)
}

/** Whether a command may be for a queued send. One that has expired can only be ended. */
const isQueued = (
  queued: View["queued"],
  claimed: QueuedSend.Claimed,
  { _tag }: { readonly _tag: Tag },
  now: number,
): boolean =>
  QueuedSend.isOpen(queued, claimed) && (_tag === "EndQueued" || !QueuedSend.isExpired(queued, now))

/** Adds the event of a balance that this decision has made low, or that is no longer low. No decider raises it. */
const withBalanceAlert = <A>(before: Account.Account, decision: Decision<A>, at: number) => {
  const { account: after = before } = decision.writes
  const { balanceLowAt: threshold, organization } = before
  if (threshold === null || Account.isLow(before) === Account.isLow(after)) return decision
  const _tag = Account.isLow(after) ? "BalanceLow" : "BalanceRestored"
  // The first booking of an organization restores nothing.
  if (_tag === "BalanceRestored" && before.entries === 0) return decision
  const { balance } = after
  const changed = { _tag, organization, at, balance, threshold } as const
  return { ...decision, events: [...decision.events, changed] }
}

/** The texts of stored messages go as well, with their next change. */
const withoutBodies = <A>({ writes, ...rest }: Decision<A>): Decision<A> => {
  const { followed, message } = writes
  return {
    ...rest,
    writes: {
      ...writes,
      ...(message !== undefined && { message: Message.withoutText(message) }),
      ...(followed !== undefined && { followed: Message.withoutText(followed) }),
    },
  }
}

const mismatch = { _tag: "IdempotencyMismatch" } as const
const notQueued = { _tag: "NotQueued" } as const

const deciders: {
  readonly [T in Tag]: Decider<Command<T>, OwnResult<T>>
} = {
  AdmitVerification: Verifications.admitVerification,
  RequestVerification: Verifications.requestVerification,
  FollowVerification: Verifications.followVerification,
  EndFollow: Verifications.endFollow,
  AdmitResend: Verifications.admitResend,
  ResendVerification: Verifications.resendVerification,
  CancelVerification: Verifications.cancelVerification,
  ConsumeVerification: Checks.consumeVerification,
  CheckCode: Checks.checkCode,
  VerifyCode: Checks.verifyCode,
  ResetGuesses: Checks.resetGuesses,
  ObserveVerification: Checks.observeVerification,
  AdmitMessage: Messages.admitMessage,
  HoldMessage: Messages.holdMessage,
  RecordDispatch: Messages.recordDispatch,
  ApplyReport: Messages.applyReport,
  ReclaimMessage: Messages.reclaimMessage,
  BeginLookup: Messages.beginLookup,
  CloseMessage: Messages.closeMessage,
  FindCall: Records.findCall,
  RecordAnswer: Records.recordAnswer,
  Book: Records.book,
  ChangeOptOuts: OptOuts.changeOptOuts,
  ClaimWebhook: Webhooks.claimWebhook,
  RecordDeliveries: Webhooks.recordDeliveries,
  RecordResent: Webhooks.recordResent,
  ReplayWebhook: Webhooks.replayWebhook,
  RecordErasure: Records.recordErasure,
  RecordAudit: Records.recordAudit,
  RecordRefusals: Records.recordRefusals,
  EndQueued: Outbox.endQueued,
  MoveQueued: Outbox.moveQueued,
  ReleaseOrder: Outbox.releaseOrder,
  OpenBatch: Batches.openBatch,
  AddToBatch: Batches.addToBatch,
  ChangeBatch: Batches.changeBatch,
  PaceBatch: Batches.paceBatch,
  DropQueued: Batches.dropQueued,
  CheckAlerts: Alerts.checkAlerts,
}
