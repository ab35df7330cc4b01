/** Finds out what other processes took of the processors while a round ran, and repeats a disturbed round. */
import { availableParallelism } from "node:os"
import type { Context } from "./Measurement.ts"
import { busyMillis, familyMillis } from "./services/processTimes.ts"

/** Milliseconds at one moment. */
export interface Reading {
  readonly at: number
  /** Processor time of all processes. */
  readonly busy: number
  /** Processor time of the bench, its services and its database. */
  readonly own: number
}

/** The share of the processors above which a round is repeated. */
const most = 0.05
const repeats = 3

export const read = (): Reading => ({
  at: performance.now(),
  busy: busyMillis(),
  own: familyMillis(process.pid),
})

/** Returns the share of the processors that others took between two readings. */
export const othersShare = (
  before: Reading,
  after: Reading,
  processors = availableParallelism(),
): number => {
  const others = after.busy - before.busy - (after.own - before.own)
  return Math.max(0, others / ((after.at - before.at) * processors))
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`

interface Round<A> {
  readonly value: A
  readonly others: number
}

/** Runs a round, and again while others take too much, at most four times in all. Returns the quietest run. */
export const quietest = async <A>(
  run: () => Promise<Round<A>>,
  log: (line: string) => void,
): Promise<Round<A>> => {
  let best = await run()
  for (let repeat = 1; best.others > most && repeat <= repeats; repeat++) {
    log(`other processes took ${percent(best.others)} of the processors: repeat ${repeat}`)
    const next = await run()
    if (next.others < best.others) best = next
  }
  return best
}

export interface QuietCheck {
  readonly quietly: Context["quietly"]
  /** Describes the rounds that were disturbed in every run; `undefined` if every round was quiet. */
  readonly note: () => string | undefined
}

/** Checks the rounds of one measurement. */
export const quietCheck = (log: Context["log"]): QuietCheck => {
  const shares: Array<number> = []
  return {
    quietly: async (round) => {
      const { others, value } = await quietest(async () => {
        const before = read()
        const value = await round()
        return { value, others: othersShare(before, read()) }
      }, log)
      shares.push(others)
      return value
    },
    note: () => {
      const disturbed = shares.filter((share) => share > most)
      if (disturbed.length === 0) return undefined
      return `**Disturbed.** In ${disturbed.length} of ${shares.length} rounds other processes took more than ${percent(most)} of the processors, also in the quietest of ${1 + repeats} runs, which counts: ${disturbed.map(percent).join(", ")}.`
    },
  }
}
