import { Effect, Exit } from "effect"
import { PgClient, PgPool } from "@effect/sql-pg"
import * as C from "../src/PgliteClient.ts"
import { keepUpOnce } from "../src/internal/pgliteUpkeep.ts"
const show = (x: unknown): string => JSON.stringify(x, (_k, v) => typeof v === "bigint" ? `${v}n` : v)
const prog = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient; const pool = yield* PgPool.PgPool
  console.log(show(yield* sql`select current_setting('plan_cache_mode') p, current_setting('fsync') f, current_setting('wal_sync_method') w, current_setting('max_wal_size') m`))
  yield* sql`create table if not exists t(a int8 primary key generated always as identity, b text)`
  const t = performance.now(); for (let i = 0; i < 1000; i++) yield* sql`insert into t(b) values (${"x"})`; console.log("1000 inserts", performance.now() - t)
  const t1 = performance.now(); for (let i = 0; i < 2000; i++) yield* sql`select 1`; console.log("2000 selects", performance.now() - t1)
  const rs = yield* Effect.all(Array.from({ length: 50 }, (_, i) => sql.withTransaction(Effect.gen(function* () { yield* sql`insert into t(b) values (${"y" + i})`; if (i % 5 === 0) return yield* Effect.fail("no"); return (yield* sql`select count(*)::int n from t where b like 'y%'`)[0]!["n"] })).pipe(Effect.exit)), { concurrency: "unbounded" })
  console.log(show(rs.map((r) => Exit.isSuccess(r) ? r.value : "-")))
  console.log(show(yield* sql`select count(*) n from t where b like 'y%'`))
  yield* keepUpOnce(sql)
  console.log(show(yield* pool.use((c) => Effect.all([c.query("BEGIN"), c.query("select 1 a"), c.query("COMMIT")], { concurrency: "unbounded" }).pipe(Effect.map((r) => r.map((x) => x.command))))))
})
const t0 = performance.now()
const e = await Effect.runPromiseExit(prog.pipe(Effect.provide(C.layer({ dataDir: process.argv[2] }))))
console.log(Exit.isSuccess(e) ? "ok" : String(e), performance.now() - t0)
