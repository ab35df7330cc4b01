import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, test } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../../../test/support/chromium.ts"
import { codeFor, type Example, startExample, wrong } from "../../../test/support/Example.ts"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"

const { close, make } = temporaryDatabases()
const PEPPER = "a pepper for tests, and for nothing else"

let app: Example
let browser: Browser
/** Why these tests cannot run. They are then reported as skipped, never as passed. */
let missing: string | undefined

beforeAll(async () => {
  missing = await missingBrowser()
  if (missing !== undefined) return
  const DATABASE_URL = await make()
  app = await startExample("express-postgres", {
    env: { DATABASE_URL, PEPPER, RESEND_SECONDS: "0" },
  })
  browser = await openBrowser()
}, installMillis + 60_000)

afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await close()
})

/** Runs a test in a browser without cookies, and holds the page to its own security policy. */
const onPage = async (body: (page: Page) => Promise<void>): Promise<void> => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("console", (entry) => {
      // An answer such as 400 is logged by the browser as well; the page says it in words.
      if (entry.type() === "error" && !/status of 4/.test(entry.text()))
        complaints.push(entry.text())
    })
    await page.goto(app.origin)
    await body(page)
    assert.deepStrictEqual(complaints, [])
  } finally {
    await context.close()
  }
}

const number = (page: Page) => page.getByLabel("Phone number")
const code = (page: Page) => page.getByLabel("Code from the message")
const press = (page: Page, name: string) => page.getByRole("button", { name }).click()

const ask = async (page: Page, phoneNumber: string): Promise<void> => {
  await number(page).fill(phoneNumber)
  await press(page, "Send me a code")
  await code(page).waitFor()
}

test("a wrong code and then the right code sign in, until the user signs out", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await onPage(async (page) => {
    await ask(page, "+8801712100001")
    await page.getByText("We have sent a code to +8801712100001.").waitFor()
    const sent = await codeFor(app, "+8801712100001")
    await code(page).fill(wrong(sent))
    await press(page, "Sign in")
    await page.getByRole("alert").getByText("That is not the code. Tries left: 2.").waitFor()
    assert.strictEqual(await code(page).getAttribute("aria-invalid"), "true")

    // The focus has come back to the code, so one types on, and Enter sends it.
    await page.keyboard.type(sent)
    await page.keyboard.press("Enter")
    await page.getByText("You are signed in as +8801712100001.").waitFor()
    const [cookie] = await page.context().cookies()
    assert.deepInclude(cookie, { httpOnly: true, sameSite: "Lax", path: "/" })
    assert.strictEqual(await page.evaluate(() => document.cookie), "")

    await page.reload()
    await page.getByText("You are signed in as +8801712100001.").waitFor()
    await press(page, "Sign out")
    await number(page).waitFor()
    await page.reload()
    await number(page).waitFor()
    assert.deepStrictEqual(await page.context().cookies(), [])
  })
})

test("an invalid number is named as the problem", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await onPage(async (page) => {
    await number(page).fill("12")
    await press(page, "Send me a code")
    await page.getByRole("alert").getByText("Please enter a phone number").waitFor()
    assert.isTrue(await number(page).isVisible())
  })
})

test("a code can be sent again, and a reload shows the same page", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await onPage(async (page) => {
    await ask(page, "+8801712100002")
    await press(page, "Send the code again")
    await page.getByText("A new code is on its way.").waitFor()
    const second = await codeFor(app, "+8801712100002", 2)
    await page.reload()
    await code(page).fill(second)
    await press(page, "Sign in")
    await page.getByText("You are signed in as +8801712100002.").waitFor()
  })
})

test("after three wrong codes the page asks for a new one", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await onPage(async (page) => {
    await ask(page, "+8801712100003")
    const sent = await codeFor(app, "+8801712100003")
    for (const words of ["Tries left: 2.", "Tries left: 1.", "Too many wrong codes."]) {
      await code(page).fill(wrong(sent))
      await press(page, "Sign in")
      await page.getByRole("alert").getByText(words).waitFor()
    }
    await press(page, "Use another number")
    await number(page).waitFor()
    assert.strictEqual(await page.getByRole("alert").textContent(), "")
  })
})

test("the fields tell phones which values to offer", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await onPage(async (page) => {
    assert.strictEqual(await number(page).getAttribute("autocomplete"), "tel")
    await ask(page, "+8801712100004")
    assert.strictEqual(await code(page).getAttribute("autocomplete"), "one-time-code")
    assert.strictEqual(await code(page).getAttribute("inputmode"), "numeric")
    assert.isTrue(await code(page).evaluate((field) => field === document.activeElement))
  })
})
