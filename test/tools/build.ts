/**
 * `pnpm build`: each public package's `dist`, from nothing, so that it holds no leftovers, and the folder
 * that embedded databases begin with.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { run, runTool } from "./run.ts"
import { publicPackages } from "./workspace.ts"

const packages = publicPackages()
for (const { path } of packages) rmSync(join(path, "dist"), { recursive: true, force: true })

const projects = packages.map(({ folder }) => join(folder, "tsconfig.src.json"))
const { code } = await run("tsc", ["-b", ...projects], { inherit: true })
const packed = code === 0 ? await runTool("initialData.ts") : undefined
process.exitCode = packed?.code ?? 1
