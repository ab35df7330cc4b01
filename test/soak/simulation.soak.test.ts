/** Long simulations: histories with faults, and equal traces in three processes. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Simulation from "@countersign/testing/Simulation"
import * as Effect from "effect/Effect"
import { assert, describe, test } from "vitest"
import { unmet } from "../simulation/met.ts"
import { runCampaign } from "../support/campaign.ts"
import { root } from "../tools/paths.ts"

const hours = 12 * 3_600_000

describe("simulation", () => {
  test(
    "simulation: no history breaks an invariant, and each fault, transition and error is met",
    async () => {
      const { check } = Simulation
      const { counts, trials } = await runCampaign({
        name: "simulation",
        count: 1_000_000,
        turn: 2_000,
        run: async (first, end) => {
          const checked = check({ firstSeed: first + 1, histories: end - first })
          const { actions, met, millis } = await Effect.runPromise(checked)
          return { ...Object.fromEntries(met), actions, "virtual hours": millis / 3_600_000 }
        },
      })
      const met = new Map(Object.entries(counts))
      if (trials >= 2_000) assert.deepStrictEqual(unmet(met, "all"), [])
    },
    hours,
  )

  test(
    "simulation-traces: each seed has one trace, in three processes",
    async () => {
      await runCampaign({
        name: "simulation-traces",
        count: 1_000,
        turn: 250,
        run: async (first, end) => {
          const file = join(root, "test/simulation/traces.ts")
          const args = [file, String(first + 1), String(end - first)]
          const outputs = await Promise.all(
            [1, 2, 3].map(() => promisify(execFile)(process.execPath, args, { cwd: root })),
          )
          const [one, ...others] = outputs.map(({ stdout }) => stdout.trim().split("\n"))
          assert.strictEqual(one?.length, end - first)
          for (const other of others) assert.deepStrictEqual(other, one)
          return { "equal traces": outputs.length * (end - first) }
        },
      })
    },
    hours,
  )
})
