import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { keepUpOnce } from "../../../src/internal/pglite/maintenance.ts"
import * as PgliteClient from "../../../src/PgliteClient.ts"

const fill = (rows: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      sql`INSERT INTO filled SELECT g, repeat('x', 1000) FROM generate_series(1, ${rows}) AS g`,
  )

const state = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ readonly log_bytes: number; readonly pages: number }>`
    SELECT (pg_current_wal_insert_lsn() - redo_lsn)::float8 AS log_bytes,
      (SELECT relpages FROM pg_class WHERE relname = 'filled') AS pages
    FROM pg_control_checkpoint()`
  return row ?? { log_bytes: 0, pages: 0 }
})

describe("keepUpOnce", () => {
  it.live("bounds the log, frees dead rows, and updates the planner's statistics", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE filled (id int, body text)`
      yield* fill(100)
      yield* keepUpOnce(sql)
      const before = yield* state
      assert.isAtMost(before.pages, 0)

      yield* fill(40_000)
      const { log_bytes } = yield* state
      assert.isAbove(log_bytes, 32 * 1024 * 1024)
      yield* keepUpOnce(sql)
      const after = yield* state
      assert.isBelow(after.log_bytes, 8 * 1024 * 1024)
      assert.isAbove(after.pages, 4_000)

      // The space of deleted rows is used again.
      for (let round = 0; round < 3; round++) {
        yield* sql`DELETE FROM filled`
        yield* keepUpOnce(sql)
        yield* fill(40_000)
      }
      yield* keepUpOnce(sql)
      assert.isBelow((yield* state).pages, after.pages * 1.5)
    }).pipe(Effect.provide(PgliteClient.layer())),
  )
})
