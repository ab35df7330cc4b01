/**
 * What a test run came to, and the one line that says so.
 */

export interface Counts {
  readonly passed: number
  readonly failed: number
  /** Full names: what was not run must not go unnoticed. */
  readonly skipped: ReadonlyArray<string>
}

/** The result of a run that left no counts behind. */
export const crashed: Counts = { passed: 0, failed: 1, skipped: [] }

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0

const isCounts = (value: unknown): value is Counts =>
  typeof value === "object" &&
  value !== null &&
  "passed" in value &&
  isCount(value.passed) &&
  "failed" in value &&
  isCount(value.failed) &&
  "skipped" in value &&
  Array.isArray(value.skipped) &&
  value.skipped.every((name) => typeof name === "string")

const parse = (text: string): Counts => {
  try {
    const value: unknown = JSON.parse(text)
    return isCounts(value) ? value : crashed
  } catch {
    return crashed
  }
}

/**
 * The counts a run left behind, held against its exit code: no counts mean that it crashed, and a
 * run that says it failed did, whatever it counted.
 */
export const fromRun = (text: string | undefined, exitCode: number | null): Counts => {
  const counts = text === undefined ? crashed : parse(text)
  return exitCode === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

export const isSuccess = (counts: Counts): boolean => counts.failed === 0 && counts.passed > 0

export const line = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`

export const report = (counts: Counts): string =>
  [
    ...(counts.skipped.length > 0
      ? ["Skipped:", ...counts.skipped.map((name) => `  ${name}`)]
      : []),
    line(counts),
  ].join("\n")
