/** What the overview shows, from the totals of a range. */
import type { Channel, Message, MessageStatus, Total } from "../../api/types.ts"
import { minus, sum } from "../../ui/decimal.ts"

export const ranges = ["hour", "day", "week", "month", "quarter", "year"] as const

export type Range = (typeof ranges)[number]

const hour = 3_600_000
const day = 24 * hour

const lengths: Readonly<Record<Range, number>> = {
  hour,
  day,
  week: 7 * day,
  month: 30 * day,
  quarter: 90 * day,
  year: 365 * day,
}

export interface Period {
  readonly from: string
  readonly to: string
  readonly every: "hour" | "day"
}

/** Whole slots, so that the same address is read again within an hour. */
export const periodOf = (range: Range, now: number): Period => {
  const every = ["hour", "day", "week"].includes(range) ? "hour" : "day"
  const slot = every === "hour" ? hour : day
  const end = Math.ceil((now + 1) / hour) * hour
  const start = Math.floor((now - lengths[range]) / slot) * slot
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString(), every }
}

const failures: ReadonlyArray<string> = ["undelivered", "failed", "rejected", "unknown"]

const countOf = (totals: ReadonlyArray<Total>, isCounted: (total: Total) => boolean): number =>
  totals.reduce((count, total) => (isCounted(total) ? count + total.count : count), 0)

export interface Lines {
  readonly times: ReadonlyArray<number>
  readonly all: ReadonlyArray<number>
  readonly delivered: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
  readonly opened: ReadonlyArray<number>
  readonly verified: ReadonlyArray<number>
}

const linesOf = (totals: ReadonlyArray<Total>, { every, from, to }: Period): Lines => {
  const slot = every === "hour" ? hour : day
  const start = Date.parse(from)
  const count = Math.ceil((Date.parse(to) - start) / slot)
  const zeros = (): Array<number> => Array.from({ length: count }, () => 0)
  const lines = {
    all: zeros(),
    delivered: zeros(),
    failed: zeros(),
    opened: zeros(),
    verified: zeros(),
  }
  const add = (line: Array<number>, index: number, number: number): void => {
    line[index] = (line[index] ?? 0) + number
  }
  for (const total of totals) {
    const index = Math.floor((Date.parse(total.at) - start) / slot)
    if (index < 0 || index >= count) continue
    if (total.kind === "messages") {
      add(lines.all, index, total.count)
      if (total.outcome === "delivered") add(lines.delivered, index, total.count)
      if (failures.includes(total.outcome)) add(lines.failed, index, total.count)
    } else if (total.kind === "requests") {
      if (total.outcome === "opened") add(lines.opened, index, total.count)
      if (total.outcome === "verified") add(lines.verified, index, total.count)
    }
  }
  return { times: lines.all.map((_, index) => start + index * slot), ...lines }
}

export interface Failure {
  readonly gateway: string
  readonly outcome: MessageStatus
  readonly count: number
}

const isStatus = (outcome: string): outcome is MessageStatus =>
  ["pending", "accepted", "delivered", ...failures].includes(outcome)

const failuresOf = (totals: ReadonlyArray<Total>): ReadonlyArray<Failure> => {
  const found = new Map<string, Failure>()
  for (const { count, gateway, kind, outcome } of totals) {
    if (kind !== "messages" || !failures.includes(outcome) || !isStatus(outcome)) continue
    const key = `${outcome} ${gateway}`
    found.set(key, { gateway, outcome, count: count + (found.get(key)?.count ?? 0) })
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count)
}

/** Refused calls by cause. The outcome of a total is the code of the error, and its reason after a colon. */
const refusedOf = (totals: ReadonlyArray<Total>): ReadonlyArray<CauseCount> => {
  const counts = new Map<string, number>()
  for (const { count, kind, outcome } of totals)
    if (kind === "refusals") counts.set(outcome, count + (counts.get(outcome) ?? 0))
  return [...counts]
    .map(([outcome, count]) => {
      const [code = outcome, reason = null] = outcome.split(":")
      return { code, reason, count }
    })
    .toSorted((a, b) => b.count - a.count)
}

