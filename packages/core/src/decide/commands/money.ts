/** The rule of the host's own bookings. */
import * as Result from "effect/Result"
import * as Account from "../../domain/money/Account.ts"
import * as Money from "../../domain/values/Money.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of, Administrative, Posted, PaymentMismatch } from "../shared/Results.ts"

export interface Commands {
  /** Books a top-up or an adjustment, unless the organization has an entry with its payment id. */
  readonly Book: Administrative & Account.Booking
}

export interface Results {
  readonly Book: Posted | PaymentMismatch | Account.Insufficient | Account.TooMuch
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

export const book: Decide<"Book"> = ({ account, now, view }, command) => {
  const { actor, amount, kind, note, organization } = command
  // A repeat comes first, because the money may have been spent since.
  const { payment } = view
  if (payment !== undefined) {
    const { balance, held } = account
    return payment.kind === kind && payment.amount === amount
      ? answer({ _tag: "Posted", entry: payment, balance, held, isRepeat: true })
      : answer({ _tag: "PaymentMismatch", entry: payment })
  }
  const posting = Account.book(account, command, now)
  if (Result.isFailure(posting)) return answer(posting.failure)
  const { account: after, entries } = posting.success
  const { balance, held } = after
  const given = { organization, at: now, amount, balance, note }
  return answer(
    { _tag: "Posted", entry: entries[0], balance, held, isRepeat: false },
    { account: after, entries },
    entries.length === 0 ? [] : [{ _tag: kind === "top-up" ? "ToppedUp" : "Adjusted", ...given }],
    entries.map(({ sequence }) => ({
      actor,
      action: kind === "top-up" ? "account.topped_up" : "account.adjusted",
      target: String(sequence),
      before: { balance: Money.format(account.balance) },
      after: { balance: Money.format(balance) },
      reason: note === "" ? null : note,
    })),
  )
}
