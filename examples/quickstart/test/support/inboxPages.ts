/**
 * The inbox in a browser: one quickstart and one Chromium for the tests of a file.
 */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { afterAll, assert, beforeAll } from "vitest"
import type { Quickstart } from "../../../../test/support/Quickstart.ts"
import { installMillis, missingBrowser, openBrowser } from "../../../../test/support/chromium.ts"
import { databases } from "./onServer.ts"

export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
export const desktop = { viewport: { width: 1280, height: 900 } }

export interface InboxPages {
  /** Why these tests cannot run. They are then reported as skipped, never as passed. */
  readonly missing: () => string | undefined
  readonly quickstart: () => Quickstart
  readonly browser: () => Browser
  /** The address of an empty database. */
  readonly make: () => Promise<string>
  /**
   * Runs a test on a page that is live, with nothing left over from other tests. `expected` are the
   * complaints of the browser that the test is about.
   */
  readonly onPage: (
    options: BrowserContextOptions,
    body: (page: Page) => Promise<void>,
    expected?: ReadonlyArray<RegExp>,
  ) => Promise<void>
  readonly message: (to: string, text: string) => Promise<unknown>
}

export const screen = (page: Page, to: string): Locator => page.locator(`.phone[data-to="${to}"]`)

export const inboxPages = (): InboxPages => {
  const { close, make, start } = databases()
  let quickstart: Quickstart
  let browser: Browser
  let missing: string | undefined

  beforeAll(async () => {
    missing = await missingBrowser()
    if (missing !== undefined) return
    quickstart = await start()
    browser = await openBrowser()
  }, installMillis + 60_000)

  afterAll(async () => {
    await browser?.close()
    await close()
  })

  const onPage: InboxPages["onPage"] = async (options, body, expected = []) => {
    const context = await browser.newContext(options)
    try {
      const page = await context.newPage()
      const complaints: Array<string> = []
      page.on("pageerror", (error) => complaints.push(error.message))
      page.on("console", (entry) => {
        // What the network does is not the page's fault.
        if (entry.type() === "error" && !/net::ERR_/.test(entry.text()))
          complaints.push(entry.text())
      })
      // The page works without a network: it sends requests to its own server only.
      page.on("request", (request) => {
        const url = request.url()
        if (!url.startsWith(quickstart.inboxUrl) && !url.startsWith("data:")) {
          complaints.push(`asked for ${url}`)
        }
      })
      await page.goto(quickstart.inboxUrl)
      await page.locator('#connection[data-state="live"]').waitFor()
      await body(page)
      assert.deepStrictEqual(
        complaints.filter((text) => !expected.some((pattern) => pattern.test(text))),
        [],
      )
    } finally {
      await context.close()
    }
  }

  return {
    missing: () => missing,
    quickstart: () => quickstart,
    browser: () => browser,
    make,
    onPage,
    message: (to, text) => quickstart.call("/messages", { body: { to, message: text } }),
  }
}
