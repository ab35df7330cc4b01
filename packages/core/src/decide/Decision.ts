/**
 * The rules: a view of the state and a command lead to a decision. Every store runs them under its
 * organization's lock.
 */
import * as Account from "../domain/Account.ts"
import type { ClientActivity } from "../domain/ClientActivity.ts"
import type { ErasedRecipient } from "../domain/ErasedRecipient.ts"
import { callOf, type Command, type CommandResult, type Tag } from "./Command.ts"
import { needs } from "./Needs.ts"
import { type IdempotencyKey, isSameCall } from "../domain/IdempotencyKey.ts"
import type { RequestId, WebhookId } from "../domain/Ids.ts"
import { answer, type Decider, type Decision, type View } from "./internal/decider.ts"
import { recordErasure } from "./internal/erasureDeciders.ts"
import * as AuditDeciders from "./internal/auditDeciders.ts"
import * as FollowDeciders from "./internal/followDeciders.ts"
import * as IdempotencyDeciders from "./internal/idempotencyDeciders.ts"
import * as MessageDeciders from "./internal/messageDeciders.ts"
import * as MoneyDeciders from "./internal/moneyDeciders.ts"
import { recordRefusals } from "./internal/refusalDeciders.ts"
import { recorded } from "./internal/recorded.ts"
import * as VerificationDeciders from "./internal/verificationDeciders.ts"
import * as WebhookDeciders from "./internal/webhookDeciders.ts"
import type { Digests } from "../domain/KnownClient.ts"
import * as Message from "../domain/Message.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { Records } from "../domain/Records.ts"
import type * as Recipient from "../domain/Recipient.ts"
import type { PrefixStats } from "../domain/PrefixStats.ts"
import * as Verification from "../domain/Verification.ts"
import type { WebhookProgress } from "../domain/WebhookProgress.ts"

export type { Decision, View, Writes } from "./internal/decider.ts"

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
}

/** The rows of an organization that does not exist. */
export const noRows: Rows = {
  account: undefined,
  recipient: () => undefined,
  verification: () => undefined,
  message: () => undefined,
  payment: () => undefined,
  idempotencyKey: () => undefined,
  prefixStats: () => undefined,
  client: () => undefined,
  webhook: () => undefined,
  erasedRecipient: () => undefined,
}

export const view = <T extends Tag>(rows: Rows, command: Command<T>): View => {
  const wanted = needs(command)
  const { idempotencyId, messageSequence, paymentId, requestId } = wanted
  const found = requestId === undefined ? undefined : rows.verification(requestId)
  // No command finds an erased request.
  const verification = found === undefined || Verification.isErased(found) ? undefined : found
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
    webhook: wanted.webhookId === undefined ? undefined : rows.webhook(wanted.webhookId),
  }
}

/** The row stays under the digest that it was made with, so there is one row while its pepper is in use. */
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
  records: Records,
): Decision<CommandResult<T>> => {
  const { account } = view
  if (account === undefined) return answer({ _tag: "NoAccount" })
  if ("version" in command && command.version !== account.version) return answer({ _tag: "Stale" })
  const call = callOf(command)
  const key = view.idempotencyKey
  if (call !== undefined && key !== undefined && now < key.expiresAt) {
    return answer(isSameCall(key, call) ? { _tag: "Repeated", key, now } : mismatch)
  }
  const decider: Decider<T> = deciders[command._tag]
  const current = { ...account, lastAt: now }
  const decided = decider({ account: current, view, now }, command)
  const decision = withBalanceLow(account, records.bodies ? decided : withoutBodies(decided), now)
  return recorded(decision, current, records)
}

/** Adds the event of a balance that this decision has made low. No decider raises it. */
const withBalanceLow = <A>(before: Account.Account, decision: Decision<A>, at: number) => {
  const { account: after = before } = decision.writes
  const { balanceLowAt: threshold, organization } = before
  if (threshold === null || !Account.hasBecomeLow(before, after)) return decision
  const { balance } = after
  const low = { _tag: "BalanceLow", organization, at, balance, threshold } as const
  return { ...decision, events: [...decision.events, low] }
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

const deciders: { readonly [T in Tag]: Decider<T> } = {
  AdmitVerification: VerificationDeciders.admitVerification,
  RequestVerification: VerificationDeciders.requestVerification,
  FollowVerification: FollowDeciders.followVerification,
  EndFollow: FollowDeciders.endFollow,
  AdmitResend: FollowDeciders.admitResend,
  ResendVerification: FollowDeciders.resendVerification,
  CancelVerification: VerificationDeciders.cancelVerification,
  ConsumeVerification: VerificationDeciders.consumeVerification,
  CheckCode: VerificationDeciders.checkCode,
  ResetGuesses: VerificationDeciders.resetGuesses,
  ObserveVerification: VerificationDeciders.observeVerification,
  AdmitMessage: MessageDeciders.admitMessage,
  HoldMessage: MessageDeciders.holdMessage,
  RecordDispatch: MessageDeciders.recordDispatch,
  ApplyReport: MessageDeciders.applyReport,
  ReclaimMessage: MessageDeciders.reclaimMessage,
  BeginLookup: MessageDeciders.beginLookup,
  CloseMessage: MessageDeciders.closeMessage,
  FindCall: IdempotencyDeciders.findCall,
  RecordAnswer: IdempotencyDeciders.recordAnswer,
  Book: MoneyDeciders.book,
  ClaimWebhook: WebhookDeciders.claimWebhook,
  RecordDeliveries: WebhookDeciders.recordDeliveries,
  ReplayWebhook: WebhookDeciders.replayWebhook,
  RecordErasure: recordErasure,
  RecordAudit: AuditDeciders.recordAudit,
  RecordRefusals: recordRefusals,
}
