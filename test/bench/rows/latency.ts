/** Row 5: a single caller, which waits for each response. */
import { floor, handWritten } from "../compareLoads.ts"
import { latencyFigure } from "../compared.ts"
import { load } from "../load.ts"
import type { Measurement } from "../Measurement.ts"
import { checks, inTurns, sendAndCollect, type Side, withSides } from "../sides.ts"

/**
 * Requests in a block, and blocks of each side in a round and before the first. Short blocks, so that other load
 * affects all sides alike.
 */
const sizes = {
  full: { requests: 100, blocks: 12, warmUp: 24 },
  quick: { requests: 30, blocks: 2, warmUp: 1 },
}

/** The medians of a block: of the sends, and then of their checks. */
const block = async (side: Side, requests: number) => {
  const { pending, result } = await sendAndCollect(side, requests, 1)
  const checked = await load({ origin: side.service.origin, connections: 1, ...checks(pending) })
  return { send: result.p50, check: checked.p50 }
}

const wanted = { send: 1.05, check: 1.35 }

export const latency: Measurement = {
  id: "latency",
  title: "Latency of one caller alone",
  rows: [5],
  run: (context) =>
    withSides(context, [{ service: "countersign" }, handWritten, floor], async (sides) => {
      const { blocks, requests, warmUp } = sizes[context.scale]
      // Warms up the compiler, which takes some thousand calls. They do not count.
      for (let turn = 0; turn < warmUp; turn++) {
        for (const side of sides) await block(side, requests)
      }
      const [ours = [], byHand = [], least = []] = await inTurns(
        context,
        sides.map((side) => () => block(side, requests)),
        blocks,
      )
      const of = (kind: "send" | "check") => {
        const path = kind === "send" ? "/verify" : "/verify/check"
        const work = `\`POST ${path}\`, one connection: median`
        const values = (side: typeof ours) => side.map((one) => one[kind])
        const figure = (other: typeof ours, name: string, most?: number) =>
          latencyFigure({ ours: values(ours), other: values(other) }, { work, name, wanted: most })
        return [figure(byHand, handWritten.name, wanted[kind]), figure(least, floor.name)]
      }
      return {
        figures: [...of("send"), ...of("check")],
        notes: [
          `Medians over ${blocks * context.rounds} blocks of ${requests} requests on each side, in turns; the ratios are those of neighbouring blocks.`,
        ],
      }
    }),
}
