import type { Account } from "@countersign/core/domain/money/Account"
import { GuardedClock } from "@countersign/core/engine/GuardedClock"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { int8, type Row } from "./rows/columns.ts"
import { maxClockDifference } from "./statements/batchSql.ts"

/** The clock of the store: the host's, or else the database's. */
export interface StoreClock {
  /** The host's clock, in milliseconds since the epoch; `undefined` if the database's is used. */
  readonly hostNow: Effect.Effect<number | undefined>
  /** Without a host's clock the time is the row's column `now`, or 0. A clock that jumps ahead is not believed. */
  readonly timeAt: (hostNow: number | undefined, row: Row | undefined) => number
  /** The database's time now, carried forward from the readings of `timeAt`; `undefined` before the first. */
  readonly carriedNow: () => number | undefined
  /** Raises an alarm for an account whose time is far ahead of `now`. */
  readonly watch: (account: Account, now: number) => void
}

export const makeStoreClock = (
  host: Effect.Effect<number> | undefined,
): Effect.Effect<StoreClock> =>
  Effect.map(Effect.context<never>(), (context) => {
    const guarded = new GuardedClock()
    /** The database's clock minus the monotonic one. */
    let offset: number | undefined
    const monotonicNow = () =>
      Number(Context.get(context, Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6
    const note = (now: number): number => {
      const read = now - monotonicNow()
      // A reading is late by the time of its answer, so the greatest one is the best, unless the clock was set.
      if (offset === undefined || read > offset || offset - read > maxClockDifference) offset = read
      return now
    }
    return {
      hostNow: host ?? Effect.undefined,
      timeAt: (hostNow, row) => {
        const clockMillis =
          hostNow ?? (row === undefined ? undefined : note(int8.decode(row, "now")))
        return clockMillis === undefined ? 0 : guarded.read(clockMillis, context)
      },
      carriedNow: () => (offset === undefined ? undefined : Math.floor(offset + monotonicNow())),
      watch: ({ lastAt, organization }, now) => guarded.watch(organization, lastAt, now, context),
    }
  })
