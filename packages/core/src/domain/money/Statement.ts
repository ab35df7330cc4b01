/**
 * A statement of an account: the balances before a period, the ledger entries of the period by kind, and the
 * balances after it.
 */
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { textCell } from "../values/Csv.ts"
import { effects, type Entry, type EntryKind } from "./Account.ts"
import * as Money from "../values/Money.ts"

export interface Balances extends Pick<Entry, "balance" | "held"> {}

/** The entries of one kind. */
export interface KindSum {
  readonly count: number
  /** Sum of the amounts in units; may be larger than an amount. Only the sum of `adjustment` may be negative. */
  readonly amount: bigint
}

export type KindSums = { readonly [K in EntryKind]: KindSum }

export interface Statement {
  /** Start of the period in epoch milliseconds, inclusive. */
  readonly from: number
  /** End of the period, exclusive. */
  readonly to: number
  readonly opening: Balances
  readonly entries: KindSums
  readonly closing: Balances
}

const none: KindSum = { count: 0, amount: 0n }

export const noEntries: KindSums = Record.map(effects, () => none)

const plus = (a: KindSum, b: KindSum): KindSum => ({
  count: a.count + b.count,
  amount: a.amount + b.amount,
})

export const add = (self: KindSums, that: KindSums): KindSums =>
  Record.map(self, (sum, kind) => plus(sum, that[kind]))

/** The sums of entries by kind. */
export const sumsOf = (entries: ReadonlyArray<Pick<Entry, "kind" | "amount">>): KindSums =>
  entries.reduce<KindSums>(
    (sums, { amount, kind }) => ({
      ...sums,
      [kind]: plus(sums[kind], { count: 1, amount: BigInt(amount) }),
    }),
    noEntries,
  )

type Sum = Parameters<typeof Money.format>[0]

/**
 * The statement as CSV (RFC 4180): a line for each balance, and one for each kind with its effect on both
 * balances. The opening balances and the effects add up to the closing balances.
 */
export const toCsv = (self: Statement, currency: string): string => {
  const period = [self.from, self.to].map((at) => new Date(at).toISOString()).join()
  const line = (item: string, count: number | "", balance: Sum, held: Sum) =>
    `${period},${currency},${item},${count},${Money.format(balance)},${Money.format(held)}\r\n`
  const lines = Struct.keys(effects).map((kind) => {
    const { amount, count } = self.entries[kind]
    const { balance, held } = effects[kind]
    return line(kind, count, BigInt(balance) * amount, BigInt(held) * amount)
  })
  return [
    "from,to,currency,item,entries,balance,held\r\n",
    line("opening", "", self.opening.balance, self.opening.held),
    ...lines,
    line("closing", "", self.closing.balance, self.closing.held),
  ].join("")
}

/** The first line of ledger entries as CSV. The changes have signs; `balance` and `held` are those after the entry. */
export const entriesHeader =
  "sequence,at,currency,kind,amount,balanceChange,heldChange,balance,held,messageSequence,paymentId,note,actor\r\n"

/** Ledger entries as CSV (RFC 4180), without the first line. */
export const entriesToCsv = (entries: ReadonlyArray<Entry>, currency: string): string =>
  entries
    .map((entry) => {
      const { actor, amount, at, kind, messageSequence, note, paymentId, sequence } = entry
      const changes = [effects[kind].balance * amount, effects[kind].held * amount].map(
        Money.fromUnits,
      )
      const amounts = [amount, ...changes, entry.balance, entry.held].map(Money.format).join()
      const about = [messageSequence ?? "", ...[paymentId, note, actor].map(textCell)].join()
      return `${sequence},${new Date(at).toISOString()},${currency},${kind},${amounts},${about}\r\n`
    })
    .join("")
