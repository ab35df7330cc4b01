/**
 * The rules of records without a message or a request. These are the host's bookings and actions, erasures, refused
 * calls, and the answers of calls with idempotency keys. `Decision.decide` answers repeats before a decider runs.
 */
import * as Result from "effect/Result"
import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import * as Account from "../../domain/money/Account.ts"
import * as Money from "../../domain/values/Money.ts"
import type { ErasedCounts } from "../../domain/events/Event.ts"
import type { CausedCount, Count, NewRefusal, Refusal } from "../../domain/verifications/Refusal.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type * as Shared from "../shared/Results.ts"

export interface Commands {
  /** Books a top-up or an adjustment, unless the organization has an entry with its payment id. */
  readonly Book: Shared.Administrative & Account.Booking
  /** Asks whether a call is a repeat. Changes nothing. */
  readonly FindCall: Required<Shared.Idempotent>
  /** Records the first answer of a call with a key, unless it has one. */
  readonly RecordAnswer: {
    readonly idempotencyId: string
    readonly answer: string
  }
  /** Records an action of the host that changes nothing here, such as a login. */
  readonly RecordAudit: Shared.Administrative &
    Pick<AuditRecord.NewAuditRecord, "action" | "target" | "reason">
  /** Records that a phone number was erased. The steps of `Store.erase` have erased it. */
  readonly RecordErasure: Shared.Administrative & { readonly erased: ErasedCounts }
  /** Counts refused calls, and keeps some of them. */
  readonly RecordRefusals: {
    readonly counts: ReadonlyArray<Count>
    /** Oldest first; at most `Refusal.maxKept`. */
    readonly kept: ReadonlyArray<NewRefusal>
    /** The counts of an event; `undefined`: raise none. */
    readonly reported: ReadonlyArray<CausedCount> | undefined
  }
}

export interface Results {
  readonly Book: Shared.Posted | Shared.PaymentMismatch | Account.Insufficient | Account.TooMuch
  readonly FindCall: Shared.NotFound
  /** `answer`: the recorded one. */
  readonly RecordAnswer: { readonly _tag: "Answered"; readonly answer: string } | Shared.NotFound
  readonly RecordAudit: Shared.Tagged<"Audited">
  readonly RecordErasure: Shared.Tagged<"ErasureRecorded">
  readonly RecordRefusals: Shared.Tagged<"RefusalsRecorded">
}

type Decide<T extends keyof Commands> = Decider<Shared.Of<Commands, T>, Results[T]>

export const recordAudit: Decide<"RecordAudit"> = (_, { action, actor, reason, target }) =>
  answer({ _tag: "Audited" }, {}, [], [AuditRecord.newRecord({ actor, action, reason, target })])

/** Neither the event nor the entry of the audit names the number. */
export const recordErasure: Decide<"RecordErasure"> = ({ account, now }, { actor, erased }) =>
  answer(
    { _tag: "ErasureRecorded" },
    { account },
    [{ _tag: "NumberErased", organization: account.organization, at: now, ...erased }],
    [AuditRecord.newRecord({ actor, action: "number.erased", after: { ...erased } })],
  )

/** A node may have noted the calls with a clock that is ahead. No time is later than the organization's. */
export const recordRefusals: Decide<"RecordRefusals"> = (
  { account, now },
  { counts, kept, reported },
) => {
  const { lastRefusal, organization } = account
  const atLatest = <A extends { readonly at: number }>(one: A): A => ({
    ...one,
    at: Math.min(one.at, now),
  })
  return answer(
    { _tag: "RefusalsRecorded" },
    {
      account: { ...account, lastRefusal: lastRefusal + kept.length },
      refusals: kept.map((one, index): Refusal => ({
        ...atLatest(one),
        organization,
        sequence: lastRefusal + 1 + index,
      })),
      refused: counts.map(atLatest),
    },
    reported === undefined
      ? []
      : [{ _tag: "CallsRefused", organization, at: now, refusals: reported }],
  )
}

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

export const findCall: Decide<"FindCall"> = () => answer({ _tag: "NotFound" })

/** Only the first answer is recorded, so that all calls with the key get the same one. */
export const recordAnswer: Decide<"RecordAnswer"> = ({ account, view }, command) => {
  const key = view.idempotencyKey
  if (key === undefined) return answer({ _tag: "NotFound" })
  if (key.answer !== null) return answer({ _tag: "Answered", answer: key.answer })
  const given = command.answer
  return answer(
    { _tag: "Answered", answer: given },
    { account, idempotencyKey: { ...key, answer: given } },
  )
}
