/**
 * `pnpm check:packages`: builds and packs every public package, and looks at the tarballs as the
 * people who install them will: manifest, files, exports, types, and an import of everything. An argument is
 * a folder for the tarballs, which other processes may share.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { packAll, type PackedPackage, unpack } from "./packing.ts"
import { root } from "./paths.ts"
import { type Finished, run } from "./run.ts"
import { parseMap, problemsOf } from "./tarball.ts"
import { parseManifest } from "./workspace.ts"

// Inside `test/`, whose dependencies are then found as those of a host application would be; one for
// each run, because two may be under way.
const parent = join(root, "test/.packages")
mkdirSync(parent, { recursive: true })
const folder = mkdtempSync(join(parent, "run-"))

interface Packed extends PackedPackage {
  /** Where it is unpacked, as if installed. */
  readonly installed: string
  /** What is in it, relative to the package. */
  readonly files: ReadonlyArray<string>
}

const failures: Array<string> = []

const expectSuccess = (what: string, { code, stdout, stderr }: Finished): void => {
  if (code !== 0) failures.push(`${what}\n${stdout}${stderr}`)
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "")

const checkContents = ({ source, installed, files }: Packed): void => {
  const manifestText = textOf(join(installed, "package.json"))
  const problems = problemsOf(
    {
      manifest: parseManifest(manifestText),
      manifestText,
      files,
      readme: textOf(join(installed, "README.md")),
      license: textOf(join(installed, "LICENSE")),
      maps: files
        .filter((file) => file.endsWith(".map"))
        .map((file) => ({ file, ...parseMap(textOf(join(installed, file))) })),
    },
    source.manifest.publishConfig?.exports,
  )
  failures.push(...problems.map((problem) => `${source.manifest.name}: ${problem}`))
}

/** Each import that the exports of the package allow. */
const entriesOf = ({ files, source }: Packed): ReadonlyArray<string> => {
  const closed = Object.entries(source.manifest.publishConfig?.exports ?? {}).flatMap(
    ([entry, target]) => (target === null ? [entry.slice("./".length, -"*".length)] : []),
  )
  return files
    .filter((file) => /^dist\/(?!(?:.*\/)?internal\/).*\.d\.ts$/.test(file))
    .map((file) => file.slice("dist/".length, -".d.ts".length))
    .filter((entry) => !closed.some((folder) => folder.endsWith("/") && entry.startsWith(folder)))
    .map((entry) => (entry === "index" ? "." : entry))
}

const checkTypes = async (packed: Packed): Promise<void> => {
  const { name } = packed.source.manifest
  const entries = [
    "--profile",
    "esm-only",
    "--no-color",
    "--no-emoji",
    "--entrypoints",
    ...entriesOf(packed),
  ]
  expectSuccess(`publint ${name}`, await run("publint", ["run", packed.tarball, "--strict"]))
  expectSuccess(`attw ${name}`, await run("attw", [packed.tarball, ...entries]))
}

/** A program that uses the packages from their tarballs, type-checked and run. */
const checkImports = async (all: ReadonlyArray<Packed>): Promise<void> => {
  const specifiers = all.flatMap((packed) =>
    entriesOf(packed).map((entry) => join(packed.source.manifest.name, entry)),
  )
  // vitest cannot be loaded outside its own runner, so this package is only type-checked.
  const runnable = specifiers.filter((specifier) => !specifier.startsWith("@countersign/testing"))
  const program = (names: ReadonlyArray<string>): string =>
    [
      ...names.map((name, index) => `import * as module${index} from ${JSON.stringify(name)}`),
      `export const modules: ReadonlyArray<object> = [${names.map((_, index) => `module${index}`).join(", ")}]`,
      "",
    ].join("\n")
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(folder, "types.ts"), program(specifiers))
  writeFileSync(join(folder, "run.ts"), program(runnable))
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../tsconfig.test.base.json",
      include: ["types.ts", "run.ts"],
      // PGlite's own .d.ts name the types of @types/emscripten, which it does not depend on.
      compilerOptions: { incremental: false, skipLibCheck: true },
    }),
  )
  expectSuccess("tsc on the packed packages", await run("tsc", ["-p", folder]))
  expectSuccess(
    "import of the packed packages",
    await run(process.execPath, [join(folder, "run.ts")]),
  )
}

try {
  const all: Array<Packed> = []
  for (const packed of await packAll(process.argv[2] ?? folder)) {
    const installed = join(folder, "node_modules", packed.source.manifest.name)
    all.push({ ...packed, installed, files: await unpack(packed.tarball, installed) })
  }
  all.forEach(checkContents)
  for (const packed of all) await checkTypes(packed)
  await checkImports(all)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1
