/** The distribution of a node's processor time while it sends. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { flameGraph } from "../flameGraph.ts"
import { load, post } from "../load.ts"
import type { Context, Measurement, Report } from "../Measurement.ts"
import { numberOf, withNodes } from "../nodes.ts"
import { listShares, type Profile, readProfile } from "../profile.ts"
import { sendPath } from "../sides.ts"

const sizes = {
  full: { warmUp: 4_000, load: 10_000 },
  quick: { warmUp: 300, load: 1_000 },
}

interface Profiled {
  readonly profile: Profile
  /** The length of the load at the end of the profile. */
  readonly lastMicros: number
  readonly perSecond: number
}

const profileSends = (context: Context, folder: string): Promise<Profiled> =>
  withNodes(
    context,
    1,
    { execArgv: ["--cpu-prof", "--cpu-prof-dir", folder] },
    async ({ keys, services: [node] }) => {
      let issued = 0
      const sends = {
        origin: node?.origin ?? "",
        connections: 64,
        request: () =>
          post(sendPath, keys[0] ?? "", { phone_number: numberOf(issued++), expiry: 3_600 }),
        answer: (_: number, status: number, body: string) => {
          if (status !== 200) throw new Error(`A send was answered ${status}: ${body}`)
        },
      }
      const size = sizes[context.scale]
      await load({ ...sends, durationMillis: size.warmUp })
      const { perSecond, seconds } = await load({ ...sends, durationMillis: size.load })
      // The process writes the profile when it ends.
      await node?.stop()
      return { profile: readProfile(folder), lastMicros: seconds * 1e6, perSecond }
    },
  )

const reportOf = ({ lastMicros, perSecond, profile }: Profiled): Report => {
  return {
    figures: [],
    notes: [
      `The node's work during ${Math.round(perSecond).toLocaleString("en")} sends a second over 64 connections, with the profiler on. In the functions themselves, by package: ${listShares(profile, lastMicros)}.`,
    ],
    charts: [
      {
        file: "flame-send.svg",
        caption: "Where a node's processor time goes while it sends codes.",
        svg: flameGraph({
          title: "POST /verify, 64 connections, PostgreSQL: processor time of the node",
          profile,
          lastMicros,
        }),
      },
    ],
  }
}

export const flame: Measurement = {
  id: "flame",
  title: "Where the time of a send goes",
  rows: [],
  run: async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-profile-"))
    try {
      return reportOf(await profileSends(context, folder))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
