/**
 * A database folder as one file: the result of `initdb`, packed by the build. Unpacking takes a tenth of the
 * time of `initdb`, a WebAssembly program of its own, and none of its memory.
 */
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"

/** The file is beside this module. `test/tools/initialData.ts` of the repository writes it. */
const fileName = "initialData.br"

/** Paths are relative. An entry without a length is a folder. */
const Entries = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.optionalKey(Schema.Int) })),
)

/** A line of JSON with the entries, then the bytes of all files. */
export const pack = (folder: string): Uint8Array => {
  const found = Fs.readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = Path.join(entry.parentPath, entry.name)
    return { path, contents: entry.isDirectory() ? undefined : Fs.readFileSync(path) }
  })
  const entries = found.map(({ contents, path }) => ({
    path: Path.relative(folder, path).replaceAll(Path.sep, "/"),
    ...(contents === undefined ? undefined : { bytes: contents.byteLength }),
  }))
  const files = found.flatMap(({ contents }) => (contents === undefined ? [] : [contents]))
  const header = Buffer.from(`${Schema.encodeSync(Entries)(entries)}\n`)
  return brotliCompressSync(Buffer.concat([header, ...files]), {
    // A large window, because most of the folder repeats over megabytes.
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
}

/** Unpacks a file into an empty folder. */
export const unpack = (packed: Uint8Array, folder: string): void => {
  const bytes = brotliDecompressSync(packed)
  const headerEnd = bytes.indexOf("\n")
  let offset = headerEnd + 1
  for (const entry of Schema.decodeSync(Entries)(bytes.toString("utf8", 0, headerEnd))) {
    const path = Path.join(folder, entry.path)
    if (entry.bytes === undefined) {
      Fs.mkdirSync(path, { mode: 0o700 })
    } else {
      Fs.writeFileSync(path, bytes.subarray(offset, offset + entry.bytes), { mode: 0o600 })
      offset += entry.bytes
    }
  }
}

/** Returns the packed folder; `undefined` if a bundler has omitted the file. */
export const read = (): Uint8Array | undefined => {
  try {
    return Fs.readFileSync(new URL(fileName, import.meta.url))
  } catch {
    return undefined
  }
}
