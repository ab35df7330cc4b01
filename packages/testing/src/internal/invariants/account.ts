import type { Entry } from "@countersign/core/domain/money/Account"
import type { Snapshot } from "./snapshot.ts"

// Derived from the documents and not from core, so that a mistake there is not repeated here.
const effectOf = ({ amount, kind }: Entry): readonly [balance: number, held: number] => {
  switch (kind) {
    case "top-up":
    case "adjustment":
      return [amount, 0]
    case "hold":
      return [-amount, amount]
    case "capture":
      return [0, -amount]
    case "release":
      return [amount, -amount]
  }
}

const sum = (amounts: ReadonlyArray<number>): number =>
  amounts.reduce((total, amount) => total + amount, 0)

const amountsOf = (entries: ReadonlyArray<Entry>, ...kinds: ReadonlyArray<Entry["kind"]>) =>
  sum(entries.filter(({ kind }) => kinds.includes(kind)).map(({ amount }) => amount))

const entryProblems = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let balance = 0
  let held = 0
  let at = 0
  const payments = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const [toBalance, toHeld] = effectOf(entry)
    balance += toBalance
    held += toHeld
    if (entry.sequence !== index + 1)
      found.push(`I3: entry ${index + 1} has the number ${entry.sequence}`)
    if (entry.balance !== balance || entry.held !== held) {
      found.push(
        `I3: entry ${entry.sequence} says ${entry.balance} + ${entry.held}, not ${balance} + ${held}`,
      )
    }
    if (balance < 0 || held < 0) found.push(`I2: overdrawn after entry ${entry.sequence}`)
    if (entry.amount <= 0 && (entry.kind !== "adjustment" || entry.amount === 0)) {
      found.push(`I2: entry ${entry.sequence} is a ${entry.kind} of ${entry.amount}`)
    }
    if (
      (entry.messageSequence === null) !==
      (entry.kind === "top-up" || entry.kind === "adjustment")
    ) {
      found.push(
        `I4: entry ${entry.sequence} is a ${entry.kind} for message ${entry.messageSequence}`,
      )
    }
    if (entry.paymentId !== null) {
      if (entry.messageSequence !== null)
        found.push(`I29: entry ${entry.sequence} pays with a payment id`)
      if (payments.has(entry.paymentId)) found.push(`I29: entry ${entry.sequence} is booked twice`)
      payments.add(entry.paymentId)
    }
    if (entry.at < at) found.push(`I27: entry ${entry.sequence} is older than the one before it`)
    at = entry.at
  }
  return found
}

const dayOf = ({ at }: Entry): number => Math.floor(at / 86_400_000)

/** Amount charged on a day (days since 1970) and never refunded. */
const spentOn = (entries: ReadonlyArray<Entry>, day: number): number => {
  const charges = entries.filter((entry) => entry.kind === "hold" && dayOf(entry) === day)
  const charged = new Set(charges.map(({ messageSequence }) => messageSequence))
  const back = entries.filter(
    ({ kind, messageSequence }) => kind === "release" && charged.has(messageSequence),
  )
  return amountsOf(charges, "hold") - amountsOf(back, "release")
}

export const accountProblems = ({
  account,
  entries,
  messages,
}: Snapshot): ReadonlyArray<string> => {
  const found = [...entryProblems(entries)]
  const last = entries.at(-1)
  if (account.entries !== entries.length) {
    found.push(`I3: the account counts ${account.entries} entries, there are ${entries.length}`)
  }
  if (account.balance !== (last?.balance ?? 0) || account.held !== (last?.held ?? 0)) {
    found.push("I3: the account is not the fold of its entries")
  }
  if (account.balance < 0) found.push("I2: the balance is negative")
  const paidIn = amountsOf(entries, "top-up", "adjustment")
  const captured = amountsOf(entries, "capture")
  if (account.balance + account.held + captured !== paidIn) {
    found.push("I2: balance, holds and captures are not what was paid in")
  }
  const openHolds = sum(messages.filter(({ hold }) => hold === "open").map(({ charge }) => charge))
  if (openHolds !== account.held) {
    found.push(`I22: ${account.held} is held, the open holds are ${openHolds}`)
  }
  const inLog = entries.filter(
    ({ messageSequence }) => (messageSequence ?? 0) >= account.firstMessage,
  )
  const kept = sum(messages.filter(({ hold }) => hold === "captured").map(({ charge }) => charge))
  const capturedInLog = amountsOf(inLog, "capture")
  if (kept !== capturedInLog) {
    found.push(`I23: ${capturedInLog} was captured, the log says ${kept}`)
  }
  if (account.spent !== spentOn(entries, account.spentOn)) {
    found.push(
      `I28: ${account.spent} is spent, the ledger says ${spentOn(entries, account.spentOn)}`,
    )
  }
  const latest = Math.max(
    0,
    ...entries.map(({ at }) => at),
    ...messages.map(({ createdAt }) => createdAt),
  )
  if (account.lastAt < latest) found.push("I27: the account has seen less time than its rows")
  return found
}
