/**
 * Every rule that matters has a test that fails without it. Each mistake of the table is planted in a
 * copy of the sources, where its test has to fail; in a copy without mistakes all of them pass.
 */
import { afterAll, assert, describe, inject, test } from "vitest"
import { mistakes } from "./mistakes.ts"
import { removeCopies, runPlanted, runUnchanged } from "./planting.ts"

afterAll(removeCopies)

describe.concurrent("planted mistakes", () => {
  test("name tests that pass without the mistakes", async () => {
    const ran = await runUnchanged(mistakes, inject("postgresUrl"))
    assert.deepStrictEqual(
      ran.filter(({ status }) => status !== "passed"),
      [],
    )
    const titles = mistakes.map(({ test }) => test.title.replaceAll(" > ", " "))
    const missing = titles.filter((title) => !ran.some(({ fullName }) => fullName.endsWith(title)))
    assert.deepStrictEqual(missing, [])
  })

  test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
    "are detected if %s",
    async (_, mistake) => {
      const ran = await runPlanted(mistake, inject("postgresUrl"))
      const statuses = ran.map(({ status }) => status)
      assert.include(statuses, "failed", "The mistake is there, and its test passes.")
    },
  )
})
