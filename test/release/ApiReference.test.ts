/**
 * The sources have what the API reference needs: doc comments, and links that lead somewhere.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { writeApiReference } from "./tools/apiReference.ts"
import { root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"
import { publicPackages } from "../tools/workspace.ts"

const folder = temporaryFolder("countersign-api-")

test("pnpm docs:api has no warnings and writes a page for every package", async () => {
  // The static checks check the types.
  const args = [join(root, "test/release/tools/apiReference.ts"), "--types-checked"]
  succeeded(await run(process.execPath, args))
  const missing = publicPackages().filter(
    ({ manifest: { name } }) =>
      !existsSync(join(root, `.api/${name}.md`)) &&
      !existsSync(join(root, `.api/${name}/README.md`)),
  )
  assert.deepStrictEqual(missing, [])
})

/** Writes the reference of a package with one source, and counts errors and warnings. */
const problemsOf = (source: string): Promise<number> => {
  const work = mkdtempSync(join(folder, "planted-"))
  writeFileSync(join(work, "package.json"), '{ "name": "planted", "type": "module" }')
  writeFileSync(join(work, "index.ts"), source)
  writeFileSync(
    join(work, "tsconfig.json"),
    '{ "compilerOptions": { "lib": ["ES5"], "types": [] }, "include": ["index.ts"] }',
  )
  return writeApiReference({
    entryPoints: [join(work, "index.ts")],
    tsconfig: join(work, "tsconfig.json"),
    out: join(folder, "pages"),
    names: new Map(),
    documented: ["planted"],
  })
}

test.each([
  [
    "a documented export",
    "/** One. See {@link two}. */\nexport const one = 1\n/** Two. */\nexport const two = 2",
    0,
  ],
  ["an export without documentation", "export const one = 1", 1],
  ["a function without documentation", "export const one = () => 1", 1],
  ["a link that leads nowhere", "/** See {@link nowhere}. */\nexport const one = 1", 1],
  ["a type error", "/** One. */\nexport const one: string = 1", 1],
])("%s gives the correct number of warnings", async (_title, source, problems) => {
  assert.strictEqual(await problemsOf(source), problems)
})

test("a page contains the declaration and its documentation", async () => {
  await problemsOf("/** The first number. */\nexport const one = 1")
  const page = readFileSync(join(folder, "pages/README.md"), "utf8")
  assert.include(page, "The first number.")
  assert.include(page, "**one**")
})
