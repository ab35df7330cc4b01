import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Exit } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { Duplex } from "node:stream"
const show = (x: unknown): string => JSON.stringify(x, (_k, v) => typeof v === "bigint" ? `${v}n` : v)
const err = (e: any) => e?._tag === "SqlError" ? `SqlError{reason: ${e.reason._tag}, msg: ${e.reason.message}, code: ${e.reason.cause?.code}, causeMsg: ${e.reason.cause?.message}}` : String(e?.stack ?? e)
const ex = (e: Exit.Exit<any, any>) => Exit.isSuccess(e) ? "OK " + show(e.value) : e.cause.reasons.map((r: any) => r._tag + ": " + (r._tag === "Fail" ? err(r.error) : r._tag === "Die" ? "(defect) " + err(r.defect) : "")).join(" || ")
const dir = process.argv[2]
let t = performance.now()
const db = await PGlite.create(dir === undefined ? {} : { dataDir: dir })
console.log("start", performance.now() - t)
class D extends Duplex {
  override _read() {}
  override _write(chunk: Uint8Array, _e: any, cb: any) {
    let out: Uint8Array
    try { out = db.execProtocolRawSync(chunk) } catch (e) { console.log("THROW", e); return cb(e as any) }
    if (out.length) this.push(Buffer.from(out))
    cb()
  }
}
const main = Effect.gen(function* () {
  const c = yield* PgConnection.make({ username: "postgres", database: "postgres", multiplex: true, stream: () => new D(), startupParameters: { plan_cache_mode: "force_custom_plan", lock_timeout: "777" } })
  console.log("pid", c.processId)
  console.log(ex(yield* Effect.exit(c.query("select version(), current_setting('plan_cache_mode') p, current_setting('lock_timeout') l, current_setting('fsync') f, current_setting('search_path') s, current_setting('TimeZone') tz, current_user::text u, current_database()::text d, current_setting('application_name') an, current_setting('idle_in_transaction_session_timeout') it"))))
  console.log(ex(yield* Effect.exit(c.query("select $1::int8[] a", [[1n]]))))
  console.log(ex(yield* Effect.exit(c.query("select 1/0"))))
  console.log(ex(yield* Effect.exit(c.query("select 1 a"))))
  const results = (ss: any[]) => Effect.all(ss.map((x) => Effect.result(c.query(x[0], x[1], x[2]))), { concurrency: "unbounded" })
  console.log((yield* results([["BEGIN"], ["select 1/0"], ["select 2"], ["COMMIT"]])).map((x: any) => x._tag === "Success" ? x.success.command : err(x.failure)).join("\n   "))
  yield* c.query("create table if not exists t(a int8 primary key, b text)"); yield* c.query("delete from t")
  yield* c.query("create table if not exists acc(org text primary key, bal int8 not null check (bal>=0), ver int8 not null)"); yield* c.query("delete from acc"); yield* c.query("insert into acc values ('o1', 1000000000, 0)")
  console.log((yield* results([["BEGIN"], ["insert into t values (1,'a')"], ["insert into t values (1,'b')"], ["COMMIT"]])).map((x: any) => x._tag === "Success" ? x.success.command : err(x.failure)).join("\n   "))
  const bench = (label: string, n: number, e: Effect.Effect<any, any>) => Effect.gen(function* () { for (let i = 0; i < 100; i++) yield* e; const t = performance.now(); for (let i = 0; i < n; i++) yield* e; console.log(" ", label, (n / (performance.now() - t) * 1000).toFixed(0) + "/s") })
  yield* bench("select 1 prepared", 5000, c.query("select 1"))
  yield* bench("select 1 unprepared", 2000, c.query("select 1", [], false))
  let i = 10
  yield* bench("autocommit insert", 2000, Effect.suspend(() => c.query("insert into t values ($1, $2)", [BigInt(++i), "hello"])))
  yield* bench("two trips", 1000, Effect.suspend(() => Effect.andThen(results([["BEGIN", [], false], ["select org, bal, ver from acc where org = any($1::text[]) order by org for update", [["o1"]]]]), results([["with e as (insert into t select * from unnest($2::int8[], $3::text[])) update acc set bal = bal - 1, ver = ver + 1 where org = $1", ["o1", [BigInt(++i)], ["x"]]], ["COMMIT", [], false]]))))
  yield* bench("200 pipelined selects", 50, results(Array.from({ length: 200 }, (_, i) => ["select $1::int4", [i]])))
  console.log("== partial writes")
})
console.log(ex(await Effect.runPromiseExit(main.pipe(Effect.scoped, Effect.provide(Reactivity.layer)) as any)).slice(0, 1500))
// partial
import * as P from "@effect/sql-pg/PgProtocol"
const parse = (P.encodeParse({ name: "", query: "select 42 a", parameterTypes: [] }) as any).success
const sync = P.encodeSync()
try { const o1 = db.execProtocolRawSync(parse.subarray(0, 7)); console.log("partial out", o1.length, Buffer.from(o1).toString("latin1")) } catch (e) { console.log("partial threw", e) }
try { const o1 = db.execProtocolRawSync(new Uint8Array([...parse.subarray(7), ...sync])); console.log("rest out", o1.length, Buffer.from(o1).toString("latin1")) } catch (e) { console.log("rest threw", e) }
try { const o1 = db.execProtocolRawSync(sync); console.log("sync out", o1.length, Buffer.from(o1).toString("latin1")) } catch (e) { console.log("threw", e) }
try { const o1 = db.execProtocolRawSync(parse); console.log("parse alone out", JSON.stringify(Buffer.from(o1).toString("latin1"))) } catch (e) { console.log("threw", e) }
try { const o1 = db.execProtocolRawSync(sync); console.log("then sync out", JSON.stringify(Buffer.from(o1).toString("latin1"))) } catch (e) { console.log("threw", e) }
t = performance.now(); await db.close(); console.log("close", performance.now() - t)
