/**
 * The app in this process, and its page in Chromium.
 */
import Axe from "axe-core"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, assert, beforeAll, type TestContext } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../../../../test/support/chromium.ts"
import { type App, type AppOptions, startApp } from "./startApp.ts"

declare global {
  interface Window {
    readonly axe: typeof Axe
  }
}

export interface Options extends BrowserContextOptions, AppOptions {}

export interface Lab extends Omit<App, "origin" | "stop"> {
  readonly page: Page
  /** Another tab of the same browser. */
  readonly openTab: () => Promise<Page>
}

/** Answers such as 400 are logged by the browser as well; the page explains them. */
const isAnswer = (text: string): boolean => /status of [45]\d\d|net::ERR_FAILED/.test(text)

/**
 * Opens a browser for the tests of a file. The result makes the body of a test: a new engine, and a browser
 * without cookies that holds the page to its own security policy. Without Chromium the test is reported as
 * skipped, never as passed.
 */
export const loginPages = () => {
  let browser: Browser
  let missing: string | undefined

  beforeAll(async () => {
    missing = await missingBrowser()
    if (missing === undefined) browser = await openBrowser()
  }, installMillis + 60_000)

  afterAll(() => browser?.close())

  return (options: Options, body: (lab: Lab) => Promise<void>) =>
    async ({ skip }: Pick<TestContext, "skip">): Promise<void> => {
      if (missing !== undefined) return skip(missing)
      const { channels: _channels, engine: _engine, ...ofBrowser } = options
      const { origin, stop, ...app } = await startApp(options)
      const viewport = { width: 390, height: 844 }
      const context = await browser.newContext({ viewport, baseURL: origin, ...ofBrowser })
      const complaints: Array<string> = []
      const openTab = async (): Promise<Page> => {
        const page = await context.newPage()
        page.on("pageerror", (error) => complaints.push(error.message))
        page.on("console", (entry) => {
          if (entry.type() === "error" && !isAnswer(entry.text())) complaints.push(entry.text())
        })
        await page.goto("/")
        return page
      }
      try {
        await body({ ...app, page: await openTab(), openTab })
        assert.deepStrictEqual(complaints, [])
      } finally {
        await context.close()
        await stop()
      }
    }
}

/** Everything that axe finds on the page. */
export const findings = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(Axe.source)
  return page.evaluate(async () => {
    const { violations } = await window.axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}

export const numberField = (page: Page) => page.getByLabel(/^(Phone number|ফোন নম্বর)$/)
export const codeField = (page: Page) => page.getByLabel(/^(Code from the message|মেসেজে পাওয়া কোড)$/)
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
export const press = (page: Page, name: string) => button(page, name).click()

/** Types a number, and waits for the step with the code. */
export const start = async (page: Page, phoneNumber: string): Promise<void> => {
  await numberField(page).fill(phoneNumber)
  await page.keyboard.press("Enter")
  await codeField(page).waitFor()
}

export const enter = async (page: Page, code: string): Promise<void> => {
  await codeField(page).fill(code)
  await page.keyboard.press("Enter")
}

/** Waits for the words of a problem, and looks at the page with axe. */
export const problem = async (page: Page, words: string | RegExp): Promise<void> => {
  await page.getByRole("alert").getByText(words, { exact: true }).waitFor()
  assert.deepStrictEqual(await findings(page), [])
}

/** Waits for the words of a step, and looks at the page with axe. */
export const news = async (page: Page, words: string): Promise<void> => {
  await page.locator("#news").getByText(words, { exact: true }).waitFor()
  assert.deepStrictEqual(await findings(page), [])
}

/** The field or button that has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () => document.activeElement?.id || (document.activeElement?.textContent ?? "").trim(),
  )
