/**
 * Where things are, and what the packages say about themselves.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Schema from "effect/Schema"
import { root } from "./paths.ts"

const Dependencies = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))

/** The parts of a `package.json` that the tools look at. */
export const Manifest = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  private: Schema.optionalKey(Schema.Boolean),
  description: Schema.optionalKey(Schema.String),
  keywords: Schema.optionalKey(Schema.Array(Schema.String)),
  license: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  sideEffects: Schema.optionalKey(Schema.Unknown),
  exports: Schema.optionalKey(Schema.Unknown),
  files: Schema.optionalKey(Schema.Array(Schema.String)),
  engines: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  publishConfig: Schema.optionalKey(Schema.Struct({ exports: Schema.optionalKey(Schema.Unknown) })),
  dependencies: Dependencies,
  peerDependencies: Dependencies,
  devDependencies: Dependencies,
})
export type Manifest = typeof Manifest.Type

export const parseManifest = Schema.decodeSync(Schema.fromJsonString(Manifest))

export interface Package {
  /** Relative to the root, as in `packages/core`. */
  readonly folder: string
  readonly path: string
  readonly manifest: Manifest
}

export const readPackage = (path: string): Package => ({
  folder: path.slice(root.length + 1),
  path,
  manifest: parseManifest(readFileSync(join(path, "package.json"), "utf8")),
})

/** The packages that are published, in the order of their names. */
export const publicPackages = (): ReadonlyArray<Package> =>
  globSync("packages/*/package.json", { cwd: root })
    .toSorted()
    .map((file) => readPackage(dirname(join(root, file))))
    .filter((candidate) => candidate.manifest.private !== true)

/** These packages and those of ours that they depend on. A registry would add the latter by itself. */
export const withOwnDependencies = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = new Map(publicPackages().map(({ manifest }) => [manifest.name, manifest]))
  const found = new Set(names)
  // A set visits what is added during its iteration.
  for (const name of found) {
    const manifest = all.get(name)
    if (manifest === undefined) throw new Error(`${name} is not a package of this repository`)
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      if (all.has(dependency)) found.add(dependency)
    }
  }
  return [...found]
}

/** Files below `folder` in a stable order; none when the folder is missing. */
export const filesIn = (folder: string, pattern: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? globSync(pattern, { cwd: folder, exclude: ["**/node_modules/**"] }).toSorted()
    : []
