/** Row 1: sends of one hot organization. */
import { compareSends, durations } from "../compareLoads.ts"
import type { Context, Measurement } from "../Measurement.ts"
import { measure, sends, withSide } from "../sides.ts"

interface Batches {
  readonly count: number
  readonly sum: number
}

/** The number of commands in a commit, from one caller to many. */
const batchesNote = (context: Context): Promise<string> =>
  withSide(context, "countersign", {}, async (side) => {
    const { warmUp } = durations[context.scale]
    await measure(context, side, { connections: 64, ...warmUp, ...sends(side) })
    const bound = context.scale === "full" ? { durationMillis: 3_000 } : { requests: 100 }
    const lines: Array<string> = []
    for (const connections of [1, 16, 64, 256]) {
      const before = await side.service.ask<Batches>("batches")
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
  })

export const send: Measurement = {
  id: "send",
  title: "Sends of one hot organization",
  rows: [1],
  run: async (context) => {
    const { figures, notes } = await compareSends(
      context,
      "`POST /verify`, one organization",
      1,
      new Map([
        [64, { times: 4.3, processor: 1.5 }],
        [256, { times: 5, processor: 1.5 }],
      ]),
    )
    return { figures, notes: [...notes, await batchesNote(context)] }
  },
}
