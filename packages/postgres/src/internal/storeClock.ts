import type { Account } from "@countersign/core/domain/Account"
import { GuardedClock } from "@countersign/core/services/GuardedClock"
import * as Effect from "effect/Effect"
import { int8, type Row } from "./rows/columns.ts"

/** The clock of the store: the host's, or else the database's. */
export interface StoreClock {
  /** The host's clock, in milliseconds since the epoch; `undefined` if the database's is used. */
  readonly hostNow: Effect.Effect<number | undefined>
  /** Without a host's clock the time is the row's column `now`, or 0. A clock that jumps ahead is not believed. */
  readonly timeAt: (hostNow: number | undefined, row: Row | undefined) => number
  /** Raises an alarm for accounts whose time is far ahead of `now`. */
  readonly watch: (accounts: ReadonlyArray<Account>, now: number) => void
}

export const makeStoreClock = (
  host: Effect.Effect<number> | undefined,
): Effect.Effect<StoreClock> =>
  Effect.map(Effect.context<never>(), (context) => {
    const guarded = new GuardedClock()
    return {
      hostNow: host ?? Effect.undefined,
      timeAt: (hostNow, row) => {
        const clockMillis = hostNow ?? (row === undefined ? undefined : int8.decode(row, "now"))
        return clockMillis === undefined ? 0 : guarded.read(clockMillis, context)
      },
      watch: (accounts, now) => {
        for (const { lastAt, organization } of accounts) {
          guarded.watch(organization, lastAt, now, context)
        }
      },
    }
  })
