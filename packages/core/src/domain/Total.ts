/**
 * Totals of an organization: a row for each hour and each combination of dimensions, which counts messages,
 * requests, bookings or deliveries. Rows are added up, so their order never matters.
 */
import type { Channel } from "./Channel.ts"
import type { OrganizationId } from "./Ids.ts"
import * as Money from "./Money.ts"

/**
 * `messages`: by channel, gateway, country, and status as `outcome`, in the hour of the message; without those
 * that are still being sent. `requests`: by country, in the hour of the request; `opened` counts all of them,
 * `verified` and `failed` those that ended so, `wrong_code` the wrong codes. `bookings`: the host's own entries
 * by their kind, in the hour of the entry. `deliveries`: delivery reports by the time since the message, as one
 * of `delayBounds`, in the hour of the message.
 */
export type Kind = "messages" | "requests" | "bookings" | "deliveries"

export const kinds: ReadonlyArray<Kind> = ["messages", "requests", "bookings", "deliveries"]

/** An empty text is a dimension that the kind does not have, or that is not known. */
export interface Dimensions {
  readonly kind: Kind
  readonly channel: Channel | ""
  readonly gateway: string
  /** ISO 3166 alpha-2. */
  readonly country: string
  readonly outcome: string
}

export interface Total extends Dimensions {
  readonly organization: OrganizationId
  /** Start of the hour (UTC) in epoch milliseconds. */
  readonly hour: number
  readonly count: number
  /** Charges of messages, or amounts of bookings. */
  readonly amount: Money.Money
  /** The part of `amount` that was given back. */
  readonly refunded: Money.Money
}

export const hourMillis = 3_600_000

/** The start of the slot that contains a time. @defaultValue `millis`: an hour */
export const slotOf = (at: number, millis: number = hourMillis): number =>
  Math.floor(at / millis) * millis

/** Upper bounds of delivery times in seconds, exclusive. */
export const delayBounds: ReadonlyArray<number> = [5, 15, 30, 60, 120, 300, 900, 3_600]

/** The outcome of a delivery that took this long: the first bound above it, or `more`. */
export const delayOf = (millis: number): string => {
  const bound = delayBounds.find((seconds) => millis < seconds * 1_000)
  return bound === undefined ? "more" : String(bound)
}

/** Identifies a row within an organization. */
const keyOf = ({ channel, country, gateway, hour, kind, outcome }: Total): string =>
  `${hour} ${kind} ${channel} ${country} ${outcome} ${gateway}`

/** Sums beyond the largest exact amount stay there, so that no total can make a commit fail. */
const plus = (a: Money.Money, b: Money.Money): Money.Money =>
  Money.fromUnits(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, a + b)))

/** Adds rows to those of one organization, by their key. */
export const addTo = (rows: Map<string, Total>, added: ReadonlyArray<Total>): void => {
  for (const one of added) {
    const key = keyOf(one)
    const known = rows.get(key)
    rows.set(
      key,
      known === undefined
        ? one
        : {
            ...known,
            count: known.count + one.count,
            amount: plus(known.amount, one.amount),
            refunded: plus(known.refunded, one.refunded),
          },
    )
  }
}

/** Whether a row counts nothing, because its messages have another outcome now. */
export const isEmpty = ({ amount, count, refunded }: Total): boolean =>
  count === 0 && amount === 0 && refunded === 0

export type Dimension = Exclude<keyof Dimensions, "kind">

/** Adds up the rows that differ in other dimensions only, which are empty in the sum. Keeps the order. */
export const by = (
  rows: ReadonlyArray<Total>,
  dimensions: ReadonlyArray<Dimension>,
): ReadonlyArray<Total> => {
  const sums = new Map<string, Total>()
  const has = (one: Dimension): boolean => dimensions.includes(one)
  addTo(
    sums,
    rows.map((row) => ({
      ...row,
      channel: has("channel") ? row.channel : "",
      gateway: has("gateway") ? row.gateway : "",
      country: has("country") ? row.country : "",
      outcome: has("outcome") ? row.outcome : "",
    })),
  )
  return [...sums.values()]
}

/** Adds up rows of one organization in slots. Leaves out rows that count nothing. */
export const inSlots = (rows: Iterable<Total>, millis: number): ReadonlyArray<Total> => {
  const sums = new Map<string, Total>()
  addTo(
    sums,
    Array.from(rows, (row) => ({ ...row, hour: slotOf(row.hour, millis) })),
  )
  return [...sums.values()].filter((row) => !isEmpty(row))
}
