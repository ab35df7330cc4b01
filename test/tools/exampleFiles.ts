/**
 * The examples of features in the documents that show them, and the list of all of them.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers } from "./markdownTable.ts"
import { root } from "./paths.ts"

const folder = "examples/features"

/** The first comment of an example, in one line, says what it shows. */
const head = /^\/\*\* (.+) \*\/\n/

/** A block that shows an example. */
const shown = /(<!-- from: (\S+) -->\n\n```ts\n)[^]*?(?=```)/g

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** What documents show of an example: all but its first comment. */
export const codeOf = (path: string): string => read(path).replace(head, "").trim()

const list = (): string =>
  globSync("*.ts", { cwd: join(root, folder) })
    .toSorted()
    .map((name) => `[${name.replace(".ts", "")}](${name})`)
    .join(", ")

export const readExampleFiles = (): ReadonlyArray<Barrel> => {
  const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], {
    cwd: root,
    exclude: ["**/node_modules/**"],
  }).toSorted()
  return [
    ...documents.map((path) =>
      generatedFile(path, (actual) =>
        actual.replaceAll(
          shown,
          (_, opening: string, example: string) => `${opening}${codeOf(example)}\n`,
        ),
      ),
    ),
    generatedFile(`${folder}/README.md`, (actual) => betweenMarkers("examples", actual, list())),
  ]
}
