/** Deletes rows one page at a time in the background, so that neither a start nor a commit waits for it. */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Semaphore from "effect/Semaphore"
import type { Statement } from "../connection/pipeline.ts"
import type { Query } from "../connection/query.ts"
import type { Row } from "../rows/columns.ts"

/** A scan over one table in the order of its key. */
export interface TableScan {
  readonly name: string
  /**
   * Returns a statement that reads the page after the row `after`, deletes its old rows, and returns the key of
   * its last row, or no row at the end. `now` is the store's time; `undefined` for the database's.
   */
  readonly step: (after: Row | undefined, now: number | undefined) => Statement
}

/** The pause between two pages, which leaves the database to other work. */
export const pause = Duration.millis(100)

/** The pause between two scans. */
export const interval = Duration.days(1)

/** The pause after a failure, before the same page is tried again. */
export const retryPause = Duration.minutes(1)

/** Deletes old rows without end. */
export const keepUp = (
  query: Query,
  { name, step }: TableScan,
  turn: Semaphore.Semaphore,
  clock: Effect.Effect<number | undefined, StoreUnavailable>,
): Effect.Effect<never> =>
  repeat(`Could not drop old ${name}`, turn, (after) =>
    Effect.map(
      Effect.flatMap(clock, (now) => query(step(after, now))),
      ([row]) => row,
    ),
  )

/** Takes steps without end, each with the permit of `turn`. Logs the first of a series of failures as `problem`. */
export const repeat = Effect.fnUntraced(function* (
  problem: string,
  turn: Semaphore.Semaphore,
  step: (after: Row | undefined) => Effect.Effect<Row | undefined, StoreUnavailable>,
): Effect.fn.Return<never> {
  let after: Row | undefined
  let isFailing = false
  for (;;) {
    const exit = yield* Effect.exit(turn.withPermit(step(after)))
    if (Exit.isFailure(exit)) {
      if (!isFailing) yield* Effect.logWarning(problem, exit.cause)
      isFailing = true
      yield* Effect.sleep(retryPause)
    } else {
      isFailing = false
      after = exit.value
      yield* Effect.sleep(after === undefined ? interval : pause)
    }
  }
})
