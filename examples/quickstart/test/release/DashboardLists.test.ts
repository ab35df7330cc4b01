import type { Locator, Page } from "playwright-core"
import { assert, test } from "vitest"
import { button, dashboardPages, heading, row, signIn } from "../support/dashboardPages.ts"

const total = 120

const numberOf = (index: number): string => `88017140${String(index).padStart(5, "0")}`

const onPage = dashboardPages(async ({ call }) => {
  for (let index = 0; index < total; index++)
    await call("/messages", { body: { to: numberOf(index), message: `Text ${index}` } })
})

/** The numbers of a page, in order. */
const numbers = (page: Page): Promise<ReadonlyArray<string>> =>
  page.getByRole("table").getByRole("link").allTextContents()

/** Goes to another page of a list, and waits for it. */
const turn = async (page: Page, act: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const [before = ""] = await numbers(page)
  await act()
  await page.getByRole("link", { name: before, exact: true }).waitFor({ state: "detached" })
  return numbers(page)
}

const all = Array.from({ length: total }, (_, index) => `+${numberOf(index)}`).toReversed()

test(
  "a list has each message once on its pages, which the browser's buttons and a reload keep",
  onPage({}, async ({ open, page }) => {
    await open("messages")
    await button(page, "Older").waitFor()
    const first = await numbers(page)
    assert.isTrue(await button(page, "Newer").isDisabled())
    const older = () => turn(page, () => button(page, "Older").click())
    const pages = [first, await older()]
    while (await button(page, "Older").isEnabled()) pages.push(await older())
    assert.deepStrictEqual(pages.flat(), all)
    assert.isAtLeast(pages.length, 3)

    const [deep = []] = pages.slice(-1)
    await page.reload()
    await row(page, deep[0] ?? "").waitFor()
    assert.deepStrictEqual(await numbers(page), deep)
    assert.deepStrictEqual(await turn(page, () => page.goBack()), pages.at(-2))
    assert.deepStrictEqual(await turn(page, () => page.goForward()), deep)
    assert.deepStrictEqual(await turn(page, () => button(page, "Newer").click()), pages.at(-2))
    assert.deepStrictEqual(await turn(page, () => button(page, "Newest").click()), first)
    assert.notInclude(page.url(), "cursor")
  }),
)

test(
  "the address of a deep page works in another tab, and leads back from a message",
  onPage({}, async ({ open, page }) => {
    await open("messages")
    const second = await turn(page, () => button(page, "Older").click())
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await row(tab, second[0] ?? "").waitFor()
    assert.deepStrictEqual(await numbers(tab), second)
    await tab.getByRole("link", { name: second[3] ?? "" }).click()
    await heading(tab, `Message · ${second[3]}`).waitFor()
    await tab.goBack()
    await row(tab, second[0] ?? "").waitFor()
    assert.deepStrictEqual(await numbers(tab), second)
    await button(tab, "Newer").click()
    await row(tab, all[0] ?? "").waitFor()
  }),
)

/** Waits until an element has the focus. */
const focused = async (locator: Locator): Promise<void> => {
  await locator.and(locator.page().locator(":focus")).waitFor()
}

test(
  "the keyboard alone signs in, creates a key, and finds its way back from dialogs and menus",
  onPage({ signedIn: false }, async ({ page, quickstart }) => {
    await page.goto(quickstart.dashboardUrl)
    await focused(page.getByLabel("Password"))
    await page.keyboard.type("not the password")
    await page.keyboard.press("Enter")
    await page.getByRole("alert").getByText("The password is wrong. Try again.").waitFor()
    await page.keyboard.type(quickstart.dashboardPassword)
    await page.keyboard.press("Enter")
    await heading(page, "Overview").waitFor()

    await page.keyboard.press("Tab")
    await focused(page.getByRole("link", { name: "Skip to content" }))
    await page.keyboard.press("Enter")
    await focused(page.getByRole("main"))

    const link = page.getByRole("link", { name: "API keys" })
    await link.focus()
    await page.keyboard.press("Enter")
    const create = button(page, "Create API key")
    await create.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await focused(create)

    await page.keyboard.press("Enter")
    await focused(page.getByRole("dialog").getByLabel("Name"))
    await page.keyboard.type("typed key")
    await page.keyboard.press("Enter")
    const shown = page.getByRole("dialog", { name: "Copy your new key" })
    await shown.waitFor()
    await page.keyboard.press("Escape")
    const question = page.getByRole("alertdialog", { name: "Leave without copying?" })
    await question.waitFor()
    await button(question, "Leave").focus()
    await page.keyboard.press("Enter")
    await shown.waitFor({ state: "detached" })
    await row(page, "typed key").waitFor()

    const menu = page.getByRole("button", { name: "Account and appearance" })
    await menu.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("menu").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("menu").waitFor({ state: "detached" })
    await focused(menu)
    await page.keyboard.press("Enter")
    await page.getByRole("menu").waitFor()
    await page.getByRole("menuitemradio", { name: "বাংলা" }).focus()
    await page.keyboard.press("Enter")
    await page.locator('html[lang="bn"]').waitFor()
  }),
)

test(
  "the sessions of all browsers are listed, and end together; so does a cookie that was copied",
  onPage({ signedIn: false }, async ({ page, quickstart }) => {
    const other = await (await page.context().browser())?.newContext()
    assert.isDefined(other)
    const elsewhere = await other?.newPage()
    if (elsewhere === undefined) return
    await signIn(page, quickstart)
    await signIn(elsewhere, quickstart)
    const copied = await page.context().cookies()
    await page.getByRole("button", { name: "Account and appearance" }).click()
    await page.getByRole("menuitem", { name: "Sessions" }).click()
    await heading(page, "Sessions").waitFor()
    await row(page, "127.0.0.0/24").getByText("This session").waitFor()
    assert.isAtLeast(await row(page, "Chrome, Linux").count(), 2)
    await button(page, "End all sessions").click()
    await button(page.getByRole("alertdialog"), "End all sessions").click()
    await page.getByLabel("Password").waitFor()
    for (const browser of [page, elsewhere]) {
      await browser.goto(`${quickstart.dashboardUrl}/org/acme/balance`)
      await browser.getByLabel("Password").waitFor()
    }
    await other?.close()
    await page.context().addCookies(copied)
    await page.goto(quickstart.dashboardUrl)
    await page.getByLabel("Password").waitFor()
  }),
)

test(
  "a reader who signs out has to enter the password again",
  onPage({ signedIn: false }, async ({ page, quickstart }) => {
    await signIn(page, quickstart)
    const deep = `${quickstart.dashboardUrl}/org/acme/api-keys`
    await page.getByRole("button", { name: "Account and appearance" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByLabel("Password").waitFor()
    await page.goto(deep)
    // The address stays, so that the reader arrives where the link leads to.
    await page.getByLabel("Password").fill(quickstart.dashboardPassword)
    await button(page, "Sign in").click()
    await heading(page, "API keys").waitFor()
    assert.strictEqual(page.url(), deep)
  }),
)
