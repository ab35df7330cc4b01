/**
 * The documents of the site, from the files of the repository. A folder of `docs` is a group of the navigation.
 */
import type { Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { cpSync, globSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../tools/paths.ts"

export interface Page {
  /** From the root of the repository. */
  readonly file: string
  readonly title: string
  /** The first sentence. */
  readonly summary: string
}

export interface Group {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

/** In the order of the navigation: the titles of groups, and the patterns of their files. */
const groups: ReadonlyArray<readonly [title: string, ...patterns: ReadonlyArray<string>]> = [
  ["Start", "README.md", "docs/start/*.md"],
  ["Guides", "docs/guides/*.md"],
  ["Frameworks", "docs/guides/frameworks/*.md"],
  ["Gateways", "docs/gateways/*.md"],
  ["Operate", "docs/operate/*.md"],
  ["Reference", "docs/*.md", "docs/reference/*.md"],
  ["Explanation", "docs/explanation/*.md"],
  ["Packages", "packages/*/README.md"],
  ["Examples", "examples/*/README.md"],
  ["Internals", "ARCHITECTURE.md", "docs/internals/*.md", "test/{bench,soak}/RESULTS.md"],
  ["Project", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
]

const textOf = (node: Nodes): string => {
  if ("value" in node) return node.type === "html" ? "" : node.value
  return "children" in node ? node.children.map(textOf).join("") : ""
}

/** A period ends a sentence before a space; `12.5` and `README.md` go on. */
const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text

const pageOf = (file: string): Page => {
  const { children } = fromMarkdown(readFileSync(join(root, file), "utf8"))
  const heading = children.find(({ type }) => type === "heading")
  const paragraph = children.find(({ type }) => type === "paragraph")
  return {
    file,
    title: heading === undefined ? file : textOf(heading),
    summary:
      paragraph === undefined ? "" : firstSentence(textOf(paragraph).replaceAll(/\s+/g, " ")),
  }
}

const collectGroups = (): ReadonlyArray<Group> => {
  const taken = new Set<string>()
  return groups.flatMap(([title, ...patterns]) => {
    const files = patterns
      .flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
      .filter((file) => !taken.has(file))
    for (const file of files) taken.add(file)
    return files.length === 0 ? [] : [{ title, pages: files.map(pageOf) }]
  })
}

/** Every page is in one group. */
export const navigation = collectGroups()

export const pages = navigation.flatMap((group) => group.pages)

/** The name of a page's Markdown in the site. README is its first page. */
export const markdownOf = ({ file }: Pick<Page, "file">): string =>
  file === "README.md" ? "index.md" : file

/** The address of a page below the base of the site. */
export const pathOf = (page: Page): string => markdownOf(page).replace(/(^index)?\.md$/, "")

/** Copies the documents and their pictures to where VitePress finds its own packages. */
export const copyDocuments = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  for (const page of pages) cpSync(join(root, page.file), join(folder, markdownOf(page)))
  cpSync(join(root, "docs/figures"), join(folder, "docs/figures"), { recursive: true })
}
