/**
 * Plain data of bookings, statements and totals.
 */
import type { Channel } from "../domain/values/Channel.ts"
import type * as Inputs from "../api/Inputs.ts"
import type { Balance, LedgerEntry, OfOrganization } from "./Data.ts"

/** The balance after a booking, and the entry that records it. */
export interface Booked extends Balance {
  readonly entry: LedgerEntry
  /** Whether the payment was booked before, by `entry`. Then nothing has changed. */
  readonly isRepeat: boolean
}

/** A period of an organization. */
export interface Period extends OfOrganization {
  /** Inclusive. */
  readonly from: Date
  /** Exclusive, so that one period ends where the next begins. */
  readonly to: Date
}

/** A statement of an account. The opening balances and the entries give the closing balances. */
export interface Statement extends Pick<Period, "from" | "to"> {
  /** ISO 4217. */
  readonly currency: string
  /** Before the period. */
  readonly opening: Pick<Balance, "balance" | "held">
  /** Number of entries of each kind, and the sum of their amounts, a decimal. */
  readonly entries: Readonly<
    Record<LedgerEntry["kind"], { readonly count: number; readonly amount: string }>
  >
  /** After the period. */
  readonly closing: Pick<Balance, "balance" | "held">
}

export interface ReadTotals extends Period, Inputs.ReadTotals {}

/** A total of a slot. A dimension is `""` if it is not known, not in `by`, or if the kind does not have it. */
export interface Total {
  /** The start of the slot. */
  readonly at: Date
  /**
   * `messages` have their status as `outcome`. `requests` have `opened`, `verified`, `failed` and `wrong_code`, and no
   * channel and gateway. `bookings` have `top-up` and `adjustment` only. `deliveries` have the time from the message to
   * its delivery report: below so many seconds, or `more`. `refusals` have the code of the error, and after a colon its
   * reason, such as `rate_limited:guesses`, and no gateway.
   */
  readonly kind: "messages" | "requests" | "bookings" | "deliveries" | "refusals"
  readonly channel: Channel | ""
  readonly gateway: string
  /** ISO 3166 alpha-2. */
  readonly country: string
  readonly outcome: string
  readonly count: number
  /** The charges of messages, or the amounts of bookings: a decimal. */
  readonly amount: string
  /** The part of `amount` that was given back. */
  readonly refunded: string
}
