/**
 * `node test/tools/initialData.ts`: packs a new PGlite folder beside the module that unpacks it, unless it is
 * packed already. Part of `pnpm install`, the tests and `pnpm build`, which copies the file into `dist`.
 */
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, sep } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { root } from "./paths.ts"

const folder = join(root, "packages/postgres")
const sources = [
  "packages/postgres/src/internal/pglite/engine.ts",
  "packages/postgres/src/PgliteClient.ts",
  "test/tools/initialData.ts",
]

/** The packed folder beside the sources. */
export const packedFile = join(folder, "src/internal/pglite/initialData.br")

/** Of everything that the packed folder depends on. */
const digest = (): string => {
  const hash = createHash("sha256")
  for (const source of sources) hash.update(readFileSync(join(root, source)))
  const pglite = join(folder, "node_modules/@electric-sql/pglite/package.json")
  return hash.update(readFileSync(pglite)).digest("hex")
}

/** Packs a folder for `unpack` of the product. */
export const packFolder = (packed: string): Uint8Array => {
  const found = readdirSync(packed, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return { path, contents: entry.isDirectory() ? undefined : readFileSync(path) }
  })
  const entries = found.map(({ contents, path }) => ({
    path: relative(packed, path).replaceAll(sep, "/"),
    bytes: contents?.byteLength,
  }))
  const files = found.flatMap(({ contents }) => (contents === undefined ? [] : [contents]))
  const header = Buffer.from(`${JSON.stringify(entries)}\n`)
  return brotliCompressSync(Buffer.concat([header, ...files]), {
    // A large window, because most of the folder repeats over megabytes.
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
}

const pack = async (): Promise<Uint8Array> => {
  // Loaded only if there is something to pack.
  const { startEngine } = await import("../../packages/postgres/src/internal/pglite/engine.ts")
  const { defaultParameters } = await import("../../packages/postgres/src/PgliteClient.ts")
  const created = mkdtempSync(join(tmpdir(), "countersign-initdb-"))
  try {
    const engine = await startEngine({
      folder: created,
      fsync: false,
      parameters: defaultParameters,
      initialData: () => undefined,
    })
    await engine.close()
    return packFolder(join(created, "pgdata"))
  } finally {
    rmSync(created, { recursive: true, force: true })
  }
}

/** Another process may be reading the file, or writing it. */
const replace = (file: string, contents: Uint8Array): void => {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, contents)
  renameSync(temporary, file)
}

/** Packs the folder, unless it is packed with the sources and the PGlite that are there. */
export const ensureInitialData = async (): Promise<void> => {
  const kept = join(root, `node_modules/.cache/initialData/${digest()}.br`)
  if (!existsSync(kept)) replace(kept, await pack())
  const contents = readFileSync(kept)
  if (!existsSync(packedFile) || !readFileSync(packedFile).equals(contents))
    replace(packedFile, contents)
}

if (import.meta.main) await ensureInitialData()
