/** Row 5: a single caller, which waits for each response. */
import { latencyFigure } from "../compared.ts"
import { load } from "../load.ts"
import type { Measurement } from "../Measurement.ts"
import { checks, inTurns, sendAndCollect, type Side, withSides } from "../sides.ts"

/** Requests in a block, and blocks of each side. Short blocks, so that other load affects both sides alike. */
const sizes = {
  full: { requests: 100, blocks: 36 },
  quick: { requests: 30, blocks: 2 },
}

/** The medians of a block: of the sends, and then of their checks. */
const block = (side: Side, requests: number) => async () => {
  const { pending, result } = await sendAndCollect(side, requests, 1)
  const checked = await load({ origin: side.service.origin, connections: 1, ...checks(pending) })
  return { send: result.p50, check: checked.p50 }
}

export const latency: Measurement = {
  id: "latency",
  title: "Latency of one caller alone",
  rows: [5],
  run: (context) =>
    withSides(context, "handWritten", {}, async (ours, other) => {
      const { blocks, requests } = sizes[context.scale]
      const run = (times: number) => inTurns(times, block(ours, requests), block(other, requests))
      // Warms up the compiler, which takes some thousand calls. They do not count.
      await run(context.scale === "full" ? 24 : 1)
      const medians = await run(blocks)
      const of = (work: string, kind: "send" | "check") =>
        latencyFigure(
          {
            ours: medians.ours.map((one) => one[kind]),
            other: medians.other.map((one) => one[kind]),
          },
          { work, name: "hand-written", wanted: 1.3 },
        )
      return {
        figures: [
          of("`POST /verify`, one connection: median", "send"),
          of("`POST /verify/check`, one connection: median", "check"),
        ],
        notes: [
          `Medians over ${blocks} blocks of ${requests} requests on each side, in turns; the ratios are those of neighbouring blocks.`,
        ],
      }
    }),
}
