/**
 * Counts of gateways and of webhooks: a row for each hour and each name. They are sums, so the rows of several writers
 * are added up when they are read. A writer adds to rows of its own, so no commit waits for another one.
 */
import type { MessageRef } from "../values/Ids.ts"
import * as Money from "../values/Money.ts"
import { hourMillis, plus, slotOf } from "./Total.ts"

/**
 * The kinds of counts:
 * - Of gateways, over all organizations: `messages` by status, in the hour of the message; `answers` by the duration of
 *   the attempt; `errors` by code.
 * - Of webhooks: the requests that the receiver has `taken`, and the requests that `failed`, by the time of the answer.
 * - Of API keys: their `requests`, in the hour in which a node has written them.
 */
export const gatewayKinds = ["messages", "answers", "errors"] as const

export const webhookKinds = ["taken", "failed"] as const

export const keyKinds = ["requests"] as const

export const kinds = [...gatewayKinds, ...webhookKinds, ...keyKinds] as const

export type Kind = (typeof kinds)[number]

export interface Counter {
  readonly kind: Kind
  /** The name of a gateway, or the id of a webhook or of an API key. */
  readonly subject: string
  /** Start of the slot (UTC) in epoch milliseconds. */
  readonly hour: number
  /** A status, one of `answerBounds` or `more`, or the code of an error; `""` of other kinds. */
  readonly name: string
  readonly count: number
  /** The charges of messages. */
  readonly amount: Money.Money
  /** The part of `amount` that was given back. */
  readonly refunded: Money.Money
  /** The time of the newest error, and its message; 0 and `""` of other kinds. */
  readonly lastAt: number
  readonly lastOrganization: string
  readonly lastSequence: number
}

type Counted = Pick<Counter, "kind" | "subject" | "name"> & Partial<Counter>

/** A counter of one. `at`: the time in its hour. */
export const one = (given: Counted, at: number, last?: MessageRef): Counter => ({
  hour: slotOf(at, hourMillis),
  count: 1,
  amount: Money.zero,
  refunded: Money.zero,
  lastAt: last === undefined ? 0 : at,
  lastOrganization: last?.organization ?? "",
  lastSequence: last?.sequence ?? 0,
  ...given,
})

/** How long hours are kept, and days. */
export const keptMillis = { hour: 90 * 24 * hourMillis, day: 800 * 24 * hourMillis } as const

/** Upper bounds of the times of answers in milliseconds, exclusive. */
export const answerBounds = [
  25, 50, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 15_000,
  30_000,
] as const

const last = answerBounds.length - 1

/** The first bound above a time, or `more`. */
export const boundOf = (millis: number): string =>
  String(answerBounds.find((bound) => millis < bound) ?? "more")

/** Rows, added up by their slot, subject, kind and name. */
export class Sums {
  readonly #rows = new Map<string, Counter>()

  add(one: Counter): void {
    const key = `${one.hour} ${one.kind} ${one.subject} ${one.name}`
    const known = this.#rows.get(key)
    if (known === undefined) {
      this.#rows.set(key, one)
      return
    }
    const newer = one.lastAt > known.lastAt ? one : known
    const { lastAt, lastOrganization, lastSequence } = newer
    this.#rows.set(key, {
      ...known,
      count: known.count + one.count,
      amount: plus(known.amount, one.amount),
      refunded: plus(known.refunded, one.refunded),
      lastAt,
      lastOrganization,
      lastSequence,
    })
  }

  /** Without the rows that count nothing, because their messages have another status now. */
  rows(): ReadonlyArray<Counter> {
    return [...this.#rows.values()].filter(
      ({ amount, count, refunded }) => count !== 0 || amount !== 0 || refunded !== 0,
    )
  }

  /** Drops the slots that began before a time. */
  dropBefore(at: number): void {
    for (const [key, { hour }] of this.#rows) if (hour < at) this.#rows.delete(key)
  }
}

/** Adds up rows in slots. */
export const inSlots = (rows: Iterable<Counter>, millis: number): ReadonlyArray<Counter> => {
  const sums = new Sums()
  for (const row of rows) sums.add({ ...row, hour: slotOf(row.hour, millis) })
  return sums.rows()
}

/** The number of answers below each of `answerBounds`, and of those above the last. */
export const histogramOf = (
  rows: Iterable<Pick<Counter, "count" | "name">>,
): ReadonlyArray<number> => {
  const counts = new Map<string, number>()
  for (const { count, name } of rows) counts.set(name, (counts.get(name) ?? 0) + count)
  return [...answerBounds, "more"].map((bound) => counts.get(String(bound)) ?? 0)
}

/**
 * The time in milliseconds that a share of the answers did not exceed; `null` without answers. A histogram knows no exact
 * times, so this interpolates between two bounds. Beyond the last bound it is that bound.
 */
export const quantile = (histogram: ReadonlyArray<number>, share: number): number | null => {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total <= 0) return null
  let below = 0
  for (const [index, count] of histogram.entries()) {
    const upper = answerBounds[index]
    if (upper === undefined) break
    if (count > 0 && below + count >= share * total) {
      const lower = answerBounds[index - 1] ?? 0
      return Math.round(lower + ((upper - lower) * (share * total - below)) / count)
    }
    below += count
  }
  return answerBounds[last] ?? null
}
