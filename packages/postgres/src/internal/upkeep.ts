/**
 * Removes rows that belong to no organization's history and would pile up: a page at a time, in the
 * background, so that neither a start nor a commit waits for it.
 */
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Statement } from "./pipeline.ts"
import type { Query } from "./retention.ts"
import type * as Read from "./rows.ts"

/** A walk over one table in the order of its key. */
export interface TableScan {
  /** The rows, for the log: "lanes". */
  readonly name: string
  /**
   * Looks at one page, which begins after a row's key, or at the start for `undefined`, and drops what is
   * old in it. Gives the key of the page's last row, and no row after the end. `now` is the store's time, as
   * far as its clock is believed; `undefined` for the database's.
   */
  readonly step: (after: Read.Row | undefined, now: number | undefined) => Statement
}

/** The pause between two pages: the database has other work to do. */
export const pause = Duration.millis(100)

/** The pause between two walks. */
export const interval = Duration.days(1)

/** The pause after a failure; the same page is tried again. */
export const retryPause = Duration.minutes(1)

/** Walks for ever. Logs the first of a series of failures. */
export const keepUp = Effect.fnUntraced(function* (
  query: Query,
  { name, step }: TableScan,
  clock: Effect.Effect<number | undefined, StoreUnavailable> = Effect.undefined,
) {
  let after: Read.Row | undefined
  let isFailing = false
  for (;;) {
    const place = after
    const exit = yield* Effect.exit(Effect.flatMap(clock, (now) => query(step(place, now))))
    if (Exit.isFailure(exit)) {
      if (!isFailing) yield* Effect.logWarning(`Could not drop old ${name}`, exit.cause)
      isFailing = true
      yield* Effect.sleep(retryPause)
    } else {
      isFailing = false
      ;[after] = exit.value
      yield* Effect.sleep(after === undefined ? interval : pause)
    }
  }
})
