/**
 * What programs read of the site: each page's Markdown beside it, a list of the pages, and all of them in one file.
 */
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../tools/paths.ts"
import { markdownOf, navigation, pages } from "./pages.ts"

const title = "# Countersign"

/** The form of https://llmstxt.org: a heading for each group, a line for each page. */
const list = (base: string): string =>
  [
    title,
    ...navigation.map((group) =>
      [
        `## ${group.title}\n`,
        ...group.pages.map(
          (page) => `- [${page.title}](${base}${markdownOf(page)}): ${page.summary}`,
        ),
      ].join("\n"),
    ),
  ].join("\n\n")

/** Writes them into the folder of a built site. */
export const writeTexts = (out: string, base: string): void => {
  for (const page of pages) cpSync(join(root, page.file), join(out, markdownOf(page)))
  writeFileSync(join(out, "llms.txt"), `${list(base)}\n`)
  const texts = pages.map(({ file }) => readFileSync(join(root, file), "utf8"))
  writeFileSync(join(out, "llms-full.txt"), texts.join("\n"))
}