export interface CauseCount {
  readonly code: string
  readonly reason: string | null
  readonly count: number
}

export interface Delay {
  /** Seconds, exclusive; `undefined`: more than the last bound. */
  readonly below: number | undefined
  readonly count: number
}

const delaysOf = (totals: ReadonlyArray<Total>): ReadonlyArray<Delay> => {
  const counts = new Map<string, number>()
  for (const { count, kind, outcome } of totals)
    if (kind === "deliveries") counts.set(outcome, count + (counts.get(outcome) ?? 0))
  const bound = (outcome: string): number => (outcome === "more" ? Infinity : Number(outcome))
  return [...counts]
    .toSorted(([a], [b]) => bound(a) - bound(b))
    .map(([outcome, count]) => ({
      below: outcome === "more" ? undefined : Number(outcome),
      count,
    }))
}

/** The bound below which half of the messages arrive. */
const medianOf = (delays: ReadonlyArray<Delay>): Delay | undefined => {
  const all = delays.reduce((count, delay) => count + delay.count, 0)
  let seen = 0
  return delays.find(({ count }) => (seen += count) * 2 >= all)
}

export interface ChannelRow {
  readonly channel: Channel
  readonly counts: ReadonlyMap<string, number>
  readonly all: number
}

const channelsOf = (totals: ReadonlyArray<Total>): ReadonlyArray<ChannelRow> => {
  const rows = new Map<Channel, Map<string, number>>()
  for (const { channel, count, kind, outcome } of totals) {
    if (kind !== "messages" || channel === "") continue
    const counts = rows.get(channel) ?? new Map<string, number>()
    counts.set(outcome, count + (counts.get(outcome) ?? 0))
    rows.set(channel, counts)
  }
  return [...rows].map(([channel, counts]) => ({
    channel,
    counts,
    all: [...counts.values()].reduce((all, count) => all + count, 0),
  }))
}

export const figuresOf = (totals: ReadonlyArray<Total>, period: Period) => {
  const messages = totals.filter(({ kind }) => kind === "messages")
  const requests = (outcome: string) =>
    countOf(totals, (total) => total.kind === "requests" && total.outcome === outcome)
  const refunded = sum(messages.map((total) => total.refunded))
  const delays = delaysOf(totals)
  return {
    messages: countOf(messages, () => true),
    delivered: countOf(messages, ({ outcome }) => outcome === "delivered"),
    withOutcome: countOf(messages, ({ outcome }) => outcome !== "accepted"),
    waiting: countOf(messages, ({ outcome }) => outcome === "accepted"),
    spent: minus(sum(messages.map(({ amount }) => amount)), refunded),
    refunded,
    opened: requests("opened"),
    verified: requests("verified"),
    failedRequests: requests("failed"),
    wrongCodes: requests("wrong_code"),
    lines: linesOf(totals, period),
    failures: failuresOf(totals),
    refused: refusedOf(totals),
    channels: channelsOf(totals),
    delays,
    median: medianOf(delays),
    /** The messages with a delivery report, which the median is of. */
    measured: delays.reduce((count, delay) => count + delay.count, 0),
  }
}

export type Figures = ReturnType<typeof figuresOf>

/** The statuses of messages that may hold their price. One without an outcome keeps its price until its deadline. */
export const openStatuses: ReadonlyArray<MessageStatus> = ["pending", "accepted", "unknown"]

/**
 * How many of these messages hold an amount; `undefined` if they do not add up to what is held, because there are
 * more of them. The price of a message whose hold has ended without an outcome is zero.
 */
export const holdsOf = (
  messages: ReadonlyArray<Pick<Message, "price">>,
  held: string,
): number | undefined => {
  const prices = messages.map(({ price }) => price).filter((price) => /[1-9]/.test(price))
  return /[1-9]/.test(minus(held, sum(prices))) ? undefined : prices.length
}
