/**
 * The rules: a view of the state and a command go in, a decision comes out.
 *
 * `decide` is synchronous and total. It knows no clock, no randomness and no
 * storage; every store runs the same one under its organization's lock.
 *
 * @module-kind pure
 */
import * as Mac from "effect/crypto/Mac"
import * as Result from "effect/Result"
import * as Account from "./Account.ts"
import type {
  Command,
  Draft,
  Limited,
  Outcome,
  PepperedDigest,
  Tag,
  TooManyPending,
} from "./Command.ts"
import { needs } from "./Command.ts"
import type { Event } from "./Event.ts"
import * as Message from "./Message.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"
import type { RequestId } from "./Ids.ts"
import * as Recipient from "./Recipient.ts"
import * as SlidingWindow from "./SlidingWindow.ts"
import * as Verification from "./Verification.ts"

/** The rows that a command may look at. A recipient that is not stored yet is an empty one. */
export interface View {
  readonly account: Account.Account | undefined
  readonly recipient: Recipient.Recipient | undefined
  readonly verification: Verification.Verification | undefined
  readonly message: Message.Message | undefined
}

/** The rows to insert or replace, and the entries to append. */
export interface Writes {
  readonly account?: Account.Account
  readonly recipient?: Recipient.Recipient
  readonly verification?: Verification.Verification
  readonly message?: Message.Message
  readonly entries?: ReadonlyArray<Account.Entry>
}

/** What a command comes to. */
export interface Decision<out A> {
  readonly outcome: A
  readonly writes: Writes
  readonly events: ReadonlyArray<Event>
}

/** Where a store keeps the rows of one organization while it decides on a command. */
export interface Rows {
  readonly account: Account.Account | undefined
  readonly recipient: (number: PhoneNumber) => Recipient.Recipient | undefined
  readonly verification: (id: RequestId) => Verification.Verification | undefined
  readonly message: (number: number) => Message.Message | undefined
}

/** The view of one command. */
export const view = <T extends Tag>(rows: Rows, command: Command<T>): View => {
  const wanted = needs(command)
  const verification =
    wanted.verification === undefined ? undefined : rows.verification(wanted.verification)
  const number = wanted.recipient ?? verification?.number
  return {
    account: rows.account,
    recipient: number === undefined ? undefined : rows.recipient(number),
    verification,
    message: wanted.message === undefined ? undefined : rows.message(wanted.message),
  }
}

/** The time at which an organization decides: never before the last time it has seen. */
export const timeOf = (account: Account.Account | undefined, clockMillis: number): number =>
  Math.max(clockMillis, account?.lastAt ?? 0)

interface Context {
  readonly account: Account.Account
  readonly view: View
  readonly now: number
}

type Decider<T extends Tag> = (
  context: Context,
  command: Command<T>,
) => Decision<Exclude<Outcome<T>, { readonly _tag: "NoAccount" | "Stale" }>>

const answer = <const A>(
  outcome: A,
  writes: Writes = {},
  events: ReadonlyArray<Event> = [],
): Decision<A> => ({ outcome, writes, events })

/** Decides on a command at `now` (epoch milliseconds, from `timeOf`). */
export const decide = <T extends Tag>(
  view: View,
  command: Command<T>,
  now: number,
): Decision<Outcome<T>> => {
  const { account } = view
  if (account === undefined) return answer({ _tag: "NoAccount" })
  if ("version" in command && command.version !== account.version) return answer({ _tag: "Stale" })
  const tag: T = command._tag
  const decider: Decider<T> = deciders[tag]
  return decider({ account: { ...account, lastAt: now }, view, now }, command)
}

const recipientOf = ({ view }: Context, command: Command<"AdmitVerification" | "RequestVerification">) =>
  view.recipient ?? Recipient.empty(command.organization, command.number)

interface Counted {
  readonly recipient: Recipient.Recipient
}

/** The two limits of a number: requests in any minute, and requests that are pending. */
const countVerification = (
  context: Context,
  command: Command<"AdmitVerification" | "RequestVerification">,
  counted: boolean,
): Result.Result<Counted, Decision<Limited | TooManyPending>> => {
  let recipient = recipientOf(context, command)
  if (!counted) {
    const admission = SlidingWindow.admit(recipient.sends, command.sendLimit, context.now)
    if (admission._tag === "Limited") return Result.fail(answer(admission))
    recipient = { ...recipient, sends: admission.window }
  }
  return Recipient.pendingAt(recipient, context.now).length >= command.pendingLimit
    ? Result.fail(answer({ _tag: "TooManyPending" }, { account: context.account, recipient }))
    : Result.succeed({ recipient })
}

const admitVerification: Decider<"AdmitVerification"> = (context, command) => {
  const counted = countVerification(context, command, false)
  return Result.isFailure(counted)
    ? counted.failure
    : answer(
        { _tag: "Admitted" },
        { account: context.account, recipient: counted.success.recipient },
      )
}

