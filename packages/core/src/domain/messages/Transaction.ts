/**
 * The ledger as people read it: the hold of a message, its charge and its refund are one transaction. It stands at the
 * place of its first entry, which has changed the available balance.
 */
import { textCell } from "../values/Csv.ts"
import type { Entry, EntryKind } from "../money/Account.ts"
import { logId, type Message } from "./Message.ts"
import { plus } from "../money/Total.ts"
import * as Money from "../values/Money.ts"
import { mask } from "../values/PhoneNumber.ts"

export const kinds = ["message", "top-up", "adjustment"] as const

export type Kind = (typeof kinds)[number]

export const states = ["held", "charged", "refunded"] as const

export type State = (typeof states)[number]

export interface Transaction extends Pick<
  Entry,
  "sequence" | "at" | "balance" | "messageSequence" | "note" | "paymentId" | "actor"
> {
  readonly kind: Kind
  /** Its effect on the available balance so far. */
  readonly change: Money.Money
  /** `null` for a booking, for a message that is no longer in the log, and for messages of several states. */
  readonly state: State | null
  readonly messageId: string | null
  readonly phoneNumber: string | null
  readonly batchId: string | null
  /** Number of its messages. */
  readonly messages: number
}

/** The entry with which a transaction of each kind begins. */
const firstEntries = {
  message: "hold",
  "top-up": "top-up",
  adjustment: "adjustment",
} as const satisfies Record<Kind, EntryKind>

export const entryKindsOf = (selected: ReadonlyArray<Kind> = kinds): ReadonlyArray<EntryKind> =>
  selected.map((kind) => firstEntries[kind])

const stateOf = ({ hold }: Message): State | null => {
  switch (hold) {
    case "open":
      return "held"
    case "captured":
      return "charged"
    case "released":
      return "refunded"
    case "none":
      return null
  }
}

/** The transaction that begins with an entry. `message`: the one that is paid for, if it is still in the log. */
export const of = (entry: Entry, message: Message | undefined): Transaction => {
  const { actor, amount, at, balance, kind, messageSequence, note, paymentId, sequence } = entry
  const state = message === undefined ? null : stateOf(message)
  const own = kind === "top-up" || kind === "adjustment" ? kind : "message"
  const paid = state === "refunded" ? Money.zero : Money.fromUnits(-amount)
  return {
    sequence,
    at,
    kind: own,
    change: own === "message" ? paid : amount,
    balance,
    state,
    messageId: message === undefined ? null : logId(message),
    messageSequence,
    phoneNumber: message === undefined ? null : mask(message.phoneNumber),
    batchId: message?.batch ?? null,
    messages: own === "message" ? 1 : 0,
    note,
    paymentId,
    actor,
  }
}

/** Two transactions of a batch, at the place of the newer one. */
const merge = (newer: Transaction, older: Transaction): Transaction => ({
  ...newer,
  change: plus(newer.change, older.change),
  state: newer.state === older.state ? newer.state : null,
  messageId: null,
  messageSequence: null,
  phoneNumber: null,
  messages: newer.messages + older.messages,
})

/**
 * Rows, newest first, with an older transaction. The messages of a batch are one row. With `batchId`, each message of
 * this batch is a row, and there are no other rows. `undefined`: it needs a row beyond `limit`.
 */
export const add = (
  rows: ReadonlyArray<Transaction>,
  one: Transaction,
  { batchId, limit }: { readonly limit: number; readonly batchId?: string | undefined },
): ReadonlyArray<Transaction> | undefined => {
  if (batchId !== undefined && one.batchId !== batchId) return rows
  const isSame = (row: Transaction) =>
    batchId === undefined && row.batchId !== null && row.batchId === one.batchId
  if (rows.some(isSame)) return rows.map((row) => (isSame(row) ? merge(row, one) : row))
  return rows.length < limit ? [...rows, one] : undefined
}

export const csvHeader =
  "sequence,at,currency,kind,change,balance,state,messageSequence,messageId,phoneNumber,paymentId,note,actor\r\n"

/** Transactions as CSV (RFC 4180), without the first line. */
export const toCsv = (all: ReadonlyArray<Transaction>, currency: string): string =>
  all
    .map((one) => {
      const { actor, at, balance, change, kind, messageSequence, note, paymentId, sequence } = one
      const when = `${sequence},${new Date(at).toISOString()},${currency},${kind}`
      const amounts = [change, balance].map(Money.format).join()
      const message = [one.state ?? "", messageSequence ?? "", one.messageId ?? ""].join()
      const texts = [one.phoneNumber, paymentId, note, actor].map(textCell).join()
      return `${when},${amounts},${message},${texts}\r\n`
    })
    .join("")
