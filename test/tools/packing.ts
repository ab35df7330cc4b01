/**
 * The tarballs of the packages, as `pnpm publish` would upload them. As a program,
 * `node test/tools/packing.ts FOLDER` puts them into that folder, unless another process already has.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { exclusively } from "./exclusively.ts"
import { run, runPnpm, runTool } from "./run.ts"
import { type Package, publicPackages } from "./workspace.ts"

export interface PackedPackage {
  readonly source: Package
  /** Its path. */
  readonly tarball: string
}

/** The packages whose tarballs are in `folder`. */
const packedIn = (folder: string): ReadonlyArray<PackedPackage> =>
  publicPackages().map((source) => {
    // The file name that a package manager chooses.
    const { name, version } = source.manifest
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
    return { source, tarball: join(folder, file) }
  })

/** Builds all packages and packs them into `folder`. */
const packInto = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const complete = join(folder, "complete")
  // A build removes files that another process may be packing.
  await exclusively("packing", async () => {
    if (existsSync(complete)) return
    const built = await runTool("build.ts")
    if (built.code !== 0) throw new Error("the packages cannot be built")
    const { code, stderr, stdout } = await runPnpm([
      "--recursive",
      ...publicPackages().map((one) => `--filter=./${one.folder}`),
      "pack",
      `--pack-destination=${folder}`,
    ])
    if (code !== 0) throw new Error(`pnpm pack\n${stdout}${stderr}`)
    writeFileSync(complete, "")
  })
}

/**
 * Builds and packs all packages into `folder`, or uses the tarballs that are there. Does so in another
 * process, because the wait for a process that is packing blocks the event loop.
 */
export const packAll = async (folder: string): Promise<ReadonlyArray<PackedPackage>> => {
  const { code, stderr, stdout } = await run(process.execPath, [import.meta.filename, folder])
  if (code !== 0) throw new Error(`${stdout}${stderr}`)
  return packedIn(folder)
}

/** Packs all packages as `packAll`. Gives the tarball of a package by its name. */
export const tarballsIn = async (folder: string): Promise<(name: string) => string> => {
  const packed = await packAll(folder)
  return (name) => {
    const found = packed.find(({ source }) => source.manifest.name === name)
    if (found === undefined) throw new Error(`${name} is not packed`)
    return found.tarball
  }
}

/** Puts a tarball's package into `folder`; gives its files, relative to the package. */
export const unpack = async (tarball: string, folder: string): Promise<ReadonlyArray<string>> => {
  mkdirSync(folder, { recursive: true })
  const listed = await run("tar", ["-tzf", tarball])
  const unpacked = await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", folder])
  if (unpacked.code !== 0) throw new Error(`tar ${tarball}\n${unpacked.stderr}`)
  return listed.stdout
    .trim()
    .split("\n")
    .map((file) => file.replace(/^package\//, ""))
}

if (import.meta.main) await packInto(resolve(process.argv[2] ?? "."))
