import { PGlite } from "@electric-sql/pglite"
import * as fs from "node:fs"
import { execSync } from "node:child_process"
const dir = "/tmp/pgdur"; fs.rmSync(dir, { recursive: true, force: true })
const db = await PGlite.create({ dataDir: dir, onStderr: (t: string) => { console.log("STDERR", t); return false } } as any)
const du = () => execSync(`du -sm ${dir}/pg_wal; ls ${dir}/pg_wal | head -30 | wc -l`).toString().replace(/\n/g, " ")
await db.exec("create table t(a int8 primary key, b text)")
for (const s of ["max_wal_size", "wal_segment_size", "shared_buffers", "checkpoint_timeout", "autovacuum", "track_counts", "statement_timeout","full_page_writes", "wal_level"]) console.log(s, (await db.query(`select current_setting('${s}') v`)).rows)
console.log("before", du())
for (let i = 0; i < 300; i++) { await db.query("insert into t select g, repeat('x', 900) from generate_series($1::int8, $1::int8+ 999) g", [i * 1000]); if (i % 60 === 0) console.log(i, du()) }
console.log("after 300k rows", du())
console.log((await db.query("select relname, n_live_tup, n_dead_tup, n_mod_since_analyze, last_autovacuum from pg_stat_user_tables")).rows)
let t = performance.now(); await db.exec("checkpoint"); console.log("checkpoint ms", performance.now() - t, du())
t = performance.now(); await db.exec("vacuum analyze t"); console.log("vacuum analyze ms", performance.now() - t)
console.log((await db.query("select relname, n_live_tup, n_dead_tup, n_mod_since_analyze, last_vacuum, last_analyze from pg_stat_user_tables")).rows)
t = performance.now()
try { console.log(await db.query("set statement_timeout=200; ")); console.log((await db.query("select pg_sleep(1)")).rows) } catch (e) { console.log(String(e)) }
console.log("sleep ms", performance.now() - t)
try { await db.exec("begin; select pg_advisory_xact_lock(1); commit"); console.log("advisory ok") } catch (e) { console.log(String(e)) }
