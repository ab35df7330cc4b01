/**
 * Each mistake of the table is planted in a copy of the sources, where its test has to fail; without the
 * mistakes all of these tests pass.
 */
import { afterAll, assert, describe, inject, test } from "vitest"
import { mistakes } from "./mistakes.ts"
import { removeCopies, runCorrected, runPlanted } from "./planting.ts"

afterAll(removeCopies)

describe.concurrent("planted mistakes", () => {
  test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
    "are detected if %s",
    async (_, mistake) => {
      const ran = await runPlanted(mistake, inject("postgresUrl"))
      const states = ran.map(({ state }) => state)
      assert.include(states, "failed", "The mistake is there, and its test passes.")
    },
  )
})

test("the tests pass when the planted mistakes are corrected", async () => {
  const ran = await runCorrected()
  assert.deepStrictEqual(
    ran.filter(({ state }) => state !== "passed"),
    [],
  )
  const words = (name: string): string => name.replaceAll(" > ", " ")
  const names = ran.map(({ fullName }) => words(fullName))
  const titles = mistakes.map(({ test: { title } }) => words(title))
  const missing = titles.filter((title) => !names.some((name) => name.endsWith(title)))
  assert.deepStrictEqual(missing, [])
})
