/** Search, filters and lists of the dashboard, in a browser. */
import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { button, dashboardPages, field, heading, row } from "../support/dashboardPages.ts"

const refused = "+8801555000101"
const undelivered = "+8801555000103"

const onPage = dashboardPages(async (quickstart) => {
  for (const phone_number of [refused, undelivered, "+8801713000040"])
    await quickstart.call("/verify", { body: { phone_number } })
  await eventually(async () => {
    const { body } = await quickstart.call("/messages")
    assert.include(JSON.stringify(body), `"undelivered"`)
  })
})

const searchFor = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press("Control+K")
  const box = page.locator(":focus")
  await box.fill(text)
  await box.press("Enter")
}

test(
  "a search from any page finds a number, and opens a single hit at once",
  onPage({}, async ({ open, page, quickstart }) => {
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await open("settings")
    await searchFor(page, "০১৫৫৫-000103")
    await heading(page, "Search results").waitFor()
    await page.getByText(`For “${undelivered}”.`).waitFor()
    const messages = page.locator("section", {
      has: page.getByRole("heading", { name: "Messages", exact: true }),
    })
    const link = messages.getByRole("link", { name: undelivered })
    const id = decodeURIComponent((await link.getAttribute("href"))?.split("/").at(-1) ?? "")
    await link.click()
    await heading(page, `Message · ${undelivered}`).waitFor()

    await open("balance")
    await searchFor(page, id)
    await heading(page, `Message · ${undelivered}`).waitFor()
    // The key itself stays in the browser.
    const key = quickstart.keys["acme"] ?? assert.fail("no key")
    await searchFor(page, key)
    await heading(page, "API keys").waitFor()
    const [secret = assert.fail("no secret")] = key.split("_").slice(3)
    assert.deepStrictEqual(
      asked.filter((url) => url.includes(secret)),
      [],
    )
    await searchFor(page, "nothing-has-this-id")
    await page.getByText("Nothing has this number or id.").waitFor()
    await page.goto(`${quickstart.dashboardUrl}/organizations`)
    await heading(page, "Organizations").waitFor()
    await searchFor(page, "ACM")
    await heading(page, "Overview").waitFor()
    assert.match(page.url(), /\/org\/acme$/)
  }),
)

test(
  "a phone has the search behind a button, and rows of two lines",
  onPage({ viewport: { width: 360, height: 740 } }, async ({ open, page }) => {
    await open("verifications")
    const found = row(page, undelivered)
    await found.waitFor()
    const box = await found.boundingBox()
    assert.isAtLeast(box?.height ?? 0, 60)
    assert.isAtMost(box?.height ?? 0, 80)
    await found.getByText("Not delivered").waitFor()
    assert.isFalse(await found.getByText(/^vrf_/).isVisible())
    // Its roles are those of a table.
    await page.getByRole("table", { name: "Verifications" }).waitFor()
    assert.isAtLeast(await found.getByRole("cell").count(), 3)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.isAtMost(overflow, 0)
    await found.click({ position: { x: 300, y: 45 } })
    await heading(page, `Verification · ${undelivered}`).waitFor()
    await page.getByRole("button", { name: "Search by number or id" }).click()
    const search = page.getByRole("searchbox", { name: "Search by number or id" })
    await search.fill(refused)
    await search.press("Enter")
    await heading(page, "Search results").waitFor()
    assert.isFalse(await search.isVisible())
  }),
)

