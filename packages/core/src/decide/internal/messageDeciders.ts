/**
 * The rules of messages: their charge, and the settlement of the charge.
 */
import * as Result from "effect/Result"
import * as Account from "../../domain/Account.ts"
import type { Command, Limited } from "../Command.ts"
import type { Event } from "../../domain/Event.ts"
import { isUnsent } from "../../domain/GatewayOutcome.ts"
import * as Message from "../../domain/Message.ts"
import * as Report from "../../domain/Report.ts"
import * as SlidingWindow from "../../domain/SlidingWindow.ts"
import * as Spending from "../../domain/Spending.ts"
import { answer, type Context, type Decider, failRequest, pay, type Writes } from "./decider.ts"

/** Counts a message against the organization's limit, if it has one. */
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

export const admitMessage: Decider<"AdmitMessage"> = (context, command) => {
  const counted = countMessage(context, command.limit, false)
  return Result.isFailure(counted)
    ? answer(counted.failure)
    : answer({ _tag: "Admitted" }, { account: counted.success })
}

export const holdMessage: Decider<"HoldMessage"> = (context, command) => {
  const counted = countMessage(context, command.limit, command.counted)
  if (Result.isFailure(counted)) return answer(counted.failure)
  const { draft, phoneNumber, spendPerDay } = command
  const paid = pay({ ...context, account: counted.success }, draft, phoneNumber, null, spendPerDay)
  if (Result.isFailure(paid)) return answer(paid.failure, { account: counted.success })
  const { account, entries, message } = paid.success
  return answer(
    { _tag: "Held", messageSequence: message.sequence, balance: account.balance },
    { account, entries, message },
  )
}

interface Posted {
  readonly account: Account.Account
  readonly entries: ReadonlyArray<Account.Entry>
  readonly events: ReadonlyArray<Event>
}

/** Books the effect of a message's change on the account, and makes its events. */
const book = (
  { account, now }: Context,
  before: Message.Message,
  change: Message.Change,
): Posted => {
  const { message, money } = change
  const { organization, sequence } = message
  const posting =
    money === "keep"
      ? { account, entries: [] }
      : money === "capture"
        ? Account.capture(account, message.charge, sequence, now)
        : Account.release(
            Spending.giveBack(account, message.charge, message.createdAt),
            message.charge,
            sequence,
            now,
          )
  const events: Array<Event> = []
  if (Message.isClosed(message) && !Message.isClosed(before)) {
    const { channel, status } = message
    events.push({
      _tag: "MessageSettled",
      organization,
      at: now,
      messageSequence: sequence,
      channel,
      status,
    })
  }
  if (money === "release") {
    events.push({
      _tag: "Refunded",
      organization,
      at: now,
      messageSequence: sequence,
      amount: message.charge,
    })
  }
  return { ...posting, events }
}

/**
 * Fails the request of a code whose message ended unsent, unless another message carries the code. If a
 * report came first, it has ended the message, regardless of the dispatch's outcome.
 */
const afterDispatch = (
  context: Context,
  { followed = false, messageSequence, outcome, rules }: Command<"RecordDispatch">,
  status: Message.Status,
): { readonly writes: Writes; readonly events: ReadonlyArray<Event> } => {
  const { verification } = context.view
  if (verification === undefined) return { writes: {}, events: [] }
  if (isUnsent(outcome) && Message.isUnsentStatus(status)) {
    const isCarried = followed || verification.messageSequence !== messageSequence
    return isCarried ? { writes: {}, events: [] } : failRequest(context, rules)
  }
  const { channel, id: requestId, phoneNumber, organization } = verification
  const about = { organization, at: context.now, requestId, phoneNumber }
  return { writes: {}, events: [{ _tag: "VerificationSent", ...about, channel }] }
}

export const recordDispatch: Decider<"RecordDispatch"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  if (before.attempt !== command.attempt) return answer({ _tag: "Fenced" })
  const { outcome } = command
  const change = Message.settle(before, outcome, command.reports)
  const idMillis = "gatewayId" in outcome ? outcome.idMillis : undefined
  const gatewayId = Message.newGatewayId(before, change.message, idMillis, context.now)
  const booked = book(context, before, change)
  const after = afterDispatch(context, command, change.message.status)
  return answer(
    { _tag: "Settled", status: change.message.status, balance: booked.account.balance },
    {
      ...after.writes,
      account: booked.account,
      entries: booked.entries,
      message: change.message,
      ...(gatewayId === undefined ? undefined : { gatewayId }),
    },
    [...booked.events, ...after.events],
  )
}

export const applyReport: Decider<"ApplyReport"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  // The message of another installation with the same sequence.
  if (!before.id.endsWith(command.token ?? "")) return answer({ _tag: "NotFound" })
  const { source } = command
  const change = Message.report(before, command.status, command.detail)
  const { channel, phoneNumber: to, status } = change.message
  const applied = { _tag: "Applied", status, channel, to } as const
  const message = source === undefined ? change.message : Report.count(change.message)
  if (message === before) return answer(applied)
  const report = source && Report.keep(before, command, source, context.now)
  const { account, entries, events } = book(context, before, change)
  return answer(
    applied,
    { account, entries, message, ...(report === undefined ? undefined : { report }) },
    events,
  )
}

export const reclaimMessage: Decider<"ReclaimMessage"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  const message = Message.reclaim(before, command.leaseMillis, context.now)
  return message === undefined
    ? answer({ _tag: "NotDue" })
    : answer({ _tag: "Reclaimed", message }, { account: context.account, message })
}

export const expireMessage: Decider<"ExpireMessage"> = (context, command) => {
  const before = context.view.message
  if (before === undefined) return answer({ _tag: "NotFound" })
  const { askable, asked, askMillis } = command
  const message =
    !asked && askable.includes(before.gateway)
      ? Message.ask(before, askMillis, context.now)
      : undefined
  if (message !== undefined) {
    return answer({ _tag: "Asking", message }, { account: context.account, message })
  }
  const change = Message.expire(before, context.now, asked)
  if (change === undefined) return answer({ _tag: "NotDue" })
  const { account, entries, events } = book(context, before, change)
  return answer({ _tag: "Closed" }, { account, entries, message: change.message }, events)
}
