/**
 * `pnpm build`: each public package's `dist`, from nothing, so that it holds no leftovers, the folder that
 * embedded databases begin with, the bundle of `countersign`, and the pages of the dashboard.
 */
import { copyFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { ensureBuilt } from "../../packages/dashboard/build/build.ts"
import { bundleHost } from "./hostBundle.ts"
import { ensureInitialData, packedFile } from "./initialData.ts"
import { root } from "./paths.ts"
import { run } from "./run.ts"
import { publicPackages } from "./workspace.ts"

const packages = publicPackages()
for (const { path } of packages) rmSync(join(path, "dist"), { recursive: true, force: true })

await ensureBuilt()
const projects = packages.map(({ folder }) => join(folder, "tsconfig.src.json"))
const { code } = await run("tsc", ["-b", ...projects], { inherit: true })
if (code === 0) {
  await ensureInitialData()
  const packed = relative(join(root, "packages/postgres/src"), packedFile)
  copyFileSync(packedFile, join(root, "packages/postgres/dist", packed))
  await bundleHost()
}
process.exitCode = code ?? 1
