import { startEngine } from "../src/internal/pgliteEngine.ts"
import * as Fs from "node:fs"
for (const fsync of [true, false]) {
const f = "/tmp/pgl3"; Fs.rmSync(f, { recursive: true, force: true }); Fs.mkdirSync(f)
let t = performance.now()
const orig = Fs.fsyncSync
const e = await startEngine({ folder: f, fsync, parameters: {} })
console.log(fsync, "first", performance.now() - t); t = performance.now()
await e.close(); console.log("close", performance.now() - t); t = performance.now()
const e2 = await startEngine({ folder: f, fsync, parameters: {} }); console.log("second", performance.now() - t); await e2.close()
}
