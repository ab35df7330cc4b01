/** Row 3: checks with correct codes. */
import { p99Figure, processorNote, throughputFigure } from "../compared.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { checks, inTurns, measure, sendAndCollect, type Side, withSides } from "../sides.ts"

const name = "hand-written"

/** Number of requests to send first, enough for some seconds, because each request is checked once. */
const requestsOf = ({ scale }: Context, side: Side): number =>
  scale === "quick" ? 200 : side.name === "countersign" ? 50_000 : 20_000

export const check: Measurement = {
  id: "check",
  title: "Checks of right codes",
  rows: [3],
  run: (context) =>
    withSides(context, "handWritten", {}, async (ours, other) => {
      const figures: Array<Figure> = []
      const notes: Array<string> = []
      const run = (side: Side, connections: number) => async () => {
        const { pending } = await sendAndCollect(side, requestsOf(context, side))
        return measure(context, side, { connections, ...checks(pending) })
      }
      for (const connections of [64, 256]) {
        const comparison = await inTurns(
          context.rounds,
          run(ours, connections),
          run(other, connections),
        )
        const work = `\`POST /verify/check\`, one organization, ${connections} connections`
        figures.push(
          throughputFigure(comparison, { work, name, wanted: 3 }),
          p99Figure(comparison, { work: `${work}: p99`, name, wanted: 1 }),
        )
        notes.push(processorNote(work, name, comparison))
      }
      notes.push(
        "Every request is checked once, with its right code. The quota of checks is raised and not lifted (1,000 in 10 ms), so both services keep its window.",
      )
      return { figures, notes }
    }),
}
