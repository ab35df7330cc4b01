/** The built packages below `node_modules`, next to their dependencies, as a host has them. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundleHost } from "../tools/hostBundle.ts"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"
import { filesIn, type Package, publicPackages } from "../tools/workspace.ts"

const place = (folder: string, name: string): string => {
  const path = join(folder, "node_modules", name)
  mkdirSync(dirname(path), { recursive: true })
  return path
}

const dependencies = ["@effect/sql-pg", "effect", "express", "jose", "libphonenumber-js"]

/** Builds the changed packages, and puts all packages into a folder. */
export const installInto = async (folder: string): Promise<void> => {
  const packages = publicPackages()
  const projects = packages.map((one) => join(one.folder, "tsconfig.src.json"))
  const { code, stderr, stdout } = await run("tsc", ["-b", ...projects])
  if (code !== 0) throw new Error(`The packages could not be built\n${stdout}${stderr}`)
  for (const { manifest, path } of packages) {
    const target = place(folder, manifest.name)
    cpSync(join(path, "dist"), join(target, "dist"), { recursive: true })
    const published = { ...manifest, exports: manifest.publishConfig?.exports }
    writeFileSync(join(target, "package.json"), JSON.stringify(published))
  }
  await bundleHost(join(place(folder, "countersign"), "bundle"))
  for (const name of dependencies) {
    symlinkSync(join(root, "test/node_modules", name), place(folder, name))
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
}

const valueImport = /^import (?!type\b)[^"]*from "([^"]+)"/gm

const sourcesOf = ({ path }: Package): ReadonlyArray<string> =>
  filesIn(join(path, "src"), "**/*.ts").map((file) => join(path, "src", file))

/** The modules of other packages that importing these packages loads. */
export const foreignModules = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = publicPackages()
    .filter(({ manifest }) => names.includes(manifest.name))
    .flatMap(sourcesOf)
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(valueImport)])
    .map(([, specifier = ""]) => specifier)
  return [...new Set(found)].filter((specifier) => !/^(\.|node:|@countersign\/)/.test(specifier))
}
