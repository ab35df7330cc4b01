/**
 * `pnpm install:into PROJECT [PACKAGE…]`: builds and packs the packages, and installs the named ones with npm in
 * another project, as a registry would. Without names, it installs `countersign`.
 *
 * `--tarballs FOLDER` keeps the tarballs there, or uses those that are there.
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { tarballsIn } from "./packing.ts"
import { run } from "./run.ts"
import { withOwnDependencies } from "./workspace.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { tarballs: { type: "string" } },
})
const [named = "", ...names] = positionals
const project = resolve(named)
if (named === "" || !existsSync(join(project, "package.json"))) {
  throw new Error("Name a folder with a package.json: pnpm install:into ../my-app countersign")
}
const packages = withOwnDependencies(names.length === 0 ? ["countersign"] : names)
// npm writes the paths of the tarballs into the project's package.json, so they stay with the project.
const folder = values.tarballs ?? join(project, "countersign-tarballs", `${Date.now()}`)
const tarballOf = await tarballsIn(resolve(folder))
const { code } = await run("npm", ["install", ...packages.map(tarballOf)], {
  cwd: project,
  inherit: true,
})
process.exitCode = code ?? 1
