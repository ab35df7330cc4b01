/**
 * Runs vitest, and prints `N passed, N failed` as the last line, with the number of skipped tests if there
 * are any. No reporter of vitest can do this: it cannot be the last to print, and none runs when the
 * configuration does not load. The counts are those of vitest's JSON reporter.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import * as Schema from "effect/Schema"
import { root } from "./paths.ts"
import { type Finished, type Options, run } from "./run.ts"

const Report = Schema.fromJsonString(
  Schema.Struct({
    testResults: Schema.Array(
      Schema.Struct({
        /** The path of the file. */
        name: Schema.String,
        status: Schema.String,
        assertionResults: Schema.Array(
          Schema.Struct({
            fullName: Schema.String,
            status: Schema.String,
            failureMessages: Schema.Array(Schema.NullOr(Schema.String)),
          }),
        ),
      }),
    ),
  }),
)

const decodeReport = Schema.decodeSync(Report)

/** The path of vitest's command. */
const vitest = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")

export interface TestRun extends Finished {
  /** Empty if the run left no report. */
  readonly files: (typeof Report.Type)["testResults"]
}

export const runVitest = async (
  args: ReadonlyArray<string>,
  options: Options,
): Promise<TestRun> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-report-"))
  const file = join(folder, "report.json")
  try {
    const reported = ["--reporter=json", `--outputFile.json=${file}`]
    const finished = await run(process.execPath, [vitest(), "run", ...reported, ...args], options)
    const files = existsSync(file) ? decodeReport(readFileSync(file, "utf8")).testResults : []
    return { ...finished, files }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Counts {
  readonly passed: number
  readonly failed: number
  /** Full names, so that a skipped test is seen. */
  readonly skipped: ReadonlyArray<string>
}

const countsOf = ({ code, files }: TestRun): Counts => {
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  // A test still pending when the run ends was lost together with its worker.
  const isFailed = ({ status }: { readonly status: string }): boolean =>
    status === "failed" || status === "pending"
  // A file that does not load and a hook that fails leave no failed test.
  const failedFiles = files.filter(
    (file) => isFailed(file) && !file.assertionResults.some(isFailed),
  )
  const failed = tests.filter(isFailed).length + failedFiles.length
  return {
    passed: tests.filter(({ status }) => status === "passed").length,
    // An error outside of any file shows in the exit code only.
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: files.flatMap(({ assertionResults, name }) =>
      assertionResults
        .filter(({ status }) => status === "skipped" || status === "todo")
        .map(({ fullName }) => `${relative(root, name)} > ${fullName.trim()}`),
    ),
  }
}

export interface TestCommand {
  readonly config: string
  readonly args: ReadonlyArray<string>
  /** @defaultValue an hour */
  readonly timeoutMillis?: number
}

/** Prints nothing after the counts. */
export const main = async ({
  args,
  config,
  timeoutMillis = 3_600_000,
}: TestCommand): Promise<void> => {
  // `pnpm test -- name` passes the dashes too, which vitest would take for the end.
  const given = args.filter((arg, index) => index > 0 || arg !== "--")
  const { failed, passed, skipped } = await runVitest(
    ["--reporter=default", `--config=${config}`, ...given],
    { inherit: true, timeoutMillis },
  ).then(countsOf, (error: unknown): Counts => {
    console.error(error)
    return { passed: 0, failed: 1, skipped: [] }
  })
  if (skipped.length > 0) console.log(["Skipped:", ...skipped].join("\n  "))
  const suffix = skipped.length > 0 ? `, ${skipped.length} skipped` : ""
  console.log(`${passed} passed, ${failed} failed${suffix}`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}
