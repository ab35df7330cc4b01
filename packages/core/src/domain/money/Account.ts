/**
 * An organization's money: the balance, the amount held for open messages, and the ledger entries behind
 * both.
 *
 * Entries are append-only and numbered without gaps. Each contains the balances after it, so the account
 * always equals the fold of its entries.
 */
import * as Result from "effect/Result"
import type { Actor } from "../values/Actor.ts"
import type { OrganizationId } from "../values/Ids.ts"
import * as Money from "../values/Money.ts"
import type { SlidingWindow } from "../limits/SlidingWindow.ts"

/**
 * The charges of the current UTC day. Two numbers are exact for any number of messages; a sliding window would need the
 * time of every charge.
 */
export interface Spending {
  /** The UTC day of `spent`, in days since 1970-01-01; 0 before the first charge. */
  readonly spentOn: number
  /** The charges of that day, without refunded ones. */
  readonly spent: Money.Money
}

const dayMillis = 86_400_000

/** The UTC day of a time in epoch milliseconds. */
export const dayOf = (at: number): number => Math.floor(at / dayMillis)

export const spentAt = (self: Spending, now: number): Money.Money =>
  self.spentOn === dayOf(now) ? self.spent : Money.zero

/** The charge exceeds the cap. The cap is reset after `retryAfterSeconds`, when the next day begins. */
export interface Capped {
  readonly _tag: "Capped"
  readonly retryAfterSeconds: number
}

/** Why a charge exceeds the cap; `undefined` if it does not. A free message never exceeds the cap. */
export const overCap = (
  self: Spending,
  amount: Money.Money,
  cap: Money.Money | undefined,
  now: number,
): Capped | undefined => {
  if (cap === undefined || amount === 0 || spentAt(self, now) + amount <= cap) return undefined
  const wait = (dayOf(now) + 1) * dayMillis - now
  return { _tag: "Capped", retryAfterSeconds: Math.ceil(wait / 1_000) }
}

export const spend = <A extends Spending>(self: A, amount: Money.Money, now: number): A => ({
  ...self,
  spentOn: dayOf(now),
  // Above this amount, which is the largest exact one, no cap can be set.
  spent: Money.fromUnits(Math.min(Number.MAX_SAFE_INTEGER, spentAt(self, now) + amount)),
})

/** Removes a refunded charge of `chargedAt`, unless it is of an earlier day. */
export const giveBack = <A extends Spending>(self: A, amount: Money.Money, chargedAt: number): A =>
  self.spentOn === dayOf(chargedAt)
    ? // Charges from before counting began are not in the count either.
      { ...self, spent: Money.fromUnits(Math.max(0, self.spent - amount)) }
    : self

/** The row that is locked while an organization's commands are decided. */
export interface Account extends Spending {
  readonly organization: OrganizationId
  /** Another number after every change to the organization's settings, senders and keys. */
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
  /** Sequence of the newest event; 0 before the first. */
  readonly lastEvent: number
  /** Sequence of the oldest event that retention has kept. */
  readonly firstEvent: number
  /** Sequence of the newest entry of the audit; 0 before the first. */
  readonly lastAudit: number
  /** Sequence of the oldest entry of the audit that retention has kept. */
  readonly firstAudit: number
  /** Sequence of the newest kept refusal; 0 before the first. */
  readonly lastRefusal: number
  /** `Settings.balanceLowAt`, beside the balance that it is compared with. */
  readonly balanceLowAt: Money.Money | null
  /** The latest time that this organization has seen. No decision uses an earlier time. */
  readonly lastAt: number
  readonly checks: SlidingWindow
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
  /** The id of the actor of a top-up or an adjustment; `null` for messages. */
  readonly actor: string | null
  readonly at: number
}

/** A change of the balance by the host. */
export interface Booking {
  readonly kind: "top-up" | "adjustment"
  /** Positive for a top-up. */
  readonly amount: Money.Money
  readonly note: string
  /** Makes repeats of the booking have no effect. `null`: every call books. */
  readonly paymentId: string | null
  readonly actor: Pick<Actor, "id">
}

/** An account after a change, and the entries that record it. */
export interface Posting {
  readonly account: Account
  readonly entries: ReadonlyArray<Entry>
}

export const empty = (organization: OrganizationId, at: number): Account => ({
  organization,
  version: 1,
  balance: Money.zero,
  held: Money.zero,
  entries: 0,
  lastMessage: 0,
  firstMessage: 1,
  lastEvent: 0,
  firstEvent: 1,
  lastAudit: 0,
  firstAudit: 1,
  lastRefusal: 0,
  balanceLowAt: null,
  lastAt: at,
  checks: [],
  sends: [],
  spentOn: 0,
  spent: Money.zero,
})

