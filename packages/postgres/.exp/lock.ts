import { spawn } from "node:child_process"
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const take = (f: string) => { const d = new DatabaseSync(f, { timeout: 0 } as any); d.exec("pragma journal_mode=memory; pragma locking_mode=exclusive; begin exclusive"); return d }
if (process.argv[2] === "child") { try { take("/tmp/lk"); console.log("child got it"); setInterval(() => {}, 1000) } catch (e: any) { console.log("child refused", e.code, e.errcode, e.message); process.exit(1) } }
else {
  let t = performance.now(); const d = take("/tmp/lk"); console.log("took", performance.now() - t)
  try { take("/tmp/lk") } catch (e: any) { console.log("same process refused", e.code, e.errcode, e.message) }
  const run = () => new Promise<void>((r) => { const c = spawn(process.execPath, [import.meta.filename, "child"], { stdio: "inherit" }); c.on("exit", () => r()); setTimeout(() => c.kill("SIGKILL"), 600) })
  await run(); d.close(); await run(); t = performance.now(); take("/tmp/lk").close(); console.log("after SIGKILL of holder ok", performance.now() - t)
}
