/**
 * Whether the time of a comparison or of a refusal depends on a secret, in this process. A turn is one run of a
 * million samples of each subject, and of a comparison with an early exit, which has to be found.
 */
import * as Timing from "@countersign/testing/Timing"
import { assert, it } from "vitest"
import { runCampaign } from "../support/campaign.ts"
import { control, isConstant, subjects } from "../support/timings.ts"

const samples = 1_000_000

it("timing: no time in this process reveals a secret", { timeout: 4 * 3_600_000 }, async () => {
  await runCampaign({
    name: "timing",
    count: 3 * samples,
    turn: samples,
    run: async (first, end) => {
      const counts: Record<string, number> = {}
      const problems: Array<string> = []
      for (const subject of [control, ...subjects]) {
        const { title } = subject
        const found = await subject.measure(end - first)
        const { nanoseconds, t } = found
        const run = `${title}; run ${first / samples + 1}`
        counts[`${run}, |t|`] = Number(t.toFixed(2))
        counts[`${run}, ns between the medians`] = Math.round(nanoseconds)
        console.log(`${run}: |t| ${t.toFixed(2)}, ${Math.round(nanoseconds)} ns`)
        const isExpected = subject === control ? t > 100 : isConstant(subject, found, Timing.limit)
        if (!isExpected) problems.push(`${run}: |t| ${t.toFixed(2)}`)
      }
      assert.deepStrictEqual(problems, [])
      return counts
    },
  })
})
