/**
 * Links of the documents as links of the site. A document is a page. A copy of any other file is shown as
 * text, and a folder as a list of its names.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import type { MarkdownOptions } from "vitepress"
import { root } from "../../tools/paths.ts"
import { pages, pathOf } from "./pages.ts"

const paths = new Map(pages.map((page) => [page.file, pathOf(page)]))

/** Files that documents link to, which `copySources` copies. */
const linked = new Set<string>()

/** The address of a relative link that stands in `from`. */
export const addressOf = (from: string, link: string): string => {
  const [path = "", fragment] = link.split("#")
  const file = posix.join(posix.dirname(from), decodeURIComponent(path)).replace(/\/$/, "")
  const behind = fragment === undefined ? "" : `#${fragment}`
  const page = paths.get(file) ?? paths.get(`${file}/README.md`)
  if (page !== undefined) return `/${page}${behind}`
  const target = join(root, file)
  if (!existsSync(target)) throw new Error(`${from} links to ${link}, which does not exist`)
  linked.add(file)
  return `/source/${file}.txt${behind}`
}

const isOutside = (link: string): boolean => /^([a-z][a-z0-9+.-]*:|#|\/)/i.test(link)

/** Rewrites the links of each document before VitePress reads them. */
export const siteLinks: NonNullable<MarkdownOptions["config"]> = (markdown) => {
  markdown.core.ruler.after("inline", "site-links", ({ env, tokens }) => {
    const { relativePath }: { readonly relativePath: string } = env
    const from = relativePath === "index.md" ? "README.md" : relativePath
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === "link_open" ? token.attrGet("href") : null
      if (link !== null && !isOutside(link)) token.attrSet("href", addressOf(from, link))
    }
  })
}

/** Copies what the pages link to beside them. */
export const copySources = (out: string): void => {
  for (const file of linked) {
    const target = join(out, "source", `${file}.txt`)
    const source = join(root, file)
    mkdirSync(dirname(target), { recursive: true })
    if (statSync(source).isDirectory()) writeFileSync(target, readdirSync(source).join("\n"))
    else copyFileSync(source, target)
  }
}
