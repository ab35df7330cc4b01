/**
 * A database folder as one file: the result of `initdb`, packed by the build. Unpacking takes a tenth of the
 * time of `initdb`, a WebAssembly program of its own, and none of its memory.
 */
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { brotliDecompressSync } from "node:zlib"

/**
 * The file is beside this module. `test/tools/initialData.ts` of the repository writes it: a line of JSON with the
 * entries, then the bytes of all files.
 */
const fileName = "initialData.br"

/** Paths are relative. An entry without a length is a folder. */
const Entries = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.optionalKey(Schema.Int) })),
)

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
