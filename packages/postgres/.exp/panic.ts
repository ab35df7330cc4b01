import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import * as fs from "node:fs"
let broken = false
class FS2 extends NodeFS {
  override async init(pg: any, opts: any) {
    const r = await super.init(pg, opts)
    r.emscriptenOpts.preRun!.push((mod: any) => { mod.NODEFS.stream_ops.fsync = (s: any) => mod.NODEFS.tryFSOperation(() => { if (broken) throw Object.assign(new Error("EIO"), { code: "EIO" }); fs.fdatasyncSync(s.nfd); return 0 }) })
    return r
  }
}
const dir = "/tmp/pgdur"; fs.rmSync(dir, { recursive: true, force: true }); fs.mkdirSync(dir)
const db = await PGlite.create({ fs: new FS2(dir), startParams: [...PGlite.defaultStartParams.filter((x) => x !== "-F"), "-c", "wal_sync_method=fsync"], onStderr: (t: string) => { console.log("STDERR", t); return false } } as any)
const mod = (db as any).Module; const o = mod._PostgresMainLoopOnce; let n = 0
const names = new Map<string, number>()
mod._PostgresMainLoopOnce = () => { if (++n > 100000) { console.log("LOOPING", [...names]); process.exit(3) } try { return o() } catch (e: any) { const k = e.name + "|" + e.status + "|" + e.message; names.set(k, (names.get(k) ?? 0) + 1); throw e } }
await db.exec("create table t(a int8 primary key)")
console.log("ok before", [...names])
broken = true; n = 0
try { await db.query("insert into t values (1)"); console.log("ACKED?!") } catch (e: any) { console.log("insert failed", e.code, e.name, e.message) }
console.log([...names], n)
broken = false
try { console.log((await db.query("select count(*) from t")).rows) } catch (e: any) { console.log("select failed", e.code, e.message) }
console.log([...names], n)
