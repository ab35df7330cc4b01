/**
 * Builds the pages with esbuild, into a module that the package loads when a page is asked for: so the
 * published package needs no file system, and bundlers carry the pages along.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { Metafile } from "esbuild"

const folder = join(import.meta.dirname, "..")
const output = join(folder, "src/internal/built/files.ts")

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
}

/** Of every file that the pages are made of, and of the versions of what they use. */
const digestOfSources = (): string => {
  const hash = createHash("sha256")
  const files = globSync(["app/**/*.*", "build/*.ts", "package.json"], { cwd: folder }).toSorted()
  for (const file of [...files, "../core/src/domain/outbox/RecipientRows.ts"])
    hash.update(file).update(readFileSync(join(folder, file)))
  for (const name of [
    "react",
    "react-dom",
    "@base-ui/react",
    "@tanstack/react-query",
    "csv-parse",
    "uplot",
  ])
    hash.update(readFileSync(join(folder, "node_modules", name, "package.json")))
  return hash.digest("hex")
}

const firstLine = (digest: string): string => `// Built by build/build.ts from ${digest}.\n`

interface Asset {
  readonly name: string
  readonly bytes: Uint8Array
}

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

const packed = async ({ bytes, name }: Asset) => {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const [br, gz] = await Promise.all([brotli(bytes, { params }), gzipped(bytes, { level: 9 })])
  const type = types[name.split(".").at(-1) ?? ""]
  if (type === undefined) throw new Error(`${name} has no media type`)
  const file = { type, br: br.toString("base64"), gzip: gz.toString("base64") }
  return [name, file] as const
}

const hashed = (name: string, bytes: Uint8Array): Asset => {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8)
  return { name: name.replace(/(\.\w+)$/, `-${digest}$1`), bytes }
}

/** The licences of the packages whose code is in the pages. */
const licences = (metafile: Metafile): Asset => {
  const roots = Object.keys(metafile.inputs).flatMap(
    (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? [],
  )
  const texts = [...new Set(roots)].toSorted().map((root) => {
    const path = join(folder, root)
    const name = root.slice(root.lastIndexOf("node_modules/") + "node_modules/".length)
    const [file] = globSync("{LICENSE,license,LICENCE}*", { cwd: path })
    // A package without the text names its licence.
    const text = file ?? "package.json"
    const read = readFileSync(join(path, text), "utf8").trim()
    return `${name}\n\n${file === undefined ? String(JSON.parse(read).license) : read}\n`
  })
  return hashed("licences.txt", Buffer.from(texts.join(`\n${"-".repeat(72)}\n\n`)))
}

/** The names of the scripts that a script imports at its start, and so on. */
const startsWith = (metafile: Metafile, name: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (path: string): void => {
    for (const { kind, path: imported } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && !found.has(imported)) {
        found.add(imported)
        visit(imported)
      }
  }
  visit(name)
  return [...found].map((path) => basename(path))
}

const buildPages = async (digest: string): Promise<string> => {
  // Loaded only if there is something to build.
  const { build } = await import("esbuild")
  const { metafile, outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { main: "app/main.tsx", style: "app/style/style.css" },
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    metafile: true,
    jsx: "automatic",
    // The versions of browsers that have light-dark().
    target: ["chrome123", "firefox120", "safari17.5"],
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
  })
  const find = (source: string): string => {
    const found = Object.entries(metafile.outputs).find(([, one]) => one.entryPoint === source)
    if (found === undefined) throw new Error(`${source} is not built`)
    return found[0]
  }
  const script = find("app/main.tsx")
  const icon = hashed("icon.svg", readFileSync(join(folder, "app/icon.svg")))
  const licence = licences(metafile)
  const built = outputFiles.map(({ contents, path }) => ({ name: basename(path), bytes: contents }))
  const all = await Promise.all([...built, icon, licence].map(packed))
  const pages = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint?.startsWith("app/pages/") === true
      ? [
          [
            basename(entryPoint, ".tsx"),
            [path, ...startsWith(metafile, path)].map((one) => basename(one)),
          ] as const,
        ]
      : [],
  )
  const entry = {
    script: basename(script),
    style: basename(find("app/style/style.css")),
    icon: icon.name,
    licences: licence.name,
    preload: startsWith(metafile, script),
  }
  return [
    firstLine(digest),
    "/** The files that the page loads at its start. */\n",
    `export const entry: {\n${Object.keys(entry)
      .map(
        (key) => `  readonly ${key}: ${key === "preload" ? "ReadonlyArray<string>" : "string"}\n`,
      )
      .join("")}} = ${JSON.stringify(entry)}\n\n`,
    "/** The scripts of each page. */\n",
    `export const pages: Readonly<Record<string, ReadonlyArray<string>>> = ${JSON.stringify(Object.fromEntries(pages))}\n\n`,
    "/** The files by name, in base64. */\n",
    "export const files: Readonly<\n  Record<string, { readonly type: string; readonly br: string; readonly gzip: string }>\n",
    `> = ${JSON.stringify(Object.fromEntries(all), null, 1)}\n`,
  ].join("")
}

/** Builds the pages, unless they are built from the sources as they are. */
export const ensureBuilt = async (): Promise<void> => {
  const digest = digestOfSources()
  if (existsSync(output) && readFileSync(output, "utf8").startsWith(firstLine(digest))) return
  const text = await buildPages(digest)
  mkdirSync(dirname(output), { recursive: true })
  // Another process may be reading the module, or writing it.
  const temporary = `${output}.${process.pid}`
  writeFileSync(temporary, text)
  renameSync(temporary, output)
}
