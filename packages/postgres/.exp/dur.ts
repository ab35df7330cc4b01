import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import * as fs from "node:fs"
let n = 0, ms = 0
class FS2 extends NodeFS {
  override async init(pg: any, opts: any) {
    const r = await super.init(pg, opts)
    r.emscriptenOpts.preRun!.push((mod: any) => { mod.NODEFS.stream_ops.fsync = (s: any) => { const t = performance.now(); n++; fs.fsyncSync(s.nfd); ms += performance.now() - t; return 0 } })
    return r
  }
}
for (const [label, extra] of [["-F", ["-F"]], ["fsync default", []], ["wal fsync", ["-c", "wal_sync_method=fsync"]], ["open_datasync", ["-c", "wal_sync_method=open_datasync"]]] as const) {
  const dir = "/tmp/pgdur"; fs.rmSync(dir, { recursive: true, force: true }); fs.mkdirSync(dir)
  let t = performance.now()
  try {
  const db = await PGlite.create({ fs: new FS2(dir), startParams: [...PGlite.defaultStartParams.filter((x) => x !== "-F"), ...extra] } as any)
  console.log(label, "start", (performance.now() - t).toFixed(0), "fsyncs", n, ms.toFixed(0)); n = 0; ms = 0
  await db.exec("create table t(a int8 primary key)")
  console.log((await db.query("select current_setting('fsync') f, current_setting('wal_sync_method') w, current_setting('synchronous_commit') s, current_setting('full_page_writes') fpw")).rows)
  n = 0; ms = 0
  t = performance.now(); for (let i = 0; i < 500; i++) await db.query("insert into t values ($1)", [i])
  console.log(label, "500 inserts", (performance.now() - t).toFixed(0), "ms; fsyncs", n, ms.toFixed(0)); n = 0; ms = 0
  for (const fd of fs.readdirSync("/proc/self/fd")) { try { const p = fs.readlinkSync("/proc/self/fd/" + fd); if (p.includes("pg_wal")) console.log(p, fs.readFileSync("/proc/self/fdinfo/" + fd, "utf8").split("\n")[1]) } catch {} }
  t = performance.now(); await db.exec("checkpoint"); console.log("checkpoint", (performance.now() - t).toFixed(0), "fsyncs", n, ms.toFixed(0)); n = 0
  await db.close(); console.log("close fsyncs", n); n = 0; ms = 0
  } catch (e) { console.log(label, "FAILED", e) }
}
