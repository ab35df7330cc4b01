/**
 * The reference's fraud rules. They are recomputed from all codes to one prefix every time.
 */

/** The fraud limits. All people share one prefix. */
export interface Watch {
  readonly windowMillis: number
  readonly maxSent: number
  readonly minSent: number
  readonly minConversion: number
  readonly action: "record" | "deny"
}

/** A code, and whether it was sent. */
export interface SentCode {
  readonly createdAt: number
  readonly verifiedAt: number | undefined
  readonly isUnsent: boolean
}

const windowOf = (at: number, { windowMillis }: Watch): number => Math.floor(at / windowMillis)

const inWindow = (codes: ReadonlyArray<SentCode>, watch: Watch, window: number) =>
  codes.filter(({ createdAt, isUnsent }) => !isUnsent && windowOf(createdAt, watch) === window)

const isTooMuch = (codes: ReadonlyArray<SentCode>, watch: Watch, now: number): boolean => {
  const { maxSent, windowMillis } = watch
  const window = windowOf(now, watch)
  const left = windowMillis - (now % windowMillis)
  const running = inWindow(codes, watch, window).length
  const before = inWindow(codes, watch, window - 1).length
  return running * windowMillis + before * left >= maxSent * windowMillis
}

/** The codes of the current and the previous window, which count for the share. */
const lately = (codes: ReadonlyArray<SentCode>, watch: Watch, now: number) => {
  const window = windowOf(now, watch)
  return [...inWindow(codes, watch, window - 1), ...inWindow(codes, watch, window)]
}

const verifiedOf = (codes: ReadonlyArray<SentCode>) =>
  codes.filter(({ verifiedAt }) => verifiedAt !== undefined)

const isTooPoor = (codes: ReadonlyArray<SentCode>, watch: Watch, now: number): boolean => {
  const counted = lately(codes, watch, now)
  return (
    counted.length >= watch.minSent &&
    verifiedOf(counted).length < counted.length * watch.minConversion
  )
}

/** Returns the reasons against another code at `now`, in the order of their detection. */
export const reasonsAgainst = (
  codes: ReadonlyArray<SentCode>,
  watch: Watch,
  now: number,
): ReadonlyArray<"conversion" | "velocity"> => [
  ...(isTooPoor(codes, watch, now) ? (["conversion"] as const) : []),
  ...(isTooMuch(codes, watch, now) ? (["velocity"] as const) : []),
]

/** Returns the findings at `now` that were not found before in the same window, as texts. */
export const findingsAt = (
  codes: ReadonlyArray<SentCode>,
  watch: Watch,
  now: number,
  before: ReadonlyArray<ModelFinding>,
): ReadonlyArray<ModelFinding> => {
  const counted = lately(codes, watch, now)
  return reasonsAgainst(codes, watch, now)
    .filter(
      (reason) =>
        !before.some(
          (found) => found.reason === reason && windowOf(found.at, watch) === windowOf(now, watch),
        ),
    )
    .map((reason) => ({
      at: now,
      reason,
      inWords: `${now} ${reason} ${watch.action}: ${verifiedOf(counted).length} of ${counted.length}`,
    }))
}

export interface ModelFinding {
  readonly at: number
  readonly reason: "conversion" | "velocity"
  readonly inWords: string
}

/** Returns the rejection of a code; `undefined` if it is allowed. */
export const deniedFor = (
  codes: ReadonlyArray<SentCode>,
  watch: Watch,
  now: number,
): string | undefined => {
  const isDenied = (at: number) => reasonsAgainst(codes, watch, at).length > 0
  if (watch.action !== "deny" || !isDenied(now)) return undefined
  let seconds = 1
  while (isDenied(now + seconds * 1_000)) seconds += 1
  return `RateLimited ${seconds}`
}
