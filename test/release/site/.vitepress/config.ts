/**
 * The site of the documents. `pnpm docs:site` builds it into `.site`, from the documents as they are.
 */
import { join } from "node:path"
import { defineConfig } from "vitepress"
import { root } from "../../../tools/paths.ts"
import { copySources, siteLinks } from "../links.ts"
import { copyDocuments, navigation, pathOf } from "../pages.ts"
import { writeTexts } from "../texts.ts"

const sidebar = navigation.map((group) => ({
  text: group.title,
  collapsed: group.title !== "Start",
  items: group.pages.map((page) => ({ text: page.title, link: `/${pathOf(page)}` })),
}))

const documents = join(import.meta.dirname, "../.documents")
copyDocuments(documents)

export default defineConfig({
  title: "Countersign",
  description: "Phone verification and messaging for TypeScript backends",
  srcDir: documents,
  outDir: join(root, ".site"),
  cleanUrls: true,
  markdown: { config: siteLinks },
  // `{{name}}` is a placeholder of texts, and nothing of Vue.
  vue: { template: { compilerOptions: { delimiters: ["{%{", "}%}"] } } },
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: { search: { provider: "local" }, sidebar, outline: "deep" },
  buildEnd: ({ outDir, site }) => {
    copySources(outDir)
    writeTexts(outDir, site.base)
  },
})
