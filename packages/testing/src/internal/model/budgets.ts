/**
 * The reference's budget of wrong codes for a phone number, counted over all tries.
 */
import type { Config } from "./scenario.ts"

/** A check that compared a code. */
export interface Try {
  readonly person: number
  readonly at: number
  readonly isRight: boolean
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

/** The budget after the tries for one phone number, oldest first. */
export const budgetAfter = (tries: ReadonlyArray<Try>, config: Config): Budget => {
  const { sinceRight, windows } = budgets[config.guesses]
  const wrong = tries.filter(({ isRight }) => !isRight)
  const series = tries.length - 1 - tries.findLastIndex(({ isRight }) => isRight)
  return {
    isFullAt: (at) =>
      windows.some(([max, millis]) => wrong.filter((one) => at - one.at < millis).length >= max),
    isBlocked: series >= sinceRight,
  }
}
