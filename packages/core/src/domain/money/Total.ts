/**
 * Totals of an organization: a row for each quarter of an hour and each combination of dimensions, which counts
 * messages, requests, bookings or deliveries. Rows are added up, so their order never matters. The clocks of all zones
 * differ by full quarters, so the hours and the days of each zone consist of whole rows.
 */
import type { Channel } from "../values/Channel.ts"
import type { OrganizationId } from "../values/Ids.ts"
import * as Money from "../values/Money.ts"

/**
 * The kinds of totals, each with its dimensions and its time:
 * - `messages`: by channel, gateway, country, network, status as `outcome`, and reason of the failure, at the time of
 *   the message. Messages that are still being sent do not count.
 * - `requests`: by country, at the time of the request. `opened` counts all requests, `verified` and `failed` the
 *   requests that ended so, `wrong_code` the wrong codes. `delivered` counts the codes that have arrived, each one of a
 *   request, at the time of the message.
 * - `bookings`: the host's own entries by their kind, at the time of the entry.
 * - `deliveries`: delivery reports by the time since the message, as one of `delayBounds`, at the time of the message.
 * - `refusals`: refused calls by channel, country, and `Refusal.outcomeOf`, at the time of the call.
 */
export const kinds = ["messages", "requests", "bookings", "deliveries", "refusals"] as const

export type Kind = (typeof kinds)[number]

/** An empty text is a dimension that the kind does not have, or that is not known. */
export interface Dimensions {
  readonly kind: Kind
  readonly channel: Channel | ""
  readonly gateway: string
  /** ISO 3166 alpha-2. */
  readonly country: string
  /** The operator that the prefix of the phone number belongs to. */
  readonly network: string
  readonly outcome: string
  /** The `FailureReason` of a message. */
  readonly reason: string
}

export interface Total extends Dimensions {
  readonly organization: OrganizationId
  /** Start of the slot in epoch milliseconds: a quarter of an hour, or a longer one in which others are added up. */
  readonly at: number
  readonly count: number
  /** Charges of messages, or amounts of bookings. */
  readonly amount: Money.Money
  /** The part of `amount` that was given back. */
  readonly refunded: Money.Money
}

export const quarterMillis = 900_000

export const hourMillis = 4 * quarterMillis

export const dayMillis = 24 * hourMillis

/** The start of the slot that contains a time. @defaultValue `millis`: a quarter of an hour */
export const slotOf = (at: number, millis: number = quarterMillis): number =>
  Math.floor(at / millis) * millis

/** Upper bounds of delivery times in seconds, exclusive. */
export const delayBounds: ReadonlyArray<number> = [5, 15, 30, 60, 120, 300, 900, 3_600]

/** The outcome of a delivery that took this long: the first bound above it, or `more`. */
export const delayOf = (millis: number): string => {
  const bound = delayBounds.find((seconds) => millis < seconds * 1_000)
  return bound === undefined ? "more" : String(bound)
}

/** Sums beyond the largest exact amount stay there, so that no total can make a commit fail. */
export const plus = (a: Money.Money, b: Money.Money): Money.Money =>
  Money.fromUnits(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, a + b)))

export type Dimension = Exclude<keyof Dimensions, "kind">

/** The dimensions besides the kind, in the order of the rows. */
export const dimensions = [
  "channel",
  "gateway",
  "country",
  "network",
  "outcome",
  "reason",
] as const satisfies ReadonlyArray<Dimension>

const isOfOneRow = (a: Total, b: Total): boolean =>
  a.at === b.at &&
  a.outcome === b.outcome &&
  a.kind === b.kind &&
  a.country === b.country &&
  a.network === b.network &&
  a.reason === b.reason &&
  a.channel === b.channel &&
  a.gateway === b.gateway

const keyOf = ({ at, channel, country, gateway, kind, network, outcome, reason }: Total): string =>
  `${at} ${kind} ${channel} ${country} ${network} ${outcome} ${reason} ${gateway}`

/** Rows of one organization, added up by their slot and dimensions. */
export class Sums {
  readonly #rows = new Map<string, Total>()
  /** The row that was added last. The next one often belongs to it. */
  #last: { readonly key: string; readonly row: Total } | undefined

  add(one: Total): void {
    const last = this.#last
    const key = last !== undefined && isOfOneRow(last.row, one) ? last.key : keyOf(one)
    const known = this.#rows.get(key)
    const row =
      known === undefined
        ? one
        : {
            ...known,
            count: known.count + one.count,
            amount: plus(known.amount, one.amount),
            refunded: plus(known.refunded, one.refunded),
          }
    this.#rows.set(key, row)
    this.#last = { key, row }
  }

  /** Without the rows that count nothing, because their messages have another outcome now. */
  rows(): ReadonlyArray<Total> {
    return [...this.#rows.values()].filter(
      ({ amount, count, refunded }) => count !== 0 || amount !== 0 || refunded !== 0,
    )
  }

  /** Drops the rows of old slots, oldest first and at most `limit`, and returns their number. */
  drop(isOld: (row: Total) => boolean, limit: number): number {
    const old = [...this.#rows].filter(([, row]) => isOld(row))
    const gone = old.toSorted(([, a], [, b]) => a.at - b.at).slice(0, limit)
    for (const [key] of gone) this.#rows.delete(key)
    return gone.length
  }
}

const sumsOf = (
  rows: Iterable<Total>,
  change: (row: Total) => Partial<Total>,
): ReadonlyArray<Total> => {
  const sums = new Sums()
  for (const row of rows) sums.add({ ...row, ...change(row) })
  return sums.rows()
}

/** Adds up the rows that differ in other dimensions only, which are empty in the sum. Keeps the order. */
export const by = (
  rows: ReadonlyArray<Total>,
  kept: ReadonlyArray<Dimension>,
): ReadonlyArray<Total> => {
  const dropped = dimensions.filter((one) => !kept.includes(one))
  const empty = Object.fromEntries(dropped.map((one) => [one, ""]))
  return sumsOf(rows, () => empty)
}

/** Adds up rows of one organization in slots. */
export const inSlots = (rows: Iterable<Total>, millis: number): ReadonlyArray<Total> =>
  sumsOf(rows, ({ at }) => ({ at: slotOf(at, millis) }))

/** Adds up rows of one organization in the slots with these starts, which ascend. No row is before the first. */
export const inStarts = (
  rows: Iterable<Total>,
  starts: ReadonlyArray<number>,
): ReadonlyArray<Total> => {
  const slots = starts.toReversed()
  return sumsOf(rows, ({ at }) => ({ at: slots.find((start) => start <= at) ?? at }))
}
