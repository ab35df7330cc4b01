/**
 * The code of `countersign` and of our packages below it, in a few files. Node takes about 0.3 ms to find, read and
 * compile a module, however small it is: 330 of them are a fifth of a start. Packages of others stay imports, so that
 * a host has one copy of them and updates them itself. Parts that are loaded on demand have files of their own.
 *
 * `libphonenumber-js` is an exception: it has 92 modules, and 20 of them are used. Its numbering plans stay an import.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { build, type Plugin } from "esbuild"
import { packedFile } from "./initialData.ts"
import { root } from "./paths.ts"
import { filesIn, publicPackages, withOwnDependencies } from "./workspace.ts"

const name = "countersign"

const path = join(root, "packages", name)

/** The files that `publishConfig.exports` of the package names. */
const entries = ["index", "effect", "gateways", "login", "phone", "proofs", "serve"]

const phoneNumbers = "libphonenumber-js"

/** Packages of others that stay imports. */
const foreign = (): ReadonlyArray<string> => {
  const own = withOwnDependencies([name])
  return publicPackages()
    .map(({ manifest }) => manifest)
    .filter((manifest) => own.includes(manifest.name))
    .flatMap(({ dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies }),
    )
    .filter((dependency) => !own.includes(dependency) && dependency !== phoneNumbers)
}

/** Drops imports that no code of the bundle needs: none of them has a side effect. */
const kept = (path: string) => ({ path, external: true, sideEffects: false })

const imports: Plugin = {
  name: "imports",
  setup: ({ onResolve }) => {
    const packages = new RegExp(`^(?:${foreign().join("|")})(?:/|$)`)
    onResolve({ filter: packages }, ({ path }) => kept(path))
    // The package imports its own plans by their file.
    onResolve({ filter: /(?:^|\/)(?:max\/metadata|metadata\.max\.json\.js)$/ }, () =>
      kept(`${phoneNumbers}/max/metadata`),
    )
  },
}

/**
 * Lets a map lead to the sources where they are installed: `../../core/src` of this repository is
 * `../../@countersign/core/src` then, and the packages of others are beside this one.
 */
const relocate = (file: string): void => {
  const map: { readonly sources: ReadonlyArray<string> } = JSON.parse(readFileSync(file, "utf8"))
  const sources = map.sources.map((source) =>
    source
      .replace(/^.*node_modules\//, "../../")
      .replace(/^(..\/..)\/(\w+\/src\/)/, "$1/@countersign/$2"),
  )
  writeFileSync(file, JSON.stringify({ ...map, sources }))
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
    plugins: [imports],
    sourcemap: true,
    sourcesContent: false,
    logLevel: "error",
  })
  for (const file of filesIn(outdir, "*.map")) relocate(join(outdir, file))
  copyFileSync(
    join(path, "node_modules", phoneNumbers, "LICENSE"),
    join(outdir, `${phoneNumbers}.LICENSE`),
  )
  // The code looks for the folder that embedded databases begin with beside itself.
  copyFileSync(packedFile, join(outdir, basename(packedFile)))
}