interface Paid {
  readonly account: Account.Account
  readonly entries: ReadonlyArray<Account.Entry>
  readonly message: Message.Message
}

/** Writes a message to the log and takes its price; the balance is the last guard. */
const pay = (
  { account, now }: Context,
  draft: Draft,
  recipient: PhoneNumber,
  verification: RequestId | null,
): Result.Result<Paid, Account.Insufficient> => {
  const number = account.lastMessage + 1
  const posting = Account.hold(account, draft.charge, number, now)
  if (Result.isFailure(posting)) return Result.fail(posting.failure)
  return Result.succeed({
    account: { ...posting.success.account, lastMessage: number },
    entries: posting.success.entries,
    message: {
      organization: account.organization,
      number,
      id: draft.id,
      recipient,
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
    },
  })
}

const requestVerification: Decider<"RequestVerification"> = (context, command) => {
  const { account, now } = context
  const counted = countVerification(context, command, command.counted)
  if (Result.isFailure(counted)) return counted.failure
  const { recipient } = counted.success
  const paid = pay(context, command.draft, command.number, command.id)
  if (Result.isFailure(paid)) return answer(paid.failure, { account, recipient })
  const { entries, message } = paid.success
  const expiresAt = now + command.expirySeconds * 1_000
  return answer(
    { _tag: "Requested", message: message.number, balance: paid.success.account.balance },
    {
      account: paid.success.account,
      entries,
      message,
      recipient: Recipient.open(recipient, { id: command.id, until: expiresAt }, now),
      verification: {
        organization: command.organization,
        id: command.id,
        number: command.number,
        channel: command.draft.channel,
        status: "pending",
        createdAt: now,
        expiresAt,
        verifiedAt: null,
        attemptsRemaining: command.attempts,
        digest: command.code.digest,
        pepper: command.code.pepper,
        message: message.number,
      },
    },
  )
}

const noDigest = new Uint8Array(32)

/** The one place where codes are compared, in a time that does not depend on where they differ. */
const codeMatches = (
  verification: Verification.Verification,
  candidates: ReadonlyArray<PepperedDigest>,
): boolean => {
  const candidate = candidates.find(({ pepper }) => pepper === verification.pepper)
  return (
    Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest) &&
    candidate !== undefined
  )
}

const checkCode: Decider<"CheckCode"> = (context, command) => {
  const { now, view } = context
  const admission = SlidingWindow.admit(context.account.checks, command.limit, now)
  if (admission._tag === "Limited") return answer(admission)
  const account = { ...context.account, checks: admission.window }
  if (view.verification === undefined) return answer({ _tag: "NotFound" }, { account })
  const { id, number, organization } = view.verification
  const matches = codeMatches(view.verification, command.candidates)
  const checked = Verification.check(view.verification, matches, now)
  const recipient = view.recipient ?? Recipient.empty(organization, number)
  const closed = { account, verification: checked.verification, recipient: Recipient.close(recipient, id) }
  switch (checked._tag) {
    case "Verified":
      return checked.first
        ? answer({ _tag: "Verified", number, verifiedAt: checked.verifiedAt, first: true }, closed, [
            { _tag: "Verified", organization, at: now, requestId: id, number },
          ])
        : answer({ _tag: "Verified", number, verifiedAt: checked.verifiedAt, first: false }, { account })
    case "Failed":
      return checked.first
        ? answer({ _tag: "Failed", first: true }, closed, [
            { _tag: "Failed", organization, at: now, requestId: id, number, reason: "attempts" },
          ])
        : answer({ _tag: "Failed", first: false }, { account })
    case "WrongCode":
      return answer(
        { _tag: "WrongCode", attemptsRemaining: checked.verification.attemptsRemaining },
        { account, verification: checked.verification },
      )
    case "Expired":
      return answer({ _tag: "Expired" }, { account })
  }
}

/** The limit of an organization's own messages, if the host has set one. */
const countMessage = (
  { account, now }: Context,
  limit: SlidingWindow.Limit | undefined,
  counted: boolean,
): Result.Result<Account.Account, Limited> => {
  if (counted) return Result.succeed(account)
  const admission = SlidingWindow.admit(account.sends, limit, now)
  return admission._tag === "Limited"
    ? Result.fail(admission)
    : Result.succeed({ ...account, sends: admission.window })
}

const admitMessage: Decider<"AdmitMessage"> = (context, command) => {
  const counted = countMessage(context, command.limit, false)
  return Result.isFailure(counted)
    ? answer(counted.failure)
    : answer({ _tag: "Admitted" }, { account: counted.success })
}

