/**
 * An organization's money: the balance, the amount held for messages whose outcome is open, and the ledger
 * entries behind both.
 *
 * Entries are append-only and numbered without gaps. Each entry contains the balances after it, so the
 * account always equals the fold of its entries.
 */
import * as Result from "effect/Result"
import type { OrganizationId } from "./Ids.ts"
import * as Money from "./Money.ts"
import type { SlidingWindow } from "./SlidingWindow.ts"
import type { Spending } from "./Spending.ts"

/** The row that is locked while an organization's commands are decided. */
export interface Account extends Spending {
  readonly organization: OrganizationId
  /** Increases with every change to the organization's settings, brands and keys. */
  readonly version: number
  /** Amount that can be spent, without open holds. Never negative. */
  readonly balance: Money.Money
  /** The sum of the open holds. */
  readonly held: Money.Money
  /** Number of entries, which is the sequence of the last one. */
  readonly entries: number
  /** Sequence of the newest message; 0 before the first. */
  readonly lastMessage: number
  /** Sequence of the oldest message that retention has kept. */
  readonly firstMessage: number
  /**
   * The latest time that this organization has seen, in epoch milliseconds. No decision uses an earlier time.
   */
  readonly lastAt: number
  /** Counted code checks. */
  readonly checks: SlidingWindow
  /** Counted messages. */
  readonly sends: SlidingWindow
}

export type EntryKind = "top-up" | "adjustment" | "hold" | "capture" | "release"

/** One line of the ledger. */
export interface Entry {
  readonly organization: OrganizationId
  /** 1 for the account's first entry; has no gaps. */
  readonly sequence: number
  readonly kind: EntryKind
  /** Positive for all kinds except `adjustment`, which may be negative. */
  readonly amount: Money.Money
  readonly balance: Money.Money
  readonly held: Money.Money
  /** Sequence of the paid message; `null` for top-ups and adjustments. */
  readonly messageSequence: number | null
  /** The host's own words for a top-up or an adjustment; `null` for messages. */
  readonly note: string | null
  /** Payment id of a top-up or an adjustment, unique within the organization. */
  readonly paymentId: string | null
  readonly at: number
}

/** A change of the balance by the host. */
export interface Booking {
  readonly amount: Money.Money
  readonly note: string
  /** Makes repeats of the booking have no effect. `null`: every call books. @defaultValue null */
  readonly paymentId?: string | null | undefined
}

/** An account after a change, and the entries that record it. */
export interface Posting {
  readonly account: Account
  readonly entries: ReadonlyArray<Entry>
}

/** A new account without money. */
export const empty = (organization: OrganizationId, at: number): Account => ({
  organization,
  version: 1,
  balance: Money.zero,
  held: Money.zero,
  entries: 0,
  lastMessage: 0,
  firstMessage: 1,
  lastAt: at,
  checks: [],
  sends: [],
  spentOn: 0,
  spent: Money.zero,
})

/** The required amount exceeds the balance. */
export interface Insufficient {
  readonly _tag: "Insufficient"
  readonly required: Money.Money
  readonly available: Money.Money
}

/**
 * The amount exceeds the largest balance that an account can count exactly; `most` would have been accepted.
 */
export interface TooMuch {
  readonly _tag: "TooMuch"
  readonly most: Money.Money
}

const signs: Record<EntryKind, { readonly balance: -1 | 0 | 1; readonly held: -1 | 0 | 1 }> = {
  "top-up": { balance: 1, held: 0 },
  adjustment: { balance: 1, held: 0 },
  hold: { balance: -1, held: 1 },
  capture: { balance: 0, held: -1 },
  release: { balance: 1, held: -1 },
}

interface Line {
  readonly kind: EntryKind
  readonly amount: Money.Money
  readonly message: number | null
  readonly note: string | null
  readonly paymentId: string | null
  readonly at: number
}

const post = (self: Account, line: Line): Posting => {
  // A free message has no ledger entry.
  if (line.amount === 0) return { account: self, entries: [] }
  const sign = signs[line.kind]
  const account: Account = {
    ...self,
    balance: Money.fromUnits(self.balance + sign.balance * line.amount),
    held: Money.fromUnits(self.held + sign.held * line.amount),
    entries: self.entries + 1,
  }
  return {
    account,
    entries: [
      {
        organization: self.organization,
        sequence: account.entries,
        kind: line.kind,
        amount: line.amount,
        balance: account.balance,
        held: account.held,
        messageSequence: line.message,
        note: line.note,
        paymentId: line.paymentId,
        at: line.at,
      },
    ],
  }
}

const ofMessage = (kind: EntryKind, amount: Money.Money, message: number, at: number): Line => ({
  kind,
  amount,
  message,
  note: null,
  paymentId: null,
  at,
})

/** Takes the price of a message off the balance until its outcome is known. */
export const hold = (
  self: Account,
  amount: Money.Money,
  message: number,
  at: number,
): Result.Result<Posting, Insufficient> =>
  amount > self.balance
    ? Result.fail({ _tag: "Insufficient", required: amount, available: self.balance })
    : Result.succeed(post(self, ofMessage("hold", amount, message, at)))

/** Keeps a held amount permanently. */
export const capture = (self: Account, amount: Money.Money, message: number, at: number): Posting =>
  post(self, ofMessage("capture", amount, message, at))

/** Returns a held amount to the balance. */
export const release = (self: Account, amount: Money.Money, message: number, at: number): Posting =>
  post(self, ofMessage("release", amount, message, at))

/** The largest amount that can be added. Held money counts, because a later release has to fit. */
const room = (self: Account): Money.Money =>
  Money.fromUnits(Number.MAX_SAFE_INTEGER - self.held - self.balance)

/** Adds money that the organization has paid in. */
export const topUp = (
  self: Account,
  { amount, note, paymentId = null }: Booking,
  at: number,
): Result.Result<Posting, TooMuch> =>
  amount > room(self)
    ? Result.fail({ _tag: "TooMuch", most: room(self) })
    : Result.succeed(post(self, { kind: "top-up", amount, message: null, note, paymentId, at }))

/** Corrects the balance by a signed amount. The balance cannot become negative. */
export const adjust = (
  self: Account,
  { amount, note, paymentId = null }: Booking,
  at: number,
): Result.Result<Posting, Insufficient | TooMuch> => {
  if (amount > room(self)) return Result.fail({ _tag: "TooMuch", most: room(self) })
  if (self.balance + amount < 0) {
    return Result.fail({
      _tag: "Insufficient",
      required: Money.fromUnits(-amount),
      available: self.balance,
    })
  }
  return Result.succeed(
    post(self, { kind: "adjustment", amount, message: null, note, paymentId, at }),
  )
}

/** The balances that a list of entries leads to, independent of the account row. */
export const fold = (
  entries: ReadonlyArray<Entry>,
): { readonly balance: Money.Money; readonly held: Money.Money } =>
  entries.reduce(
    (total, { amount, kind }) => ({
      balance: Money.fromUnits(total.balance + signs[kind].balance * amount),
      held: Money.fromUnits(total.held + signs[kind].held * amount),
    }),
    { balance: Money.zero, held: Money.zero },
  )
