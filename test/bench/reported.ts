/** Lines of the table for speeds that are only reported, or compared with a fixed number. */
import type { Figure } from "./Measurement.ts"
import { median, range } from "./stats.ts"

export const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString("en")}/s`

/** Two speeds in every round: more is better. */
export const reportedRate = (
  work: string,
  name: string,
  ours: ReadonlyArray<number>,
  other: ReadonlyArray<number>,
): Figure => {
  const ratios = ours.map((value, round) => value / (other[round] ?? Number.NaN))
  return {
    work,
    ours: rate(median(ours)),
    against: `${rate(median(other))} ${name}`,
    ratio: median(ratios),
    spread: range(ratios),
  }
}
