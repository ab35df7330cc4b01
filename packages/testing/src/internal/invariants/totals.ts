import type { Entry } from "@countersign/core/domain/money/Account"
import type { Message } from "@countersign/core/domain/messages/Message"
import { countryOf, type PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import {
  by,
  dayMillis,
  dimensions,
  inSlots,
  type Total,
} from "@countersign/core/domain/money/Total"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import type { Bounds, Snapshot } from "./snapshot.ts"

const quarter = 900_000

type Sum = readonly [count: number, amount: number, refunded: number]

const none: Sum = [0, 0, 0]

/** The sums of rows with the same key. */
class Recount {
  readonly sums = new Map<string, Sum>()

  add(at: number, dimensions: ReadonlyArray<string>, [count, amount, refunded]: Sum): void {
    const key = [at - (at % quarter), ...dimensions].join(" ")
    const known = this.sums.get(key) ?? none
    this.sums.set(key, [known[0] + count, known[1] + amount, known[2] + refunded])
  }
}

const country = (phoneNumber: PhoneNumber): string => countryOf(phoneNumber) ?? ""

const addMessage = (recount: Recount, message: Message): void => {
  const { channel, charge, createdAt, failureReason, gateway, hold, phoneNumber, status } = message
  if (status === "pending") return
  const place = country(phoneNumber)
  const own = ["messages", channel, gateway, place, status, failureReason ?? ""]
  recount.add(createdAt, own, [1, charge, hold === "released" ? charge : 0])
  if (message.requestId === null || status !== "delivered") return
  recount.add(createdAt, ["requests", "", "", place, "delivered", ""], [1, 0, 0])
}

const addRequest = (recount: Recount, request: Verification): void => {
  const { createdAt, phoneNumber, status } = request
  for (const outcome of status === "pending" ? ["opened"] : ["opened", status]) {
    recount.add(createdAt, ["requests", "", "", country(phoneNumber), outcome, ""], [1, 0, 0])
  }
}

const addEntry = (recount: Recount, { amount, at, kind, messageSequence }: Entry): void => {
  if (messageSequence === null) recount.add(at, ["bookings", "", "", "", kind, ""], [1, amount, 0])
}

/** The first quarter whose messages and requests are all there. Others may have been dropped. */
const firstWhole = ({ account, messages }: Snapshot, { droppedBefore = 0 }: Bounds): number => {
  const oldest = messages[0]?.createdAt ?? Infinity
  const complete = account.firstMessage === 1 ? 0 : Math.floor(oldest / quarter) + 1
  return Math.max(complete, Math.ceil(droppedBefore / quarter)) * quarter
}

/** The totals that a recount gives. Wrong codes, delivery times and most refusals are in no row. */
const isCounted = ({ kind, outcome }: Total): boolean =>
  kind !== "deliveries" && kind !== "refusals" && outcome !== "wrong_code"

const sumOf = ({ amount, count, refunded }: Pick<Total, "amount" | "count" | "refunded">): Sum => [
  count,
  amount,
  refunded,
]

const countProblems = ({ messages, totals }: Snapshot): ReadonlyArray<string> => {
  const found = totals.flatMap(({ at, count, kind, outcome }) =>
    count < 0 ? [`I34: ${count} ${kind} with ${outcome} in the quarter of ${at}`] : [],
  )
  const delivered = messages.filter(({ status }) => status === "delivered").length
  const timed = totals.filter(({ kind }) => kind === "deliveries")
  const reported = timed.reduce((sum, { count }) => sum + count, 0)
  if (messages[0]?.sequence === 1 && reported > delivered) {
    found.push(`I34: ${reported} delivery times of ${delivered} delivered messages`)
  }
  return found
}

const linesOf = (rows: ReadonlyArray<Total>): ReadonlyArray<string> =>
  rows
    .map(({ at, channel, country, gateway, kind, network, outcome, reason, ...sum }) =>
      [at, kind, channel, gateway, country, network, outcome, reason, sumOf(sum).join("/")].join(
        " ",
      ),
    )
    .toSorted()

/** Days equal the sums of their quarters, if all of their quarters are there. */
const dayProblems = (
  { days, totals }: Snapshot,
  { droppedBefore = 0 }: Bounds,
): ReadonlyArray<string> => {
  const isWhole = ({ at }: Total): boolean => at >= droppedBefore
  const found = linesOf(days.filter(isWhole))
  const expected = linesOf(inSlots(totals, dayMillis).filter(isWhole))
  return found.join() === expected.join()
    ? []
    : [`I34: the totals of days are ${found.join()}, those of their quarters ${expected.join()}`]
}

/**
 * Compares the totals with a recount of the quarters whose rows are all there. Others count at least what is there.
 * Networks are added up, because a number that is erased has none.
 */
export const totalProblems = (given: Snapshot, bounds: Bounds): ReadonlyArray<string> => {
  const kept = dimensions.filter((one) => one !== "network")
  const snapshot = { ...given, days: by(given.days, kept), totals: by(given.totals, kept) }
  const { entries, messages, totals, verifications } = snapshot
  const from = firstWhole(snapshot, bounds)
  const expected = new Recount()
  const counted = new Recount()
  for (const message of messages) addMessage(expected, message)
  for (const request of verifications) addRequest(expected, request)
  for (const entry of entries) addEntry(expected, entry)
  for (const row of totals.filter(isCounted)) {
    const { at, channel, country, gateway, kind, outcome, reason } = row
    counted.add(at, [kind, channel, gateway, country, outcome, reason], sumOf(row))
  }
  const found = [...countProblems(snapshot), ...dayProblems(snapshot, bounds)]
  for (const key of new Set([...expected.sums.keys(), ...counted.sums.keys()])) {
    const right = expected.sums.get(key) ?? none
    const total = counted.sums.get(key) ?? none
    const isRight =
      Number.parseInt(key, 10) < from ? total[0] >= right[0] : total.join() === right.join()
    if (!isRight) {
      found.push(
        `I34: the total of ${key} is ${total.join("/")}, a recount gives ${right.join("/")}`,
      )
    }
  }
  return found
}
