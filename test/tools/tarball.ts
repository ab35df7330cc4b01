/**
 * What a packed package must look like. Data goes in, problems come out.
 */
import { join } from "node:path/posix"
import * as Schema from "effect/Schema"
import type { Manifest } from "./workspace.ts"

/** The parts of a source map that a debugger needs to find the sources. */
export interface SourceMap {
  readonly sourceRoot?: string
  /** Relative to the map, or to `sourceRoot` where there is one. */
  readonly sources: ReadonlyArray<string>
}

export const parseMap = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      sourceRoot: Schema.optionalKey(Schema.String),
      sources: Schema.Array(Schema.String),
    }),
  ),
)

export interface Tarball {
  readonly manifest: Manifest
  /** The text of the packed `package.json`. */
  readonly manifestText: string
  /** Relative to the package. */
  readonly files: ReadonlyArray<string>
  readonly readme: string
  readonly license: string
  /** What the maps among the files say. */
  readonly maps: ReadonlyArray<SourceMap & { readonly file: string }>
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const isBundled = (files: ReadonlyArray<string>): boolean => files.includes("bundle/index.js")

const missingOutputs = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files
    .filter((file) => /^src\/.*\.tsx?$/.test(file))
    .flatMap((file) => {
      const stem = file.replace(/^src\//, "dist/").replace(/\.tsx?$/, "")
      // What the build packs for the first start of an embedded database lies beside the code that reads it.
      const packed = file === "src/internal/pglite/initialData.ts" ? [".br"] : []
      // The code of a bundled package is in files of its own.
      const code = isBundled(files) ? [] : [".js", ".js.map", ...packed]
      return [...code, ".d.ts", ".d.ts.map"].map((ending) => stem + ending)
    })
    .filter((output) => !files.includes(output))

/** The source of an output or of its map, if it is among the files. */
const sourceOf = (output: string, files: ReadonlyArray<string>): string | undefined => {
  const stem = output.replace(/^dist\//, "src/").replace(/(\.d\.ts|\.js)(\.map)?$/, "")
  return [`${stem}.ts`, `${stem}.tsx`].find((source) => files.includes(source))
}

/** Outputs of sources that are gone. */
const leftovers = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.filter(
    (file) =>
      file.startsWith("dist/") && file.endsWith(".js") && sourceOf(file, files) === undefined,
  )

const stray = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.filter(
    (file) =>
      !/^(src\/.*\.tsx?|styles\.css(\.d\.ts)?|dist\/.*\.(js|d\.ts)(\.map)?|dist\/internal\/pglite\/initialData\.br|bundle\/([\w-]+\.js(\.map)?|initialData\.br|libphonenumber-js\.LICENSE)|servers\/[\w-]+\.(cjs|jsonnet)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
        file,
      ),
  )

/** Whether a source of a bundle is where its package is installed, beside the bundled one. */
const isInstalled = (source: string): boolean =>
  /^\.\.\/(?:src|\.\.\/@countersign\/\w+\/src|\.\.\/libphonenumber-js)\//.test(source)

/** Maps that lead to something else than the packed source of their own file. */
const lostMaps = ({ files, maps }: Tarball): ReadonlyArray<string> =>
  maps.flatMap(({ file, sourceRoot = "", sources }) => {
    if (file.startsWith("bundle/")) return sources.every(isInstalled) ? [] : [file]
    const found = sources.map((source) => join(file, "..", sourceRoot, source))
    return equal(found, [sourceOf(file, files)]) ? [] : [file]
  })

/** `published` is what `publishConfig` of the manifest in the repository asks for. */
export const problemsOf = (tarball: Tarball, published: unknown): ReadonlyArray<string> => {
  const { manifest, manifestText, files } = tarball
  const rules: ReadonlyArray<readonly [boolean, string]> = [
    [
      published !== undefined && equal(manifest.exports, published),
      "publishConfig.exports did not take effect",
    ],
    [!/"(workspace|catalog):/.test(manifestText), "a dependency still points into the workspace"],
    [manifest.license === "Apache-2.0", "its licence is not Apache-2.0"],
    [
      /Apache License\s+Version 2\.0/.test(tarball.license),
      "LICENSE is missing or is not its text",
    ],
    [
      tarball.readme.startsWith(`# ${manifest.name}\n`),
      `README.md does not begin with # ${manifest.name}`,
    ],
    [manifest.type === "module", "it is not ESM only"],
    [
      [false, [], ["*.css"]].some((none) => equal(manifest.sideEffects, none)),
      "it does not declare that it has no side effects",
    ],
    [manifest.engines?.["node"] !== undefined, "it does not say which Node it needs"],
    [(manifest.description ?? "") !== "", "it has no description"],
    [(manifest.keywords ?? []).length > 0, "it has no keywords"],
  ]
  return [
    ...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])),
    ...missingOutputs(files).map((file) => `${file} is missing`),
    ...leftovers(files).map((file) => `${file} has no source`),
    ...lostMaps(tarball).map((file) => `${file} does not lead to a packed source`),
    ...stray(files).map((file) => `${file} does not belong in the package`),
  ]
}
