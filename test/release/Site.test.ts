/**
 * The site of the documents: it is built from every document, its search works without a network, and programs find
 * the Markdown of each page.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { extname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../support/chromium.ts"
import { end, listen } from "../support/loopback.ts"
import { complaintsOf } from "../support/watchedPage.ts"
import { root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"
import { addressOf } from "./site/links.ts"
import { markdownOf, navigation, pages, pathOf } from "./site/pages.ts"

const site = join(root, ".site")

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
}

/** Finds `/docs/errors` in `docs/errors.html`. */
const fileOf = (url: string): string | undefined => {
  const path = join(site, url.replace(/[?#].*/, ""))
  return [path, `${path}.html`, join(path, "index.html")].find(
    (file) => extname(file) !== "" && existsSync(file),
  )
}

const serve = (): Server =>
  createServer((request, response) => {
    const file = fileOf(request.url ?? "/")
    if (file === undefined) return void response.writeHead(404).end()
    response.setHeader("content-type", types[extname(file)] ?? "text/plain")
    response.end(readFileSync(file))
  })

describe("the site", () => {
  let server: Server
  let origin = ""

  beforeAll(async () => {
    succeeded(await run("vitepress", ["build", join(root, "test/release/site")]))
    server = serve()
    origin = `http://127.0.0.1:${await listen(server)}`
  })

  afterAll(() => end(server))

  test("has every document in one group of its navigation", () => {
    const documents = globSync("docs/**/*.md", { cwd: root })
    const shown = pages.map(({ file }) => file)
    assert.deepStrictEqual(
      documents.filter((file) => !shown.includes(file)),
      [],
    )
    assert.strictEqual(new Set(shown).size, shown.length)
  })

  test.each(pages.map((page) => [page.file, page] as const))("has a page of %s", (_file, page) => {
    assert.isDefined(fileOf(`/${pathOf(page)}`))
    assert.strictEqual(
      readFileSync(join(site, markdownOf(page)), "utf8"),
      readFileSync(join(root, page.file), "utf8"),
    )
  })

  test("lists its pages for programs, by the groups of the navigation", () => {
    const list = readFileSync(join(site, "llms.txt"), "utf8")
    const headings = list.split("\n").filter((line) => line.startsWith("## "))
    assert.deepStrictEqual(
      headings,
      navigation.map(({ title }) => `## ${title}`),
    )
    const addresses = Array.from(list.matchAll(/^- \[.*?\]\((.*?)\): .+$/gm), ([, link]) => link)
    assert.deepStrictEqual(
      addresses,
      pages.map((page) => `/${markdownOf(page)}`),
    )
    const all = readFileSync(join(site, "llms-full.txt"), "utf8")
    for (const { file } of pages) assert.include(all, readFileSync(join(root, file), "utf8"))
  })

  test("links to pages, and to texts of other files", () => {
    assert.strictEqual(
      addressOf("docs/guides/frameworks/koa.md", "../../errors.md#a"),
      "/docs/errors#a",
    )
    assert.strictEqual(addressOf("docs/errors.md", "../README.md"), "/")
    assert.strictEqual(addressOf("README.md", ".ci/run"), "/source/.ci/run.txt")
    assert.throws(() => addressOf("README.md", "docs/nowhere.md"), "docs/nowhere.md")
    const links = globSync("**/*.html", { cwd: site })
      .flatMap((file) => [
        ...readFileSync(join(site, file), "utf8").matchAll(/href="(\/source\/[^"#]*)/g),
      ])
      .map(([, link = ""]) => link)
    assert.isNotEmpty(links)
    assert.deepStrictEqual(
      links.filter((link) => fileOf(link) === undefined),
      [],
    )
  })

  test(
    "finds a page by its search, without another server",
    async ({ skip }) => {
      const missing = await missingBrowser()
      if (missing !== undefined) return skip(missing)
      const browser = await openBrowser()
      try {
        const context = await browser.newContext()
        const complaints = complaintsOf(context, origin)
        const page = await context.newPage()
        await page.goto(origin)
        await page.getByRole("button", { name: "Search" }).click()
        await page.getByRole("searchbox").fill("webhook signature")
        await page.getByRole("option").first().click()
        await page.waitForURL(/webhooks/)
        assert.deepStrictEqual(complaints, [])
      } finally {
        await browser.close()
      }
    },
    installMillis + 60_000,
  )
})
