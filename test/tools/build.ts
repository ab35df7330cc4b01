/**
 * `pnpm build`: each public package's `dist`, from nothing, so that it holds no leftovers, the folder that
 * embedded databases begin with, and the pages of the dashboard.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { ensureBuilt } from "../../packages/dashboard/build/build.ts"
import { run, runTool } from "./run.ts"
import { publicPackages } from "./workspace.ts"

const packages = publicPackages()
for (const { path } of packages) rmSync(join(path, "dist"), { recursive: true, force: true })

await ensureBuilt()
const projects = packages.map(({ folder }) => join(folder, "tsconfig.src.json"))
const { code } = await run("tsc", ["-b", ...projects], { inherit: true })
const packed = code === 0 ? await runTool("initialData.ts") : undefined
process.exitCode = packed?.code ?? 1
