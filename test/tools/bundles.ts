/**
 * The packages as a bundler puts them into one program, and how large that is.
 */
import { basename, join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { build } from "esbuild"
import { root } from "./paths.ts"

export interface Chunk {
  readonly name: string
  readonly contents: Uint8Array
  /** Chunks that are loaded with it. */
  readonly imports: ReadonlyArray<string>
  /** Chunks that are loaded on their first import. */
  readonly lazyImports: ReadonlyArray<string>
}

export interface Bundle {
  readonly entry: Chunk
  readonly others: ReadonlyArray<Chunk>
}

const sourcefile = "main.ts"

/**
 * Bundles a source for a runtime with the APIs of the web only. An import that is
 * missing there, above all a module of Node, is an error. Without `splitting` all of it is one chunk.
 */
export const bundle = async (source: string, splitting = true): Promise<Bundle> => {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: source,
      loader: "ts",
      resolveDir: join(root, "test"),
      sourcefile,
    },
    absWorkingDir: root,
    // Never written.
    outdir: "bundle",
    bundle: true,
    splitting,
    minify: true,
    metafile: true,
    write: false,
    format: "esm",
    target: "es2024",
    // Not `browser`: that lets packages replace a module of Node.
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["worker"],
    logLevel: "silent",
  })
  const chunks = outputFiles.map(({ contents, path }): Chunk & { readonly isEntry: boolean } => {
    const name = basename(path)
    const { entryPoint, imports = [] } = metafile.outputs[`bundle/${name}`] ?? {}
    const named = (lazy: boolean): ReadonlyArray<string> =>
      imports
        .filter(({ kind }) => (kind === "dynamic-import") === lazy)
        .map((one) => basename(one.path))
    return {
      name,
      contents,
      imports: named(false),
      lazyImports: named(true),
      isEntry: entryPoint?.endsWith(sourcefile) === true,
    }
  })
  const entry = chunks.find(({ isEntry }) => isEntry)
  if (entry === undefined) throw new Error("the bundle has no entry")
  return { entry, others: chunks.filter((chunk) => chunk !== entry) }
}

/** In units of 1,000 bytes. */
export interface Size {
  readonly minified: number
  readonly gzip: number
  readonly brotli: number
}

/** Of files that are sent one by one. */
export const sizeOf = (chunks: ReadonlyArray<Chunk>): Size => {
  const sum = (length: (contents: Uint8Array) => number): number =>
    chunks.reduce((total, { contents }) => total + length(contents), 0) / 1000
  return {
    minified: sum((contents) => contents.byteLength),
    gzip: sum((contents) => gzipSync(contents, { level: 9 }).byteLength),
    // The best quality takes seconds for the larger ones, and saves little.
    brotli: sum(
      (contents) =>
        brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
          .byteLength,
    ),
  }
}

/** The sizes that a document states, by what they are of: rows of a table with three numbers in kB. */
export const statedSizes = (markdown: string): ReadonlyMap<string, Size> => {
  const section = markdown.split(/^##+ /m).find((text) => text.startsWith("Size of "))
  const rows = (section ?? "").matchAll(
    /^\| (.+?) +\| +([\d,]+) +\| +([\d,]+) +\| +([\d,]+) +\|$/gm,
  )
  const kilobytes = (text = ""): number => Number(text.replaceAll(",", ""))
  return new Map(
    [...rows].map(([, what = "", minified, gzip, brotli]) => [
      what,
      { minified: kilobytes(minified), gzip: kilobytes(gzip), brotli: kilobytes(brotli) },
    ]),
  )
}
