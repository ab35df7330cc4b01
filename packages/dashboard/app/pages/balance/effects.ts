import type { LedgerEntry } from "../../api/types.ts"

type Sign = -1 | 0 | 1

/** The signs by which entries of each kind change the balance and the held amount, as in the CSV. */
const effects: Readonly<
  Record<LedgerEntry["kind"], { readonly balance: Sign; readonly held: Sign }>
> = {
  "top-up": { balance: 1, held: 0 },
  adjustment: { balance: 1, held: 0 },
  hold: { balance: -1, held: 1 },
  capture: { balance: 0, held: -1 },
  release: { balance: 1, held: -1 },
}

/** A decimal times a sign, with all its digits. */
const times = (decimal: string, sign: Sign): string => {
  if (sign === 0) return "0.00"
  if (sign === 1 || !/[1-9]/.test(decimal)) return decimal
  return decimal.startsWith("-") ? decimal.slice(1) : `-${decimal}`
}

/** How far the entries of a kind, whose amounts have this sum, moved both balances. */
export const effectOf = (kind: LedgerEntry["kind"], amount: string) => ({
  balance: times(amount, effects[kind].balance),
  held: times(amount, effects[kind].held),
})
