/**
 * The tarballs of the packages, as `pnpm publish` would upload them. As a program,
 * `node test/tools/packing.ts FOLDER` leaves them in that folder.
 */
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { exclusively } from "./exclusively.ts"
import { run, runPnpm, runTool } from "./run.ts"
import { type Package, publicPackages } from "./workspace.ts"

export interface PackedPackage {
  readonly source: Package
  /** Where it is. */
  readonly tarball: string
}

/** The name that a package manager gives to the tarball. */
export const tarballOf = ({ manifest: { name, version } }: Package): string =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`

/** Builds all packages and packs them into `folder`; what went wrong is thrown. */
export const packAll = async (folder: string): Promise<ReadonlyArray<PackedPackage>> => {
  mkdirSync(folder, { recursive: true })
  // A build begins by removing what another process may just be packing.
  return exclusively("packing", async () => {
    const built = await runTool("build.ts")
    if (built.code !== 0) throw new Error("the packages cannot be built")
    const packages = publicPackages()
    const { code, stderr, stdout } = await runPnpm([
      "--recursive",
      ...packages.map((one) => `--filter=./${one.folder}`),
      "pack",
      `--pack-destination=${folder}`,
    ])
    if (code !== 0) throw new Error(`pnpm pack\n${stdout}${stderr}`)
    return packages.map((source) => ({ source, tarball: join(folder, tarballOf(source)) }))
  })
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

if (import.meta.main) await packAll(resolve(process.argv[2] ?? "."))