const holdMessage: Decider<"HoldMessage"> = (context, command) => {
  const counted = countMessage(context, command.limit, command.counted)
  if (Result.isFailure(counted)) return answer(counted.failure)
  const paid = pay({ ...context, account: counted.success }, command.draft, command.number, null)
  if (Result.isFailure(paid)) return answer(paid.failure, { account: counted.success })
  const { account, entries, message } = paid.success
  return answer(
    { _tag: "Held", message: message.number, balance: account.balance },
    { account, entries, message },
  )
}

interface Booked {
  readonly account: Account.Account
  readonly entries: ReadonlyArray<Account.Entry>
  readonly events: ReadonlyArray<Event>
}

/** Books what a change of a message means for the money, and says what it means for the world. */
const book = ({ account, now }: Context, before: Message.Message, change: Message.Change): Booked => {
  const { message, money } = change
  const { organization, number } = message
  const posting =
    money === "keep"
      ? { account, entries: [] }
      : money === "capture"
        ? Account.capture(account, message.charge, number, now)
        : Account.release(account, message.charge, number, now)
  const events: Array<Event> = []
  if (Message.isClosed(message) && !Message.isClosed(before)) {
    const { channel, status } = message
    events.push({ _tag: "MessageSettled", organization, at: now, message: number, channel, status })
  }
  if (money === "release") {
    events.push({ _tag: "Refunded", organization, at: now, message: number, amount: message.charge })
  }
  return { ...posting, events }
}

/** A code that was never sent fails its request; any other outcome leaves it pending. */
const afterDispatch = (
  { now, view }: Context,
  notSent: boolean,
): { readonly writes: Writes; readonly events: ReadonlyArray<Event> } => {
  const { recipient, verification } = view
  if (verification === undefined) return { writes: {}, events: [] }
  const { channel, id: requestId, number, organization } = verification
  const about = { organization, at: now, requestId, number }
  if (!notSent) return { writes: {}, events: [{ _tag: "VerificationSent", ...about, channel }] }
  const failed = Verification.fail(verification)
  if (failed === verification) return { writes: {}, events: [] }
  return {
    writes: {
      verification: failed,
      recipient: Recipient.close(recipient ?? Recipient.empty(organization, number), requestId),
    },
    events: [{ _tag: "Failed", ...about, reason: "sending" }],
  }
}

const settleMessage: Decider<"SettleMessage"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  if (before.attempt !== command.attempt) return answer({ _tag: "Fenced" })
  const { outcome } = command
  const change = Message.settle(before, outcome, command.reports)
  const booked = book(context, before, change)
  const notSent = outcome._tag === "Rejected" || outcome._tag === "NotSent"
  const after = afterDispatch(context, notSent)
  return answer(
    { _tag: "Settled", status: change.message.status, balance: booked.account.balance },
    {
      ...after.writes,
      account: booked.account,
      entries: booked.entries,
      message: change.message,
    },
    [...booked.events, ...after.events],
  )
}

const applyReport: Decider<"ApplyReport"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  const change = Message.report(before, command.status, command.detail)
  const applied = { _tag: "Applied", status: change.message.status } as const
  if (change.message === before) return answer(applied)
  const { account, entries, events } = book(context, before, change)
  return answer(applied, { account, entries, message: change.message }, events)
}

const reclaimMessage: Decider<"ReclaimMessage"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  const message = Message.reclaim(before, command.leaseMillis, context.now)
  return message === undefined
    ? answer({ _tag: "NotDue" })
    : answer({ _tag: "Reclaimed", message }, { account: context.account, message })
}

const expireMessage: Decider<"ExpireMessage"> = (context, _command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  const change = Message.expire(before, context.now)
  if (change === undefined) return answer({ _tag: "NotDue" })
  const { account, entries, events } = book(context, before, change)
  return answer({ _tag: "Closed" }, { account, entries, message: change.message }, events)
}

const topUp: Decider<"TopUp"> = ({ account, now }, command) => {
  const posting = Account.topUp(account, command.amount, command.note, now)
  return Result.isFailure(posting)
    ? answer(posting.failure)
    : answer({ _tag: "Posted", balance: posting.success.account.balance }, posting.success)
}

const adjust: Decider<"Adjust"> = ({ account, now }, command) => {
  const posting = Account.adjust(account, command.amount, command.note, now)
  return Result.isFailure(posting)
    ? answer(posting.failure)
    : answer({ _tag: "Posted", balance: posting.success.account.balance }, posting.success)
}

const deciders: { readonly [T in Tag]: Decider<T> } = {
  AdmitVerification: admitVerification,
  RequestVerification: requestVerification,
  CheckCode: checkCode,
  AdmitMessage: admitMessage,
  HoldMessage: holdMessage,
  SettleMessage: settleMessage,
  ApplyReport: applyReport,
  ReclaimMessage: reclaimMessage,
  ExpireMessage: expireMessage,
  TopUp: topUp,
  Adjust: adjust,
}
