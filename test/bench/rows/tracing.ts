/** What spans of OpenTelemetry cost a send, a check and a message, in processor time. */
import { figureOf, kinds, measureCalls } from "../callSides.ts"
import type { Measurement } from "../Measurement.ts"

const variants = {
  "without tracing": {},
  "again without tracing": {},
  "with a sampler that records none": { spans: "none" },
  "with every span recorded": { spans: "all" },
} as const

const limits: Readonly<Record<string, number>> = { "with every span recorded": 1.05 }

export const tracing: Measurement = {
  id: "tracing",
  title: "What spans cost",
  rows: [],
  run: async (context) => {
    const { note, sides } = await measureCalls(context, variants)
    const [base, ...others] = sides
    return {
      figures: kinds.flatMap((kind) =>
        others.flatMap((side) =>
          base === undefined ? [] : [figureOf(side, base, kind, limits[side.name])],
        ),
      ),
      notes: [
        note,
        "Spans go to the SDK of OpenTelemetry for Node with its processor of batches, and an exporter that drops them: two for a send and a message, one for a check. The second side without tracing shows what the figures are worth.",
      ],
    }
  },
}
