/**
 * The rules of the host's own bookings.
 *
 * @module-kind pure
 */
import * as Result from "effect/Result"
import * as Account from "../Account.ts"
import { answer, type Decider } from "./decider.ts"

export const topUp: Decider<"TopUp"> = ({ account, now }, command) => {
  const posting = Account.topUp(account, command.amount, command.note, now)
  return Result.isFailure(posting)
    ? answer(posting.failure)
    : answer({ _tag: "Posted", balance: posting.success.account.balance }, posting.success)
}

export const adjust: Decider<"Adjust"> = ({ account, now }, command) => {
  const posting = Account.adjust(account, command.amount, command.note, now)
  return Result.isFailure(posting)
    ? answer(posting.failure)
    : answer({ _tag: "Posted", balance: posting.success.account.balance }, posting.success)
}
