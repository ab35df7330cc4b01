/**
 * The code of `countersign` and of our packages below it, in a few files. Node takes about 0.3 ms to find, read and
 * compile a module, however small it is: 330 of them are a fifth of a start. Packages of others stay imports, so that
 * a host has one copy of them and updates them itself. What is loaded on demand is in files of its own.
 */
import { copyFileSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { build } from "esbuild"
import { packedFile } from "./initialData.ts"
import { root } from "./paths.ts"
import { publicPackages, withOwnDependencies } from "./workspace.ts"

const name = "countersign"

const path = join(root, "packages", name)

/** The files that `publishConfig.exports` of the package names. */
const entries = ["index", "effect", "gateways", "phone", "proofs"]

/** Packages of others that the code imports. */
const foreign = (): ReadonlyArray<string> => {
  const own = withOwnDependencies([name])
  const manifests = publicPackages().map(({ manifest }) => manifest)
  return manifests
    .filter((manifest) => own.includes(manifest.name))
    .flatMap(({ dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies }),
    )
    .filter((dependency) => !own.includes(dependency))
}

/** Writes the files into `outdir`, from the sources. */
export const bundleHost = async (outdir = join(path, "bundle")): Promise<void> => {
  rmSync(outdir, { recursive: true, force: true })
  await build({
    entryPoints: entries.map((entry) => join(path, "src", `${entry}.ts`)),
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "es2024",
    external: foreign().flatMap((dependency) => [dependency, `${dependency}/*`]),
    // The sources are in packages of their own, whose place below `node_modules` differs.
    sourcemap: true,
    sourcesContent: true,
    logLevel: "error",
  })
  // The code looks for the folder that embedded databases begin with beside itself.
  copyFileSync(packedFile, join(outdir, basename(packedFile)))
}
