/** Sends and checks, against an earlier build of this repository. */
import { execFileSync } from "node:child_process"
import { compareLoads, durations, type Rival } from "../compareLoads.ts"
import type { Measurement } from "../Measurement.ts"
import { checks, measure, sendAndCollect, sends, type Side, withSides } from "../sides.ts"

const commitOf = (checkout: string): string =>
  execFileSync("git", ["-C", checkout, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()

const work = "one organization, 256 connections"
const connections = 256

export const base: Measurement = {
  id: "base",
  title: "Against an earlier build",
  rows: [],
  run: async (context) => {
    const { base: checkout, scale } = context
    if (checkout === undefined) throw new Error("--base names the folder of the earlier build")
    const commit = commitOf(checkout)
    const rival: Rival = {
      name: `commit ${commit}`,
      service: "countersign",
      checkout,
      hasProcessorTime: true,
    }
    return await withSides(context, [{ service: "countersign" }, rival], async (sides) => {
      const { load, warmUp } = durations[scale]
      const send = (bound: typeof load | typeof warmUp) => (side: Side) =>
        measure(context, side, { connections, ...bound, ...sends(side) })
      const check = async (side: Side) => {
        const { pending } = await sendAndCollect(side, scale === "full" ? 30_000 : 200)
        return measure(context, side, { connections, ...checks(pending) })
      }
      for (const side of sides) await send(warmUp)(side)
      const compared = [
        await compareLoads(
          context,
          `\`POST /verify\`, ${work}`,
          sides,
          [{ ...rival, wanted: { processorInNode: 0.72 } }],
          send(load),
        ),
        await compareLoads(context, `\`POST /verify/check\`, ${work}`, sides, [rival], check),
      ]
      return {
        figures: compared.flatMap(({ figures }) => figures),
        notes: compared.flatMap(({ notes }) => notes),
      }
    })
  },
}
