/**
 * Many histories of several organizations, each with the others and without them: in memory and on PostgreSQL.
 */
import { test } from "vitest"
import { runCampaign } from "../support/campaign.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import { assertNoInterference } from "./noInterference.ts"

const database = temporaryDatabases()

/** As long as the whole command may take. */
const timeout = 12 * 3_600_000

for (const [name, count, url] of [
  ["tenants-memory", 10_000, async () => "memory"],
  ["tenants-postgres", 500, database],
] as const) {
  test(`${name}: no answer to an organization depends on others`, { timeout }, async () => {
    await runCampaign({
      name,
      count,
      turn: 10,
      run: async (first, end) => {
        let answers = 0
        for (let seed = first; seed < end; seed++) {
          answers += (await assertNoInterference({ seed: seed + 1, calls: 200 }, url)).length
        }
        return { answers }
      },
    })
  })
}
