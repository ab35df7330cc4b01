import * as Fs from "node:fs"; import * as Path from "node:path"
let n = 0
const syncTree = (folder: string): void => { for (const e of Fs.readdirSync(folder, { withFileTypes: true })) { const p = Path.join(folder, e.name); if (e.isDirectory()) syncTree(p); else { const fd = Fs.openSync(p, "r"); Fs.fsyncSync(fd); Fs.closeSync(fd); n++ } } }
Fs.rmSync("/tmp/pgl4", { recursive: true, force: true }); Fs.cpSync("/tmp/pgl3", "/tmp/pgl4", { recursive: true })
let t = performance.now(); syncTree("/tmp/pgl4"); console.log("sync tree", n, performance.now() - t)
