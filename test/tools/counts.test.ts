import { assert, test } from "vitest"
import { fromRun, isSuccess, line, report } from "./counts.ts"

const left = (passed: number, failed: number, skipped: ReadonlyArray<string> = []): string =>
  JSON.stringify({ passed, failed, skipped })

test.each([
  // what the run left behind, its exit code, the last line, whether it is a success
  [left(3, 0), 0, "3 passed, 0 failed", true],
  [left(3, 0, ["a"]), 0, "3 passed, 0 failed, 1 skipped", true],
  [left(3, 2), 1, "3 passed, 2 failed", false],
  [left(0, 0), 0, "0 passed, 0 failed", false],
  [left(3, 0), 1, "3 passed, 1 failed", false],
  [left(3, 0), null, "3 passed, 1 failed", false],
  [undefined, 0, "0 passed, 1 failed", false],
  [undefined, null, "0 passed, 1 failed", false],
  ["", 0, "0 passed, 1 failed", false],
  ['{"passed":3,"failed":', 0, "0 passed, 1 failed", false],
  ['{"passed":3,"failed":-1,"skipped":[]}', 0, "0 passed, 1 failed", false],
  ['{"passed":3,"failed":0}', 0, "0 passed, 1 failed", false],
])("a run that left %j and exit code %s ends in %j", (text, code, last, success) => {
  const counts = fromRun(text, code)
  assert.strictEqual(line(counts), last)
  assert.strictEqual(isSuccess(counts), success)
})

test("skipped tests are named before the last line", () => {
  assert.strictEqual(
    report({ passed: 1, failed: 0, skipped: ["core > A.test.ts > a", "core > A.test.ts > b"] }),
    "Skipped:\n  core > A.test.ts > a\n  core > A.test.ts > b\n1 passed, 0 failed, 2 skipped",
  )
})