test(
  "filters are chips with several values, which apply at once and have a name in the browser",
  onPage({}, async ({ open, page }) => {
    await open("verifications")
    await row(page, refused).waitFor()
    await button(page, "Filter").click()
    await page.getByRole("dialog").getByRole("button", { name: "Status" }).click()
    await page.getByRole("checkbox", { name: "Failed" }).click()
    await row(page, undelivered).waitFor({ state: "detached" })
    await row(page, refused).waitFor()
    await page.getByRole("checkbox", { name: "Waiting for code" }).click()
    await row(page, undelivered).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: /^Status: Failed, Waiting for code/ }).waitFor()
    assert.match(page.url(), /statuses=failed&statuses=pending/)

    await button(page, "Saved views").click()
    await field(page, "Name of the view").fill("Without an end")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await button(page, "Remove filter: Status").click()
    await page.getByRole("button", { name: /^Status:/ }).waitFor({ state: "detached" })
    assert.notInclude(page.url(), "statuses")
    await page.reload()
    await button(page, "Saved views").click()
    await button(page, "Without an end").click()
    await page.getByRole("button", { name: /^Status: Failed, Waiting for code/ }).waitFor()
    await button(page, "Saved views").click()
    await button(page, "Remove view: Without an end").click()
    await button(page, "Without an end").waitFor({ state: "detached" })
    await page.keyboard.press("Escape")
    // The browser's button takes the last filter back.
    await button(page, "Clear filters").click()
    await page.getByRole("button", { name: /^Status:/ }).waitFor({ state: "detached" })
    await page.goBack()
    await page.getByRole("button", { name: /^Status:/ }).waitFor()

    const downloading = page.waitForEvent("download")
    await page.getByRole("link", { name: "Download CSV" }).click()
    const download = await downloading
    assert.strictEqual(download.suggestedFilename(), "acme-verifications.csv")
    let text = ""
    for await (const chunk of await download.createReadStream()) text += String(chunk)
    const [header = "", ...lines] = text.trimEnd().split("\r\n")
    assert.match(header, /^createdAt,requestId,phoneNumber,/)
    assert.lengthOf(lines, 3)
    for (const line of lines) assert.match(line, /,(failed|pending),/)
  }),
)

test(
  "the arrow keys move through the rows, Enter opens one, and Escape goes back to the filters",
  onPage({}, async ({ open, page }) => {
    await open("messages")
    await row(page, refused).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const numbers = await page.getByRole("table").getByRole("link").allTextContents()
    await page.getByRole("region", { name: "Messages" }).focus()
    for (const number of numbers.slice(0, 2)) {
      await page.keyboard.press("ArrowDown")
      assert.strictEqual(await focused(), number)
    }
    await page.keyboard.press("ArrowUp")
    assert.strictEqual(await focused(), numbers[0])
    await page.keyboard.press("Escape")
    await field(page, "Phone number").and(page.locator(":focus")).waitFor()
    await page.getByRole("region", { name: "Messages" }).focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await heading(page, `Message · ${numbers[0]}`).waitFor()
  }),
)

test(
  "a list says how many rows have come, and shows them when asked",
  onPage({}, async ({ open, page, quickstart }) => {
    const streaming = page.waitForResponse(/events\/stream$/)
    await open("verifications")
    await row(page, refused).waitFor()
    await streaming
    const number = "+8801713000041"
    await quickstart.call("/verify", { body: { phone_number: number } })
    await page.getByText("1 new.").waitFor()
    assert.strictEqual(await row(page, number).count(), 0)
    await button(page, "Show").click()
    await row(page, number).waitFor()
    await page.getByText("1 new.").waitFor({ state: "detached" })
  }),
)

test(
  "data that could not be read again stays, with its time",
  onPage({}, async ({ open, page }) => {
    await open(`verifications?phoneNumber=${encodeURIComponent(refused)}`)
    await row(page, refused).first().waitFor()
    await page.context().setOffline(true)
    await button(page, "Search").click()
    const stale = page.locator(".stale")
    await stale.getByText(/^Data of \d\d:\d\d\. The server does not answer\./).waitFor()
    await row(page, refused).first().waitFor()
    await page.context().setOffline(false)
    await button(stale, "Try again").click()
    await stale.waitFor({ state: "detached" })
  }),
)

test(
  "the switcher finds organizations on the server, and times follow the chosen zone",
  onPage({ timezoneId: "Asia/Dhaka" }, async ({ open, page }) => {
    await open("messages")
    await page.getByText("Times in GMT+6").waitFor()
    await page.getByRole("button", { name: "Organization: acme" }).click()
    const search = page.getByRole("combobox", { name: "Search organizations" })
    await page.getByRole("option", { name: "acme" }).waitFor()
    await search.fill("no-such")
    await page.getByText("No organization has this name.").waitFor()
    await search.fill("CM")
    await page.getByRole("option", { name: "acme" }).click()
    await heading(page, "Messages").waitFor()
    await page.getByRole("button", { name: "Account and appearance" }).click()
    await page.getByRole("menuitemradio", { name: "UTC" }).click()
    await page.keyboard.press("Escape")
    await page.getByText("Times in UTC").waitFor()
    await page.reload()
    await page.getByText("Times in UTC").waitFor()
  }),
)
