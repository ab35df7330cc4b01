/**
 * The rules of the host's own bookings.
 */
import * as Result from "effect/Result"
import * as Account from "../../domain/Account.ts"
import type { PaymentMismatch, Posted } from "../Command.ts"
import { answer, type Context, type Decider, type Decision } from "./decider.ts"

export const topUp: Decider<"TopUp"> = (context, command) =>
  repeated(context, "top-up", command) ??
  posted(Account.topUp(context.account, command, context.now))

export const adjust: Decider<"Adjust"> = (context, command) =>
  repeated(context, "adjustment", command) ??
  posted(Account.adjust(context.account, command, context.now))

/**
 * The answer to a payment id that is already in the ledger. Comes first, because the money may have been
 * spent since.
 */
const repeated = (
  { account, view: { payment } }: Context,
  kind: Account.EntryKind,
  { amount }: Account.Booking,
): Decision<Posted | PaymentMismatch> | undefined => {
  if (payment === undefined) return undefined
  return payment.kind === kind && payment.amount === amount
    ? answer({ _tag: "Posted", entry: payment, balance: account.balance, isRepeat: true })
    : answer({ _tag: "PaymentMismatch", entry: payment })
}

const posted = <E>(posting: Result.Result<Account.Posting, E>): Decision<Posted | E> => {
  if (Result.isFailure(posting)) return answer(posting.failure)
  const { account, entries } = posting.success
  return answer(
    { _tag: "Posted", entry: entries[0], balance: account.balance, isRepeat: false },
    posting.success,
  )
}
