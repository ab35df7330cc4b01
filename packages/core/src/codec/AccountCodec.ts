/** Balances and bookings as plain data. */
import * as Money from "../domain/values/Money.ts"
import type { Balance, Booked } from "../services/Accounts.ts"
import { ledgerEntry } from "./Codec.ts"
import type * as Types from "./Data.ts"
import type * as Totals from "./TotalsData.ts"

export const accountBalance = ({ balance, currency, held }: Balance): Types.Balance => ({
  balance: Money.format(balance),
  held: Money.format(held),
  currency,
})

export const booked = ({ entry, isRepeat, ...balance }: Booked): Totals.Booked => ({
  ...accountBalance(balance),
  entry: ledgerEntry(entry),
  isRepeat,
})
