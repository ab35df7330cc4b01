import { PgClient, PgConnection, PgPool, PgTypes } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Fiber } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { startPostgres } from "/work/main/test/support/PostgresServer.ts"
const s = await startPostgres({ fsync: process.argv.includes("--fsync") })
const url = Redacted.make(s.url)
const show = (x: unknown): string => JSON.stringify(x, (_k, v) => typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? `Uint8Array(${v.length})` : v)
const err = (e: any) => e?._tag === "SqlError" ? `SqlError{reason: ${e.reason._tag}, retryable: ${e.reason.isRetryable}, msg: ${e.reason.message}, code: ${e.reason.cause?.code}, causeMsg: ${e.reason.cause?.message}}` : String(e)
const ex = (e: Exit.Exit<any, any>) => Exit.isSuccess(e) ? "OK " + show(e.value) : e.cause.reasons.map((r: any) => r._tag + ": " + (r._tag === "Fail" ? err(r.error) : r._tag === "Die" ? "(defect) " + err(r.defect) : "")).join(" || ")
type S = { sql: string, params?: ReadonlyArray<unknown>, prepare?: boolean }
const results = (c: PgConnection.PgConnection, ss: ReadonlyArray<S>) => Effect.all(ss.map((x) => Effect.result(c.query(x.sql, x.params, x.prepare))), { concurrency: "unbounded" })
const pct = (a: number[], p: number) => a[Math.floor(a.length * p)]!.toFixed(3)
const lat = (label: string, n: number, e: Effect.Effect<any, any>) => Effect.gen(function* () {
  for (let i = 0; i < 200; i++) yield* e
  const a: number[] = []; const t0 = performance.now()
  for (let i = 0; i < n; i++) { const t = performance.now(); yield* e; a.push(performance.now() - t) }
  const total = performance.now() - t0; a.sort((x, y) => x - y)
  console.log(`  ${label.padEnd(64)} p50 ${pct(a, .5)} ms  p99 ${pct(a, .99)} ms  ${(n / total * 1000).toFixed(0)}/s`)
})
const main = Effect.gen(function* () {
  const a = yield* PgConnection.make({ url }) ; 
  console.log("void:", ex(yield* Effect.exit(a.query("select pg_advisory_xact_lock(1) a"))), ex(yield* Effect.exit(a.query("select pg_current_xact_id()::text a"))))
  yield* a.query("create table acc(org text primary key, bal int8 not null check (bal>=0), ver int8 not null)")
  yield* a.query("create table ent(org text, ver int8, amt int8, body text, primary key(org, ver))")
  yield* a.query("insert into acc select 'o'||g, 1000000000, 0 from generate_series(1,100) g")
  const cl = yield* PgClient.make({ url, maxConnections: 4, startupParameters: { plan_cache_mode: "force_custom_plan" } })
  const pool = yield* PgPool.make({ url, maxConnections: 4, multiplex: true, multiplexConcurrency: 1, startupParameters: { plan_cache_mode: "force_custom_plan" } })
  const BEGIN = { sql: "BEGIN", prepare: false }, COMMIT = { sql: "COMMIT", prepare: false }
  const LOCK = (org: string) => ({ sql: "select org, bal, ver from acc where org = any($1::text[]) order by org for update", params: [[org]] })
  let v = 0
  const WRITE = (org: string) => ({ sql: "with e as (insert into ent(org, ver, amt, body) select * from unnest($2::text[], $3::int8[], $4::int8[], $5::text[])) update acc set bal = bal - 1, ver = ver + 1 where org = $1", params: [org, [org], [BigInt(++v)], [5n], ["hello"]] })
  console.log("== order and write batching")
  {
    const { Duplex } = yield* Effect.promise(() => import("node:stream")); const Net = yield* Effect.promise(() => import("node:net"))
    const u = new URL(s.url); const writes: number[] = []
    const c = yield* PgConnection.make({ url, multiplex: true, stream: () => { const so = Net.connect(Number(u.port), u.hostname); so.setNoDelay(true); const w = so.write.bind(so); (so as any).write = (b: any, ...r: any[]) => { writes.push(b.length); return (w as any)(b, ...r) }; return so } })
    yield* results(c, [BEGIN, LOCK("o1")]); yield* results(c, [WRITE("o1"), COMMIT])
    writes.length = 0
    const r = yield* results(c, [BEGIN, LOCK("o1"), { sql: "select txid_current()::text a" }, WRITE("o1"), { sql: "select txid_current()::text a" }, COMMIT])
    console.log("  writes:", writes, show(r.map((x: any) => x._tag === "Success" ? [x.success.command, x.success.rows.length] : err(x.failure))))
    writes.length = 0
    yield* results(c, Array.from({ length: 300 }, (_, i) => ({ sql: "select $1::int4", params: [i] }))).pipe(Effect.map((r) => console.log("  300 in order:", r.every((x: any, i) => x.success.rows[0].int4 === i), "writes", writes)))
    console.log("== error in the middle"); 
    const m = yield* results(c, [BEGIN, { sql: "select 1/0" }, WRITE("o1"), COMMIT])
    console.log("  ", m.map((x: any) => x._tag === "Success" ? x.success.command : err(x.failure)).join("\n   "))
    const m2 = yield* results(c, [BEGIN, LOCK("o1"), { sql: "insert into ent values ('o1', 1, 1, '')" }, COMMIT])
    console.log("  ", m2.map((x: any) => x._tag === "Success" ? x.success.command : err(x.failure)).join("\n   "))
    console.log("  encode failure (client side) in the middle:")
    const m3 = yield* results(c, [BEGIN, { sql: "select $1::int8[]", params: [[null]] }, { sql: "insert into ent values ('zz', 1, 1, '')" }, COMMIT])
    console.log("  ", m3.map((x: any) => x._tag === "Success" ? x.success.command : err(x.failure)).join("\n   "))
    console.log("  !!! row written although statement 2 failed:", show((yield* a.query("select count(*) n from ent where org='zz'")).rows))
    console.log("== interruption")
    const f = yield* Effect.forkChild(results(c, [BEGIN, { sql: "select pg_sleep(0.3)" }, { sql: "insert into ent values ('zz', 2, 1, '')" }, COMMIT]))
    yield* Effect.sleep(50); const t = performance.now(); yield* Fiber.interrupt(f)
    console.log("   interrupt took", (performance.now() - t).toFixed(0), "ms; then a query on the same connection:", ex(yield* Effect.exit(c.query("select count(*) n from ent where org='zz' and ver=2"))), (performance.now() - t).toFixed(0), "ms")
    const f2 = yield* Effect.forkChild(results(c, [BEGIN, { sql: "insert into ent values ('zz', 3, 1, '')" }, COMMIT]), { startImmediately: true })
    yield* Fiber.interrupt(f2)
    console.log("   interrupted before flush:", show((yield* c.query("select count(*) n from ent where org='zz' and ver=3")).rows))
    console.log("== terminate mid batch")
    const f3 = yield* Effect.forkChild(results(c, [BEGIN, { sql: "select pg_sleep(1)" }, COMMIT])); yield* Effect.sleep(50)
    yield* a.query("select pg_terminate_backend($1)", [c.processId]); console.log("  ", (yield* Fiber.join(f3)).map((x: any) => x._tag === "Success" ? x.success.command : err(x.failure)).join("\n   "))
  }
  console.log("== pool of multiplexed, exclusive connections: recovery")
  const pid = yield* pool.use((c) => Effect.succeed(c.processId))
  yield* a.query("select pg_terminate_backend($1)", [pid]); yield* Effect.sleep(30)
  console.log("  use after terminate while idle:", ex(yield* Effect.exit(pool.use((c) => c.query("select 1 a")))))
  console.log("== exclusive? two uses at once have pids", show(yield* Effect.all([1, 2, 3].map(() => pool.use((c) => Effect.as(Effect.sleep(50), c.processId))), { concurrency: "unbounded" })))
  const n = process.argv.includes("--fsync") ? 400 : 3000
  console.log("== latency, one fiber, fsync", process.argv.includes("--fsync"))
  yield* lat("(a) PgClient.withTransaction: lock, write (4 trips)", n, cl.withTransaction(Effect.gen(function* () {
    yield* cl.unsafe(LOCK("o1").sql, LOCK("o1").params); const w = WRITE("o1"); yield* cl.unsafe(w.sql, w.params)
  })))
  yield* lat("(a2) reserve (pin) + BEGIN, lock, write, COMMIT one by one", n, Effect.scoped(Effect.gen(function* () {
    const c = yield* pool.reserve; const w = WRITE("o1"); yield* c.query("BEGIN"); yield* c.query(LOCK("o1").sql, LOCK("o1").params); yield* c.query(w.sql, w.params); yield* c.query("COMMIT")
  })))
  yield* lat("(b) two trips: [BEGIN, lock] [write, COMMIT], unnamed BEGIN/COMMIT", n, pool.use((c) => Effect.gen(function* () { yield* results(c, [BEGIN, LOCK("o1")]); yield* results(c, [WRITE("o1"), COMMIT]) })))
  yield* lat("(b2) same, named BEGIN/COMMIT", n, pool.use((c) => Effect.gen(function* () { yield* results(c, [{ sql: "BEGIN" }, LOCK("o1")]); yield* results(c, [WRITE("o1"), { sql: "COMMIT" }]) })))
  yield* lat("(b3) two trips, marker insert too (3+2)", n, pool.use((c) => Effect.gen(function* () { yield* results(c, [{ sql: "BEGIN" }, { sql: "select 1::int8" }, LOCK("o1")]); yield* results(c, [WRITE("o1"), { sql: "COMMIT" }]) })))
  yield* lat("(c) one trip: [BEGIN, lock, write, COMMIT]", n, pool.use((c) => results(c, [{ sql: "BEGIN" }, LOCK("o1"), WRITE("o1"), { sql: "COMMIT" }])))
  yield* lat("(d) one autocommit statement", n, pool.use((c) => { const w = WRITE("o1"); return c.query(w.sql, w.params) }))
  yield* lat("(e) select 1", n, pool.use((c) => c.query("select 1")))
  console.log("== withTransaction + terminate (PgClient)")
  console.log(" ", ex(yield* Effect.exit(cl.withTransaction(Effect.gen(function* () {
    const pid = (yield* cl`select pg_backend_pid() p`)[0]!["p"]
    yield* a.query("select pg_terminate_backend($1)", [pid]); yield* Effect.sleep(50)
    yield* cl`select 1`
  })))))
  console.log("  pool afterwards", ex(yield* Effect.exit(cl`select 1 a`)))
  console.log("  unique in withTransaction", ex(yield* Effect.exit(cl.withTransaction(cl`insert into ent values ('o1', 1, 1, '')`))))
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
console.log(ex(await Effect.runPromiseExit(main as any)).slice(0, 500))
await s.stop()
process.exit(0)
