/**
 * The dashboard in a browser: one quickstart and one Chromium for the tests of a file, signed in once
 * through the page that asks for the password.
 */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { afterAll, assert, beforeAll, type TestContext } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../../../../test/support/chromium.ts"
import type { Quickstart } from "../../../../test/support/Quickstart.ts"
import { complaintsOf } from "../../../../test/support/watchedPage.ts"
import { databases } from "./onServer.ts"

export interface Lab {
  readonly page: Page
  readonly quickstart: Quickstart
  /** Opens a page of the organization `acme`, such as `messages`. */
  readonly open: (path: string) => Promise<void>
}

export interface Options extends BrowserContextOptions {
  /** Whether the page is open to its reader already. @defaultValue true */
  readonly signedIn?: boolean
}

/** Failures are known soon: the quickstart waits for an answer, and for a report, no longer than this. */
const env = { GATEWAY_TIMEOUT_MS: "300", SETTLE_AFTER_SECONDS: "2" }

/** Goes through the page with the password. */
export const signIn = async (page: Page, quickstart: Quickstart): Promise<void> => {
  await page.goto(quickstart.dashboardUrl)
  await page.getByLabel("Password").fill(quickstart.dashboardPassword)
  await page.getByRole("button", { name: "Sign in" }).click()
  await heading(page, "Overview").waitFor()
}

export const heading = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("heading", { level: 1, name })

export const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole("button", { name, exact: true })

export const field = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("textbox", { name })

/** The row of a table that has a text. */
export const row = (page: Page, text: string): Locator =>
  page.getByRole("row").filter({ hasText: text })

/**
 * The result makes the body of a test: a page that has nothing left over from other tests. Complaints of
 * the browser fail the test. Without Chromium the test is reported as skipped, never as passed.
 */
export const dashboardPages = (prepare: (quickstart: Quickstart) => Promise<void>) => {
  const { close, start } = databases()
  let quickstart: Quickstart
  let browser: Browser
  let missing: string | undefined
  let session: BrowserContextOptions["storageState"]

  beforeAll(async () => {
    missing = await missingBrowser()
    if (missing !== undefined) return
    quickstart = await start({ env })
    browser = await openBrowser()
    await prepare(quickstart)
    const context = await browser.newContext()
    await signIn(await context.newPage(), quickstart)
    session = await context.storageState()
    await context.close()
  }, installMillis + 60_000)

  afterAll(async () => {
    await browser?.close()
    await close()
  })

  return (options: Options, body: (lab: Lab) => Promise<void>) =>
    async ({ skip }: Pick<TestContext, "skip">): Promise<void> => {
      if (missing !== undefined) return skip(missing)
      const { signedIn = true, ...ofBrowser } = options
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        ...(signedIn && session !== undefined ? { storageState: session } : {}),
        ...ofBrowser,
      })
      const complaints = complaintsOf(context, new URL(quickstart.dashboardUrl).origin)
      // What takes longer than this is a failure, which is known sooner.
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const open = async (path: string) => {
        await page.goto(`${quickstart.dashboardUrl}/org/acme/${path}`)
        await page.getByRole("heading", { level: 1 }).waitFor()
      }
      try {
        await body({ page, quickstart, open })
        assert.deepStrictEqual(complaints, [])
      } finally {
        await context.close()
      }
    }
}
