/** Sends of the engine and of the hand-written service, in turns. */
import { p99Figure, processorNote, throughputFigure } from "./compared.ts"
import type { Context, Figure } from "./Measurement.ts"
import { inTurns, measure, sends, type Side, withSides } from "./sides.ts"

/** The duration of a load, and of the warm-up of both sides before it. */
export const durations = {
  full: { warmUp: { durationMillis: 4_000 }, load: { durationMillis: 5_000 } },
  quick: { warmUp: { requests: 100 }, load: { requests: 300 } },
}

/** The other side, and the targets by the number of connections. */
interface Rival {
  readonly name: string
  readonly env?: Readonly<Record<string, string>>
  readonly wanted: ReadonlyMap<number, number | undefined>
}

interface Compared {
  readonly figures: ReadonlyArray<Figure>
  readonly notes: ReadonlyArray<string>
}

/** Throughput, p99 and processor time of sends, against one rival. */
export const compareWith = (
  context: Context,
  work: string,
  organizations: number,
  { env = {}, name, wanted }: Rival,
): Promise<Compared> =>
  withSides(context, "handWritten", { organizations, env }, async (ours, other) => {
    const { load, warmUp } = durations[context.scale]
    for (const side of [ours, other]) {
      await measure(context, side, { connections: 64, ...warmUp, ...sends(side) })
    }
    const figures: Array<Figure> = []
    const notes: Array<string> = []
    for (const [connections, times] of wanted) {
      const run = (side: Side) => () =>
        measure(context, side, { connections, ...load, ...sends(side) })
      const comparison = await inTurns(context.rounds, run(ours), run(other))
      const line = `${work}, ${connections} connections`
      const p99 = times === undefined ? undefined : 1
      figures.push(
        throughputFigure(comparison, { work: line, name, wanted: times }),
        p99Figure(comparison, { work: `${line}: p99`, name, wanted: p99 }),
      )
      const note = processorNote(line, name, comparison)
      notes.push(note)
      context.log(note)
    }
    return { figures, notes }
  })

/** Compares sends of a number of organizations with both forms of the hand-written service. */
export const compareSends = async (
  context: Context,
  work: string,
  organizations: number,
  wanted: ReadonlyMap<number, number>,
): Promise<Compared> => {
  const pipelined = await compareWith(context, work, organizations, {
    name: "hand-written",
    wanted,
  })
  const pooled = await compareWith(context, work, organizations, {
    name: "hand-written, ordinary pool of 10",
    env: { HAND_WRITTEN_POOL: "10" },
    wanted: new Map(wanted.keys().map((connections) => [connections, undefined])),
  })
  return {
    figures: [...pipelined.figures, ...pooled.figures],
    notes: [...pipelined.notes, ...pooled.notes],
  }
}
