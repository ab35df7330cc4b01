/** Deletes rows one page at a time in the background, so that neither a start nor a commit waits for it. */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Semaphore from "effect/Semaphore"
import type { Statement } from "../connection/pipeline.ts"
import type { Query } from "../connection/query.ts"
import { int8, type Row } from "../rows/columns.ts"

/** A scan over one table in the order of its key. */
export interface TableScan {
  readonly name: string
  /**
   * Returns a statement that reads the page after the row `after`, and deletes its old rows. It returns the key of the
   * last row of the page, or no row at the end. `now` is the store's time; `undefined`: the time of the database. The
   * log gets what it returns as `dropped`, which is of the organization `owner`.
   */
  readonly step: (after: Row | undefined, now: number | undefined) => Statement
}

/** The pause between two pages, which leaves the database to other work. */
export const pause = Duration.millis(100)

/** The pause between two scans. */
export const interval = Duration.days(1)

/** The pause after a failure, before the same page is tried again. */
export const retryPause = Duration.minutes(1)

/** Takes one step. Returns the key of its last row. */
export const take = Effect.fnUntraced(function* (
  query: Query,
  { name, step }: TableScan,
  after: Row | undefined,
  now: number | undefined,
) {
  const [row] = yield* query(step(after, now))
  const count = row?.["dropped"] === undefined ? 0 : int8.decode(row, "dropped")
  if (count > 0)
    yield* Effect.logWarning(`Dropped ${name}`, { organization: row?.["owner"], count })
  return row
})

/** Deletes old rows without end. */
export const keepUp = (
  query: Query,
  scan: TableScan,
  turn: Semaphore.Semaphore,
  clock: Effect.Effect<number | undefined, StoreUnavailable>,
): Effect.Effect<never> =>
  repeat(`Could not drop old ${scan.name}`, turn, (after) =>
    Effect.flatMap(clock, (now) => take(query, scan, after, now)),
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
