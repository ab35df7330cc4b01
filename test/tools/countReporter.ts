/**
 * A vitest reporter that writes how many tests passed, failed and were skipped to the file named by
 * COUNTERSIGN_COUNTS. vitest's own JSON leaves out unhandled errors, which fail a run as well.
 */
import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import type { Counts } from "./counts.ts"

const nameOf = (test: TestCase): string =>
  [test.project.name, test.module.relativeModuleId, test.fullName].join(" > ")

const errorsOf = (module: TestModule): number =>
  [module, ...module.children.allSuites()].reduce(
    (sum: number, holder: TestModule | TestSuite) => sum + holder.errors().length,
    0,
  )

const count = (modules: ReadonlyArray<TestModule>, unhandled: number): Counts => {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  // A test still pending when the run ends was lost together with its worker.
  const failed = inState("failed").length + inState("pending").length
  return {
    passed: inState("passed").length,
    failed: modules.reduce((sum, module) => sum + errorsOf(module), failed + unhandled),
    skipped: inState("skipped").map(nameOf),
  }
}

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    const file = process.env["COUNTERSIGN_COUNTS"]
    if (file !== undefined) writeFileSync(file, JSON.stringify(count(modules, unhandled.length)))
  }
}
