import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { button, dashboardPages, field, heading, row } from "../support/dashboardPages.ts"

const undelivered = "+8801555000103"

const onPage = dashboardPages(async (quickstart) => {
  await quickstart.call("/verify", { body: { phone_number: "+8801712000001" } })
  await quickstart.call("/verify", { body: { phone_number: undelivered } })
  await eventually(async () => {
    const { body } = await quickstart.call("/messages")
    assert.include(JSON.stringify(body), `"undelivered"`)
  })
})

const section = (page: Page, name: string) =>
  page.getByRole("region", { name, exact: true }).first()

test(
  "the overview compares a period, which the address has, and leads to the rows of a figure",
  onPage({}, async ({ open, page }) => {
    await open("?period=7d&by=network")
    await page.getByText("1 of 2", { exact: true }).first().waitFor()
    const chosen = page.getByRole("button", { name: "7 days" })
    assert.strictEqual(await chosen.getAttribute("aria-pressed"), "true")
    const failed = section(page, "Failed")
    await failed.getByRole("row").filter({ hasText: "Teletalk" }).getByText("100%").waitFor()
    await button(failed, "Country").click()
    await failed.getByRole("row").filter({ hasText: "Bangladesh" }).waitFor()
    assert.include(page.url(), "by=country")
    await button(page, "24 hours").click()
    await eventually(async () => assert.include(page.url(), "period=24h"))
    await page.goBack()
    await eventually(async () => assert.include(page.url(), "period=7d"))
    await page.getByRole("link", { name: "1 of 2" }).first().click()
    await heading(page, "Messages").waitFor()
    await row(page, undelivered).waitFor()
  }),
)

test(
  "a chart is read with arrow keys, or as a table, and codes are followed to their end",
  onPage({}, async ({ open, page }) => {
    await open("")
    const chart = page.getByRole("img", { name: /^Messages: \d/ })
    await chart.focus()
    await page.keyboard.press("ArrowLeft")
    await page
      .getByRole("status")
      .filter({ hasText: /Messages 2/ })
      .waitFor()
    const figure = page.locator("figure", { has: chart })
    await figure.getByText("Show as table").click()
    assert.strictEqual(await figure.getByRole("row").count(), 25)
    const funnel = page.getByRole("table", { name: "Codes: where they end" })
    await funnel
      .getByRole("row")
      .filter({ hasText: "Requested" })
      .getByText("2", { exact: true })
      .waitFor()
    await funnel
      .getByRole("row")
      .filter({ hasText: "Delivered" })
      .getByText("1", { exact: true })
      .waitFor()
  }),
)

test(
  "what is wrong stands first in the reader's language, and leads to the page that shows it",
  onPage({ locale: "bn-BD" }, async ({ open, page }) => {
    await open("balance")
    await button(page, "সতর্কতার সীমা দিন").click()
    await page.locator('input[name="balanceLowAt"]').fill("100000")
    await button(page, "সংরক্ষণ করুন").click()
    await page.getByText("সেটিংস সংরক্ষিত হয়েছে।").waitFor()
    await open("")
    const list = page.getByRole("list", { name: "যা দেখা দরকার" })
    await list.getByText(/-এর কম/).waitFor()
    await list.getByRole("link", { name: "ব্যালেন্স দেখুন" }).click()
    await heading(page, "ব্যালেন্স").waitFor()
    await page.getByRole("img", { name: /দিনশেষের ব্যালেন্স/ }).waitFor()
  }),
)

test(
  "the days of an organization follow its own zone",
  onPage({}, async ({ open, page }) => {
    await open("settings")
    const general = section(page, "General")
    await general.getByRole("combobox", { name: "Time zone" }).click()
    await page.getByRole("option", { name: "Asia/Dhaka" }).click()
    await button(general, "Save").click()
    await page.getByText("The settings were saved.").waitFor()
    await open("?period=30d")
    await page.getByText(/Hours and days of Asia\/Dhaka/).waitFor()
  }),
)

test(
  "a statement is that of a month or of other days, and is printed without the pages around it",
  onPage({}, async ({ open, page }) => {
    await open("balance?tab=statement")
    const statement = section(page, "Statement")
    await statement.getByRole("row").filter({ hasText: "Top-up" }).waitFor()
    await statement.getByRole("combobox", { name: "Period" }).click()
    await page.getByRole("option", { name: "Other days" }).click()
    await statement.getByLabel("From").fill("2020-01-01")
    await statement.getByLabel("To", { exact: true }).fill("2020-01-31")
    const topUps = statement.getByRole("row").filter({ hasText: "Top-up" })
    await topUps.getByText("0", { exact: true }).waitFor()
    await page.emulateMedia({ media: "print" })
    assert.isFalse(await page.getByRole("tab", { name: "Statement" }).isVisible())
    assert.isFalse(await field(statement, "From").isVisible())
    assert.isTrue(await topUps.isVisible())
    await statement.getByText(/acme, 1 January 2020|acme, .*2020/).waitFor()
  }),
)
