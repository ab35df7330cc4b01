import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { answersSection } from "../../src/internal/gateway-suite/answers.ts"
import { failuresSection } from "../../src/internal/gateway-suite/failures.ts"
import type { Body, Plan, Test } from "../../src/internal/gateway-suite/plan.ts"
import { reportsSection } from "../../src/internal/gateway-suite/reports.ts"
import { performed } from "../../src/internal/gateway-suite/support.ts"

/** The titles of the tests of the suite that an adapter does not pass, of those that are looked at. */
export const failedTests = (plan: Plan, looked = /./): Effect.Effect<ReadonlyArray<string>> => {
  const tests: Array<{ readonly title: string; readonly body: Body }> = []
  const collect: Test = (title, body) => {
    if (looked.test(title)) tests.push({ title, body })
  }
  for (const section of [answersSection, failuresSection, reportsSection]) section(collect, plan)
  for (const [_, section] of plan.sections) section(collect)
  return Effect.map(
    Effect.forEach(tests, ({ body, title }) =>
      Effect.map(Effect.exit(performed(plan, body)), (exit) =>
        Exit.isFailure(exit) ? [title] : [],
      ),
    ),
    (titles) => titles.flat(),
  )
}
