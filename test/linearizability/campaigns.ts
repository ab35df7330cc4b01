/**
 * Plays histories, and adds up what they had. Throws the counterexample of the first that is not linearizable.
 */
import type { History } from "./calls.ts"
import { startMemory } from "./memory.ts"
import { drawing, type Options, play } from "./play.ts"
import type { Service } from "./processes.ts"
import { countsOf, problemsOf } from "./verdict.ts"

type Counts = Record<string, number>

const addTo = (counts: Counts, added: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(added)) counts[name] = (counts[name] ?? 0) + count
}

const judge = (history: History, about: string): void => {
  const problems = problemsOf(history)
  if (problems.length > 0) throw new Error([about, ...problems].join("\n"))
}

/** More than 100 calls. */
export const inMemory: Options = { clients: 6, callsPerClient: 18, lost: 25 }

/** Plays the histories of some seeds, one after another. */
export const playInMemory = async (
  first: number,
  end: number,
  each?: (history: History) => void,
): Promise<Counts> => {
  const counts: Counts = {}
  for (let seed = first; seed < end; seed++) {
    const draw = drawing(seed + 1)
    // A service of its own, so that a seed gives its history again.
    const service = await startMemory()
    const history = await play(await service.open(draw), draw, inMemory)
    judge(history, `Seed ${seed + 1}:`)
    addTo(counts, countsOf(history))
    each?.(history)
  }
  return counts
}

/** Plays histories at once, and kills a process in the middle of them. */
export const playOnProcesses = async (
  service: Service,
  first: number,
  end: number,
): Promise<Counts> => {
  const counts: Counts = { kills: 1 }
  const draw = drawing(first + 1)
  const options = { clients: 5, callsPerClient: 21, lost: 25 }
  let untilKill = (10 + draw(options.callsPerClient * 4)) * (end - first)
  const killed = draw(2)
  const answered = (): void => {
    untilKill -= 1
    if (untilKill === 0) service.kill(killed)
  }
  // Both nodes are alive while the organizations are made.
  const places = await Promise.all(Array.from({ length: end - first }, () => service.open()))
  const histories = await Promise.all(
    places.map(async (place, index) => {
      const seed = first + index + 1
      return [seed, await play({ ...place, answered }, drawing(seed), options)] as const
    }),
  )
  for (const [seed, history] of histories) {
    judge(history, `History ${seed} on PostgreSQL:`)
    addTo(counts, countsOf(history))
  }
  return counts
}
