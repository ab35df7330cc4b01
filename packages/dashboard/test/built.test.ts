import { assert, it } from "vitest"
import { entry, files, pages } from "../src/internal/built/files.ts"

/** Bytes that a browser loads at the first visit of a page. */
const budget = 200_000

const gzipOf = (name: string): number => Buffer.from(files[name]?.gzip ?? "", "base64").length

const firstLoad = (page: string): number =>
  [...new Set([entry.script, entry.style, entry.icon, ...entry.preload, ...(pages[page] ?? [])])]
    .map(gzipOf)
    .reduce((sum, bytes) => sum + bytes, 0)

it("has a script for each page, loaded when the page is shown", () => {
  assert.isAbove(Object.keys(pages).length, 3)
  for (const scripts of Object.values(pages)) assert.notInclude(entry.preload, scripts[0])
})

it.each(Object.keys(pages))("loads less than 200 kB for a first visit of %s", (page) => {
  const bytes = firstLoad(page)
  assert.isAbove(bytes, 50_000)
  assert.isBelow(bytes, budget)
})

it("names the licences of the packages that are inside", () => {
  const text = Buffer.from(files[entry.licences]?.gzip ?? "", "base64")
  assert.isAbove(text.length, 1_000)
})
