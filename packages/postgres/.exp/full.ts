import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import * as fs from "node:fs"
const dir = "/tmp/small/db"; fs.rmSync(dir, { recursive: true, force: true })
const db = await PGlite.create({ dataDir: dir, onStderr: (t: string) => { console.log("STDERR", t); return false } } as any)
const mod = (db as any).Module; const o = mod._PostgresMainLoopOnce; let n = 0, last = ""
mod._PostgresMainLoopOnce = () => { n++; if (n > 200000) { console.log("LOOPING", last); process.exit(3) } try { return o() } catch (e: any) { if (e.status !== 100) { if (last === "") console.log("THROWN", e.name, e.status, e.message); last = String(e) } throw e } }
await db.exec("create table t(a int8, b text)")
fs.writeFileSync("/tmp/small/ballast", Buffer.alloc(process.argv[2] === "wal" ? 0 : 1))
console.log(fs.statfsSync("/tmp/small").bavail * 4096 / 1e6, "MB free")
const fill = () => { const fd = fs.openSync('/tmp/small/ballast2', 'w'); try { for (;;) fs.writeSync(fd, Buffer.alloc(65536)) } catch (e) { console.log('filled', String(e)) } fs.closeSync(fd) }; await db.exec('create table u(a int)'); fill(); for (let i = 0; i < 2000; i++) { try { await db.query('insert into u values (1)'); await db.query('select pg_switch_wal()') } catch (e: any) { console.log('wal', i, 'failed:', e.code, e.message); break } }
for (let i = 0; i < 3; i++) try { console.log((await db.query("select count(*) from t")).rows) } catch (e: any) { console.log("select failed", e.code, e.message) }
for (let i = 0; i < 3; i++) try { console.log((await db.query("insert into t values (1,'a')")).affectedRows) } catch (e: any) { console.log("insert failed", e.code, e.message) }
fs.rmSync("/tmp/small/ballast"); 
