/** A pool that counts the statements that run and those that wait for a connection. */
import type * as PgPool from "@effect/sql-pg/PgPool"
import type { Connections } from "@countersign/core/ports/StoreState"
import * as Effect from "effect/Effect"

export interface CountedPool {
  readonly pool: PgPool.PgPool
  /** `max`: the pool's, unless the host has made the connections. */
  readonly connections: Effect.Effect<Connections>
}

export const countedPool = (pool: PgPool.PgPool, defaultMax: number): CountedPool => {
  let inUse = 0
  let waiting = 0
  return {
    pool: {
      ...pool,
      use: (f) =>
        Effect.suspend(() => {
          let hasBegun = false
          waiting += 1
          const lent = pool.use((connection) => {
            // A pool may lend another connection after the first one was lost.
            if (!hasBegun) {
              hasBegun = true
              waiting -= 1
              inUse += 1
            }
            return f(connection)
          })
          return Effect.ensuring(
            lent,
            Effect.sync(() => {
              if (hasBegun) inUse -= 1
              else waiting -= 1
            }),
          )
        }),
    },
    connections: Effect.sync(() => ({
      inUse,
      waiting,
      max: pool.config.maxConnections ?? defaultMax,
    })),
  }
}
