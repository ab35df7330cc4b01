/**
 * Runs vitest and counts, from what the run itself left behind.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Counts, crashed, fromRun, isSuccess, report } from "./counts.ts"
import { run } from "./run.ts"

/** The path of vitest's command. */
export const vitest = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")

export interface TestCommand {
  readonly config: string
  readonly args: ReadonlyArray<string>
}

const runTests = async ({ config, args }: TestCommand): Promise<Counts> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-counts-"))
  const file = join(folder, "counts.json")
  try {
    const reporters = ["default", join(import.meta.dirname, "countReporter.ts")]
    const { code } = await run(
      process.execPath,
      [
        vitest(),
        "run",
        "--config",
        config,
        ...reporters.map((reporter) => `--reporter=${reporter}`),
        // `pnpm test -- name` hands over the dashes too, which vitest would take for the end.
        ...args.filter((arg, index) => index > 0 || arg !== "--"),
      ],
      { inherit: true, env: { COUNTERSIGN_COUNTS: file }, timeoutMillis: 3_600_000 },
    )
    return fromRun(existsSync(file) ? readFileSync(file, "utf8") : undefined, code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing may be printed after the last line of the report. */
export const main = async (command: TestCommand): Promise<void> => {
  const counts = await runTests(command).catch((error: unknown) => {
    console.error(error)
    return crashed
  })
  console.log(report(counts))
  process.exitCode = isSuccess(counts) ? 0 : 1
}
