/**
 * The reference's budget of wrong codes for a phone number, counted over all tries.
 */
import type { Config } from "./scenario.ts"

/** A check that compared a code. */
export interface Try {
  readonly person: number
  readonly at: number
  readonly isRight: boolean
  readonly client: number | undefined
  /** Whether the client had verified the number before. */
  readonly isKnown: boolean
}

/** A right code, by a client that is known from then on. */
export interface Acquaintance {
  readonly person: number
  readonly client: number
  readonly at: number
}

/** A request or a check of a client that was counted. */
export interface Counted {
  readonly client: number
  readonly at: number
}

const day = 24 * 60 * 60_000

/** Most wrong codes in windows, and since the last right one. */
const budgets = {
  documented: { windows: [[30, day]], sinceRight: 100 },
  windows: {
    windows: [
      [1, 1_000],
      [2, 600_000],
    ],
    sinceRight: Infinity,
  },
  series: { windows: [], sinceRight: 4 },
} as const

export interface Budget {
  /** Whether the windows admit no further try at this time. */
  readonly isFullAt: (at: number) => boolean
  /** Whether no try is admitted until the host acts. */
  readonly isBlocked: boolean
}

export const unlimited: Budget = { isFullAt: () => false, isBlocked: false }

/** Number of wrong codes since the last right one. */
const seriesOf = (tries: ReadonlyArray<Try>): number =>
  tries.length - 1 - tries.findLastIndex(({ isRight }) => isRight)

/** The budget after the tries for one phone number, oldest first. */
export const budgetAfter = (tries: ReadonlyArray<Try>, config: Config): Budget => {
  const { sinceRight, windows } = budgets[config.guesses]
  const wrong = tries.filter(({ isRight }) => !isRight)
  const series = seriesOf(tries)
  return {
    isFullAt: (at) =>
      windows.some(([max, millis]) => wrong.filter((one) => at - one.at < millis).length >= max),
    isBlocked: series >= sinceRight,
  }
}

/** The tries that count for a client: its own if it has verified the number, otherwise the tries of strangers. */
export const triesOf = (
  tries: ReadonlyArray<Try>,
  client: number | undefined,
  isKnown: boolean,
): ReadonlyArray<Try> =>
  tries.filter((one) => {
    if (one.isRight) return !isKnown || one.client === client
    return isKnown ? one.isKnown && one.client === client : !one.isKnown
  })

const minute = 60_000

/** A budget that a client's events in the last minute also bound. */
export const boundedBy = (
  { isBlocked, isFullAt }: Budget,
  times: ReadonlyArray<number>,
  max: number,
): Budget => ({
  isBlocked,
  isFullAt: (at) => isFullAt(at) || times.filter((time) => at - time < minute).length >= max,
})

/** Tries of strangers with as many wrong codes, and as many since a right one, as all tries for a number have. */
export const asOfStrangers = (
  tries: ReadonlyArray<Try>,
  clients: ReadonlySet<number>,
): ReadonlyArray<Try> => {
  const wrong = tries
    .filter(({ isRight }) => !isRight)
    .map((one): Try => ({ ...one, client: undefined, isKnown: false }))
  const series = [...clients].reduce(
    (sum, client) => sum + seriesOf(triesOf(tries, client, true)),
    seriesOf(triesOf(tries, undefined, false)),
  )
  const place = wrong.length - series
  const last = wrong[place - 1]
  // A right code between them ends the series before it.
  const right = last === undefined ? [] : [{ ...last, isRight: true }]
  return [...wrong.slice(0, place), ...right, ...wrong.slice(place)]
}
