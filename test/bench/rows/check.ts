/** Row 3: checks with correct codes. */
import { compareLoads, floor, handWritten } from "../compareLoads.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { checks, measure, sendAndCollect, type Side, withSides } from "../sides.ts"

/** Number of requests to send first, enough for some seconds, because each request is checked once. */
const requestsOf = ({ scale }: Context, side: Side): number =>
  scale === "quick" ? 200 : side.name === handWritten.service ? 20_000 : 50_000

const wanted = new Map([
  [64, 3.5],
  [256, 3.6],
])

export const check: Measurement = {
  id: "check",
  title: "Checks of right codes",
  rows: [3],
  run: (context) =>
    withSides(context, [{ service: "countersign" }, handWritten, floor], async (sides) => {
      const figures: Array<Figure> = []
      const notes: Array<string> = []
      for (const [connections, times] of wanted) {
        const compared = await compareLoads(
          context,
          `\`POST /verify/check\`, one organization, ${connections} connections`,
          sides,
          [{ ...handWritten, wanted: { times, p99: 1 } }, floor],
          async (side) => {
            const { pending } = await sendAndCollect(side, requestsOf(context, side))
            return measure(context, side, { connections, ...checks(pending) })
          },
        )
        figures.push(...compared.figures)
        notes.push(...compared.notes)
      }
      notes.push(
        "Every request is checked once, with its right code. The quota of checks is raised and not lifted (1,000 in 10 ms), so ours and the hand-written service keep its window.",
      )
      return { figures, notes }
    }),
}
