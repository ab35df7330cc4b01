/**
 * The types and functions that all deciders share.
 */
import * as Result from "effect/Result"
import * as Account from "../../domain/Account.ts"
import type { OwnResult, Command, Draft, Tag } from "../Command.ts"
import type { Event } from "../../domain/Event.ts"
import type { RequestId } from "../../domain/Ids.ts"
import type * as Message from "../../domain/Message.ts"
import type { Money } from "../../domain/Money.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as Recipient from "../../domain/Recipient.ts"
import type { Report } from "../../domain/Report.ts"
import * as Spending from "../../domain/Spending.ts"
import * as Traffic from "../../domain/PrefixStats.ts"
import * as Verification from "../../domain/Verification.ts"

/** The rows that a command may read. A recipient that is not stored yet is an empty one. */
export interface View {
  readonly account: Account.Account | undefined
  readonly recipient: Recipient.Recipient | undefined
  readonly verification: Verification.Verification | undefined
  readonly message: Message.Message | undefined
  readonly payment: Account.Entry | undefined
  /** The message that the verification points to. */
  readonly carrier: Message.Message | undefined
  readonly traffic: Traffic.PrefixStats | undefined
}

/** The rows to insert or replace, and the entries to append. */
export interface Writes {
  readonly account?: Account.Account
  readonly recipient?: Recipient.Recipient
  readonly verification?: Verification.Verification
  readonly message?: Message.Message
  readonly gatewayId?: Message.GatewayId
  readonly traffic?: Traffic.PrefixStats
  readonly entries?: ReadonlyArray<Account.Entry>
  readonly report?: Report
  readonly findings?: ReadonlyArray<Traffic.Finding>
}

/** The result of a command. */
export interface Decision<out A> {
  readonly outcome: A
  readonly writes: Writes
  readonly events: ReadonlyArray<Event>
}

/** The account with its time moved to `now`, and the other rows that the command may read. */
export interface Context {
  readonly account: Account.Account
  readonly view: View
  readonly now: number
}

/** Decides the commands of one tag, once the account is known and the caller's settings are not stale. */
export type Decider<T extends Tag> = (
  context: Context,
  command: Command<T>,
) => Decision<OwnResult<T>>

/** Makes a decision. Without writes and events, it changes nothing. */
export const answer = <const A>(
  outcome: A,
  writes: Writes = {},
  events: ReadonlyArray<Event> = [],
): Decision<A> => ({ outcome, writes, events })

export interface Paid {
  readonly account: Account.Account
  readonly entries: ReadonlyArray<Account.Entry>
  readonly message: Message.Message
}

/** Writes a message to the log and charges it. Checks the day's cap and then the balance. */
export const pay = (
  { account, now }: Context,
  draft: Draft,
  phoneNumber: PhoneNumber,
  verification: RequestId | null,
  spendPerDay: Money | undefined,
): Result.Result<Paid, Spending.Capped | Account.Insufficient> => {
  const capped = Spending.refusal(account, draft.charge, spendPerDay, now)
  if (capped !== undefined) return Result.fail(capped)
  const sequence = account.lastMessage + 1
  const posting = Account.hold(account, draft.charge, sequence, now)
  if (Result.isFailure(posting)) return Result.fail(posting.failure)
  return Result.succeed({
    account: {
      ...(draft.charge === 0
        ? posting.success.account
        : Spending.spend(posting.success.account, draft.charge, now)),
      lastMessage: sequence,
    },
    entries: posting.success.entries,
    message: {
      organization: account.organization,
      sequence,
      id: draft.id,
      phoneNumber,
      text: draft.text,
      channel: draft.channel,
      logChannel: draft.logChannel,
      sender: draft.sender,
      verification,
      status: "pending",
      charge: draft.charge,
      hold: draft.charge > 0 ? "open" : "none",
      gateway: draft.gateway,
      gatewayId: null,
      error: null,
      createdAt: now,
      attempt: 1,
      dueAt: now + draft.leaseMillis,
      settleBy: now + draft.settleMillis,
      anomalies: 0,
      anomaly: null,
      reports: 0,
    },
  })
}

/**
 * Ends a request whose code was not sent, if the request is still pending at `now`. Removes the code from the
 * count of its prefix, unless the request was verified or its attempts were used up.
 */
export const failRequest = (
  { now, view }: Context,
  rules: Traffic.Rules | undefined,
): { readonly writes: Writes; readonly events: ReadonlyArray<Event> } => {
  const { recipient, verification } = view
  if (verification === undefined || verification.status !== "pending") {
    return { writes: {}, events: [] }
  }
  const { createdAt, id: requestId, phoneNumber, organization } = verification
  const counted = recount(view.traffic, Traffic.rulesFor(rules, phoneNumber), (traffic, known) =>
    Traffic.unsent(Traffic.at(traffic, known, now), known, createdAt),
  )
  const failed = Verification.fail(verification, now)
  if (failed === verification) return { writes: counted, events: [] }
  return {
    writes: {
      verification: failed,
      recipient: Recipient.close(
        recipient ?? Recipient.empty(organization, phoneNumber),
        requestId,
      ),
      ...counted,
    },
    events: [{ _tag: "Failed", organization, at: now, requestId, phoneNumber, reason: "sending" }],
  }
}

/** The change to the statistics of a prefix; nothing if they are not loaded or fraud detection is off. */
export const recount = (
  traffic: Traffic.PrefixStats | undefined,
  rules: Traffic.Rules | undefined,
  change: (traffic: Traffic.PrefixStats, rules: Traffic.Rules) => Traffic.PrefixStats,
): Writes =>
  traffic === undefined || rules === undefined ? {} : { traffic: change(traffic, rules) }
