/**
 * `pnpm docs:api`: writes a page for each package into `docs/api`. With `--check` it only says which ones
 * are out of date.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { modulesOf } from "./apiModel.ts"
import { pageOf } from "./apiPage.ts"
import { root } from "./paths.ts"
import { environment, run } from "./run.ts"
import { filesIn, publicPackages } from "./workspace.ts"

const target = join(root, "docs/api")

/** The declarations of all packages, made anew, so that no build has to come first. */
const withDeclarations = async <A>(body: (declarations: string) => A): Promise<A> => {
  const cache = join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, "api-reference-"))
  try {
    const config = {
      extends: "../../../tsconfig.base.json",
      include: ["../../../packages/*/src"],
      compilerOptions: {
        composite: false,
        declarationMap: false,
        sourceMap: false,
        emitDeclarationOnly: true,
        rootDir: "../../../packages",
        outDir: "declarations",
        types: ["node"],
        // PGlite's own .d.ts name the types of @types/emscripten, which it does not depend on.
        skipLibCheck: true,
      },
    }
    writeFileSync(join(work, "tsconfig.json"), JSON.stringify(config))
    // With several threads the order of what is in a union is left to chance.
    const { code, stderr, stdout } = await run("tsc", ["-p", work, "--singleThreaded"])
    if (code !== 0) throw new Error(`the declarations cannot be made\n${stdout}${stderr}`)
    return body(join(work, "declarations"))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const formatted = (file: string, text: string): string =>
  execFileSync("oxfmt", ["--stdin-filepath", file], {
    cwd: root,
    env: environment(),
    input: text,
    encoding: "utf8",
  })

/** The pages as they have to be, by their names. */
const pages = (): Promise<ReadonlyMap<string, string>> =>
  withDeclarations((declarations) => {
    const all = publicPackages().map(({ folder, manifest: { description = "", name }, path }) => {
      const modules = modulesOf(name, {
        declarations: join(declarations, basename(path), "src"),
        sources: join(path, "src"),
      })
      const page = `${basename(path)}.md`
      return [
        page,
        formatted(`docs/api/${page}`, pageOf(name, folder, description, modules)),
      ] as const
    })
    return new Map(all)
  })

const expected = await pages()
const known = new Set([...expected.keys(), ...filesIn(target, "*.md")])
const stale = [...known].filter((page) => {
  const file = join(target, page)
  return expected.get(page) !== (existsSync(file) ? readFileSync(file, "utf8") : undefined)
})

if (process.argv.includes("--check")) {
  for (const page of stale) console.error(`docs/api/${page} is out of date: run pnpm docs:api`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  mkdirSync(target, { recursive: true })
  for (const page of stale) {
    const text = expected.get(page)
    if (text === undefined) rmSync(join(target, page))
    else writeFileSync(join(target, page), text)
    console.log(`${text === undefined ? "removed" : "wrote"} docs/api/${page}`)
  }
}