export interface Insufficient {
  readonly _tag: "Insufficient"
  readonly required: Money.Money
  readonly available: Money.Money
}

/** The balance would be too large to count exactly; `most` would have been accepted. */
export interface TooMuch {
  readonly _tag: "TooMuch"
  readonly most: Money.Money
}

/** How an entry of each kind changes the balances: the factors of its amount. */
export const effects: Readonly<
  Record<EntryKind, { readonly balance: -1 | 0 | 1; readonly held: -1 | 0 | 1 }>
> = {
  "top-up": { balance: 1, held: 0 },
  adjustment: { balance: 1, held: 0 },
  hold: { balance: -1, held: 1 },
  capture: { balance: 0, held: -1 },
  release: { balance: 1, held: -1 },
}

/** Appends an entry. A free message has none. */
const post = (
  self: Account,
  kind: EntryKind,
  amount: Money.Money,
  about: Pick<Entry, "messageSequence" | "note" | "paymentId" | "actor">,
  at: number,
): Posting => {
  if (amount === 0) return { account: self, entries: [] }
  const sign = effects[kind]
  const account: Account = {
    ...self,
    balance: Money.fromUnits(self.balance + sign.balance * amount),
    held: Money.fromUnits(self.held + sign.held * amount),
    entries: self.entries + 1,
  }
  const entry: Entry = {
    organization: self.organization,
    sequence: account.entries,
    kind,
    amount,
    balance: account.balance,
    held: account.held,
    messageSequence: about.messageSequence,
    note: about.note,
    paymentId: about.paymentId,
    actor: about.actor,
    at,
  }
  return { account, entries: [entry] }
}

const ofMessage = (messageSequence: number) => ({
  messageSequence,
  note: null,
  paymentId: null,
  actor: null,
})

/** Begins the next message of the log and holds its price. Checks the day's cap and then the balance. */
export const hold = (
  self: Account,
  charge: Money.Money,
  spendPerDay: Money.Money | undefined,
  at: number,
): Result.Result<Posting, Capped | Insufficient> => {
  const capped = overCap(self, charge, spendPerDay, at)
  if (capped !== undefined) return Result.fail(capped)
  if (charge > self.balance) {
    return Result.fail({ _tag: "Insufficient", required: charge, available: self.balance })
  }
  const lastMessage = self.lastMessage + 1
  const spent = charge === 0 ? self : spend(self, charge, at)
  return Result.succeed(post({ ...spent, lastMessage }, "hold", charge, ofMessage(lastMessage), at))
}

/** Ends the hold of a message: `capture` keeps its price, `release` returns it to the balance. */
export const endHold = (
  self: Account,
  kind: "capture" | "release",
  message: { readonly sequence: number; readonly charge: Money.Money; readonly createdAt: number },
  at: number,
): Posting => {
  const { charge, createdAt, sequence } = message
  const account = kind === "release" ? giveBack(self, charge, createdAt) : self
  return post(account, kind, charge, ofMessage(sequence), at)
}

/** Books a top-up or an adjustment. The balance cannot become negative. */
export const book = (
  self: Account,
  { actor, amount, kind, note, paymentId }: Booking,
  at: number,
): Result.Result<Posting, Insufficient | TooMuch> => {
  // Held money counts, because a later release has to fit.
  const most = Money.fromUnits(Number.MAX_SAFE_INTEGER - self.held - self.balance)
  if (amount > most) return Result.fail({ _tag: "TooMuch", most })
  if (self.balance + amount < 0) {
    const required = Money.fromUnits(-amount)
    return Result.fail({ _tag: "Insufficient", required, available: self.balance })
  }
  const about = { messageSequence: null, note, paymentId, actor: actor.id }
  return Result.succeed(post(self, kind, amount, about, at))
}

/** Whether the balance is below the organization's threshold. */
export const isLow = ({ balance, balanceLowAt }: Account): boolean =>
  balanceLowAt !== null && balance < balanceLowAt

/** The balances that a list of entries leads to, independent of the account row. */
export const fold = (
  entries: ReadonlyArray<Entry>,
): { readonly balance: Money.Money; readonly held: Money.Money } =>
  entries.reduce(
    (total, { amount, kind }) => ({
      balance: Money.fromUnits(total.balance + effects[kind].balance * amount),
      held: Money.fromUnits(total.held + effects[kind].held * amount),
    }),
    { balance: Money.zero, held: Money.zero },
  )
