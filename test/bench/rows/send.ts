/** Row 1: sends of one hot organization. */
import { p99Figure, processorNote, throughputFigure } from "../compared.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { inTurns, measure, sends, type Side, withSides } from "../sides.ts"

const name = "hand-written"

/** How long a load lasts, and how long before that both sides are warmed up. */
const durations = {
  full: { warmUp: { durationMillis: 4_000 }, load: { durationMillis: 8_000 } },
  quick: { warmUp: { requests: 100 }, load: { requests: 300 } },
}

interface Batches {
  readonly count: number
  readonly sum: number
}

/** How many commands share a commit, from a lone caller to many. */
const batchesNote = async (context: Context, side: Side): Promise<string> => {
  const lines: Array<string> = []
  for (const connections of [1, 16, 64, 256]) {
    const before = await side.service.ask<Batches>("batches")
    const bound = context.scale === "full" ? { durationMillis: 3_000 } : { requests: 100 }
    const { p50, p99, perSecond } = await measure(context, side, {
      connections,
      ...bound,
      ...sends(side),
    })
    const after = await side.service.ask<Batches>("batches")
    const size = (after.sum - before.sum) / (after.count - before.count)
    lines.push(
      `| ${connections} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${size.toFixed(1)} |`,
    )
  }
  return [
    "Commands in a commit, by the engine's own metric; a send is two commands:",
    "",
    "| connections | sends a second | p50 ms | p99 ms | commands in a commit |",
    "| ---: | ---: | ---: | ---: | ---: |",
    ...lines,
  ].join("\n")
}

/** Throughput, p99 and processor time of sends over so many organizations. */
export const compareSends = async (
  context: Context,
  ours: Side,
  other: Side,
  work: string,
  wantedBy: ReadonlyMap<number, number>,
): Promise<{ readonly figures: ReadonlyArray<Figure>; readonly notes: ReadonlyArray<string> }> => {
  const { load, warmUp } = durations[context.scale]
  for (const side of [ours, other]) {
    await measure(context, side, { connections: 64, ...warmUp, ...sends(side) })
  }
  const figures: Array<Figure> = []
  const notes: Array<string> = []
  for (const [connections, wanted] of wantedBy) {
    const run = (side: Side) => () =>
      measure(context, side, { connections, ...load, ...sends(side) })
    const comparison = await inTurns(context.rounds, run(ours), run(other))
    const line = `${work}, ${connections} connections`
    figures.push(
      throughputFigure(comparison, { work: line, name, wanted }),
      p99Figure(comparison, { work: `${line}: p99`, name, wanted: 1 }),
    )
    notes.push(processorNote(line, `the ${name} service`, comparison))
    context.log(notes.at(-1) ?? "")
  }
  return { figures, notes }
}

export const send: Measurement = {
  id: "send",
  title: "Sends of one hot organization",
  rows: [1],
  run: (context) =>
    withSides(context, "handWritten", {}, async (ours, other) => {
      const { figures, notes } = await compareSends(
        context,
        ours,
        other,
        "`POST /verify`, one organization",
        new Map([
          [64, 5],
          [256, 7],
        ]),
      )
      return { figures, notes: [...notes, await batchesNote(context, ours)] }
    }),
}
