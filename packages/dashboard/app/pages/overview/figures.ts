/** The figures of the overview, from the totals of a period and of the period before it. */
import type { Total } from "../../api/types.ts"
import { minus, sum } from "../../ui/decimal.ts"
import { slotsUntil } from "../../ui/zonedSlots.ts"

export const ranges = ["24h", "7d", "30d", "90d"] as const

export type Range = (typeof ranges)[number]

const slots = {
  "24h": { every: "hour", count: 24 },
  "7d": { every: "hour", count: 7 * 24 },
  "30d": { every: "day", count: 30 },
  "90d": { every: "day", count: 90 },
} as const satisfies Record<Range, object>

export interface Period {
  readonly every: "hour" | "day"
  readonly zone: string
  /** Starts of the slots. The last one is not over. */
  readonly starts: ReadonlyArray<number>
  readonly from: string
  readonly to: string
  /** The slots before, as many as are over. */
  readonly before: {
    readonly from: string
    readonly to: string
    readonly starts: ReadonlyArray<number>
  }
}

/** The data of a period for the overview. */
export interface PeriodData {
  readonly totals: ReadonlyArray<Total>
  readonly before: ReadonlyArray<Total>
  readonly period: Period
}

const iso = (at: number): string => new Date(at).toISOString()

/** Whole slots by the clocks of a zone, so that the same address is read again within a slot. */
export const periodOf = (range: Range, now: number, zone: string): Period => {
  const { count, every } = slots[range]
  const all = slotsUntil(zone, every, 2 * count - 1, now)
  const before = all.starts.slice(0, count - 1)
  const starts = all.starts.slice(count - 1)
  const from = iso(starts[0] ?? now)
  return {
    every,
    zone,
    starts,
    from,
    to: iso(all.end),
    before: { from: iso(before[0] ?? now), to: from, starts: before },
  }
}

/** The totals of the slots that are over, which can be compared with those before. */
export const whole = (
  totals: ReadonlyArray<Total>,
  { starts }: Pick<Period, "starts">,
): ReadonlyArray<Total> => totals.filter(({ at }) => Date.parse(at) < (starts.at(-1) ?? Infinity))

const failures: ReadonlyArray<string> = ["undelivered", "failed", "rejected", "unknown"]

const countOf = (totals: ReadonlyArray<Total>, isCounted: (total: Total) => boolean): number =>
  totals.reduce((count, total) => (isCounted(total) ? count + total.count : count), 0)

const isEnded = ({ outcome }: Total): boolean => outcome !== "accepted"

export interface Lines {
  readonly all: ReadonlyArray<number>
  /** Delivered in per cent of the messages with an outcome. `null`: there are too few. */
  readonly delivered: ReadonlyArray<number | null>
}

/** A share of fewer messages says nothing. */
const fewest = 5

export const linesOf = (totals: ReadonlyArray<Total>, starts: ReadonlyArray<number>): Lines => {
  const places = new Map(starts.map((start, index) => [start, index]))
  const zeros = (): Array<number> => starts.map(() => 0)
  const [all, ended, delivered] = [zeros(), zeros(), zeros()]
  for (const total of totals) {
    const index = places.get(Date.parse(total.at))
    if (index === undefined || total.kind !== "messages") continue
    const add = (line: Array<number>) => {
      line[index] = (line[index] ?? 0) + total.count
    }
    add(all)
    if (isEnded(total)) add(ended)
    if (total.outcome === "delivered") add(delivered)
  }
  return {
    all,
    delivered: delivered.map((count, index) => {
      const of = ended[index] ?? 0
      return of < fewest ? null : (100 * count) / of
    }),
  }
}

export const causes = ["reason", "gateway", "country", "network"] as const

export type Cause = (typeof causes)[number]

export interface Failure {
  /** Empty if it is not known. */
  readonly value: string
  readonly count: number
  /** The same of the slots that are over. */
  readonly whole: number
  /** The same of the slots before. */
  readonly before: number
}

/** The messages that failed, by one dimension. */
export const failuresBy = (
  cause: Cause,
  totals: ReadonlyArray<Total>,
  before: ReadonlyArray<Total>,
  period: Pick<Period, "starts">,
): ReadonlyArray<Failure> => {
  const countsOf = (rows: ReadonlyArray<Total>): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    for (const row of rows)
      if (row.kind === "messages" && failures.includes(row.outcome))
        counts.set(row[cause], row.count + (counts.get(row[cause]) ?? 0))
    return counts
  }
  const [now, over, then] = [totals, whole(totals, period), before].map(countsOf)
  return [...(now ?? [])]
    .map(([value, count]) => ({
      value,
      count,
      whole: over?.get(value) ?? 0,
      before: then?.get(value) ?? 0,
    }))
    .toSorted((a, b) => b.count - a.count)
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

/** The bound below which this share of the messages arrives. */
export const quantileOf = (delays: ReadonlyArray<Delay>, share: number): Delay | undefined => {
  const all = delays.reduce((count, delay) => count + delay.count, 0)
  let seen = 0
  return delays.find(({ count }) => (seen += count) >= all * share)
}

/** A part of the cases. */
export interface Share {
  readonly part: number
  readonly of: number
}

export const figuresOf = (totals: ReadonlyArray<Total>) => {
  const messages = totals.filter(({ kind }) => kind === "messages")
  const requests = (outcome: string) =>
    countOf(totals, (total) => total.kind === "requests" && total.outcome === outcome)
  const refunded = sum(messages.map((total) => total.refunded))
  const opened = requests("opened")
  const delivered = countOf(messages, ({ outcome }) => outcome === "delivered")
  return {
    messages: countOf(messages, () => true),
    waiting: countOf(messages, ({ outcome }) => outcome === "accepted"),
    failed: countOf(messages, ({ outcome }) => failures.includes(outcome)),
    delivered: { part: delivered, of: countOf(messages, isEnded) },
    verified: { part: requests("verified"), of: opened },
    opened,
    arrived: requests("delivered"),
    spent: minus(sum(messages.map(({ amount }) => amount)), refunded),
    refunded,
    refused: refusedOf(totals),
    delays: delaysOf(totals),
  }
}

export type Figures = ReturnType<typeof figuresOf>
