/** The same load on the engine and on other services, in turns. */
import { p99Figure, processorFigures, processorNote, throughputFigure } from "./compared.ts"
import type { Context, Figure } from "./Measurement.ts"
import { inTurns, measure, type Measured, sends, type Side, withSides } from "./sides.ts"

/**
 * The duration of a load, and the warm-up of all sides before it. V8 compiles for the first 15,000 to 20,000 calls,
 * on threads of its own, which took up to a fifth of the processor time of shorter warm-ups.
 */
export const durations = {
  full: { warmUp: { requests: 20_000 }, load: { durationMillis: 5_000 } },
  quick: { warmUp: { requests: 100 }, load: { requests: 300 } },
}

/** A service that the engine is compared with. */
export interface Rival {
  readonly name: string
  readonly service: string
  readonly env?: Readonly<Record<string, string>>
  readonly checkout?: string
  /** Whether its processor time is compared. */
  readonly hasProcessorTime?: boolean
}

export const handWritten: Rival = { name: "hand-written", service: "handWritten" }

/** Stores the same with about the least work. */
export const floor: Rival = { name: "the floor", service: "floor", hasProcessorTime: true }

/** The targets against one rival. */
export interface Wanted {
  readonly times?: number
  readonly p99?: number
  readonly processor?: number
  readonly processorInNode?: number
}

export interface Compared {
  readonly figures: ReadonlyArray<Figure>
  readonly notes: ReadonlyArray<string>
}

/** Throughput, p99 and processor time of one load. The first side is the engine, and each other one a rival. */
export const compareLoads = async (
  context: Context,
  work: string,
  sides: ReadonlyArray<Side>,
  rivals: ReadonlyArray<Rival & { readonly wanted?: Wanted }>,
  run: (side: Side) => Promise<Measured>,
): Promise<Compared> => {
  const [ours = [], ...others] = await inTurns(
    context,
    sides.map((side) => () => run(side)),
  )
  const compared = rivals.map(({ hasProcessorTime = false, name, wanted = {} }, index) => {
    const comparison = { ours, other: others[index] ?? [] }
    return {
      figures: [
        throughputFigure(comparison, { work, name, wanted: wanted.times }),
        p99Figure(comparison, { work: `${work}: p99`, name, wanted: wanted.p99 }),
        ...(hasProcessorTime
          ? processorFigures(comparison, { work, name }, wanted.processor, wanted.processorInNode)
          : []),
      ],
      note: processorNote(work, name, comparison),
    }
  })
  for (const { note } of compared) context.log(note)
  return {
    figures: compared.flatMap(({ figures }) => figures),
    notes: compared.map(({ note }) => note),
  }
}

/** Compares sends of a number of organizations, by the targets at each number of connections. */
export const compareSends = (
  context: Context,
  work: string,
  organizations: number,
  wanted: ReadonlyMap<number, { readonly times: number; readonly processor?: number }>,
): Promise<Compared> => {
  const pooled: Rival = {
    name: "hand-written, ordinary pool of 10",
    service: "handWritten",
    env: { HAND_WRITTEN_POOL: "10" },
  }
  const starts = [{ service: "countersign" }, handWritten, pooled, floor].map(
    ({ service, ...options }) => ({ service, organizations, ...options }),
  )
  return withSides(context, starts, async (sides) => {
    const { load, warmUp } = durations[context.scale]
    const send = (side: Side, connections: number, bound: typeof load | typeof warmUp) =>
      measure(context, side, { connections, ...bound, ...sends(side) })
    for (const side of sides) await send(side, 64, warmUp)
    const figures: Array<Figure> = []
    const notes: Array<string> = []
    for (const [connections, { processor, times }] of wanted) {
      const compared = await compareLoads(
        context,
        `${work}, ${connections} connections`,
        sides,
        [
          { ...handWritten, wanted: { times, p99: 1 } },
          pooled,
          { ...floor, ...(processor !== undefined && { wanted: { processor } }) },
        ],
        (side) => send(side, connections, load),
      )
      figures.push(...compared.figures)
      notes.push(...compared.notes)
    }
    return { figures, notes }
  })
}
