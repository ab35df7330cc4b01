import { createServer } from "node:http"
import type { Locator, Page } from "playwright-core"
import { assert, test } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { button, dashboardPages, field, heading, row } from "../support/dashboardPages.ts"

const refused = "+8801555000101"
const undelivered = "+8801555000103"
const notOnWhatsApp = "+8801555000102"

const onPage = dashboardPages(async (quickstart) => {
  await quickstart.call("/verify", { body: { phone_number: refused } })
  await quickstart.call("/verify", { body: { phone_number: undelivered } })
  const { status } = await quickstart.call("/verify", {
    body: { phone_number: notOnWhatsApp, channel: "whatsapp" },
  })
  assert.strictEqual(status, 400)
  await eventually(async () => {
    const { body } = await quickstart.call("/messages")
    assert.include(JSON.stringify(body), `"undelivered"`)
  })
})

test(
  "a search says why a number got no code, although nothing was sent to it",
  onPage({}, async ({ open, page }) => {
    await eventually(async () => {
      await open("refusals")
      await row(page, "Not on WhatsApp").waitFor({ timeout: 1_000 })
    })
    await open("")
    await page.getByRole("link", { name: "Not on WhatsApp" }).waitFor()
    const search = field(page, "Why did a number get no code?")
    await search.fill(notOnWhatsApp)
    await search.press("Enter")
    const found = page.getByRole("region", { name: "Refused calls to this number" }).first()
    await found.getByText("Not on WhatsApp").waitFor()
    // The number itself is not stored.
    assert.notInclude(await found.innerText(), notOnWhatsApp.slice(1))
  }),
)

test(
  "a number is erased only after it was entered again, and its export is a file with a name",
  onPage({}, async ({ open, page }) => {
    await open("settings")
    const section = page.getByRole("region", { name: "Erase or export a number" })
    await field(section, "Phone number").fill("01712-000077")
    await field(section, "Reason").fill("The owner asked")
    const downloading = page.waitForEvent("download")
    await section.getByRole("link").click()
    assert.strictEqual((await downloading).suggestedFilename(), "acme-export.jsonl")
    await button(section, "Erase number").click()
    const question = page.getByRole("alertdialog")
    const erase = button(question, "Erase number")
    await erase.waitFor()
    assert.isTrue(await erase.isDisabled())
    await field(question, "Enter the number again").fill("01712000078")
    assert.isTrue(await erase.isDisabled())
    await field(question, "Enter the number again").fill("+880 1712 000077")
    await erase.click()
    await question.waitFor({ state: "detached" })
    await section.getByRole("status").waitFor()
  }),
)

test(
  "a page that does not exist says which, and leads back",
  onPage({}, async ({ open, page }) => {
    await open("no-such-page")
    await heading(page, "Page not found").waitFor()
    await page.getByText("/org/acme/no-such-page").waitFor()
    await page.getByRole("link", { name: "Back to the overview" }).click()
    await heading(page, "Overview").waitFor()
    await open("messages/unknown")
    await page.getByRole("link", { name: "Back to the overview" }).click()
    await heading(page, "Overview").waitFor()
  }),
)

test(
  "a phone shows every column of a table, which is moved within its frame",
  onPage({ viewport: { width: 360, height: 740 } }, async ({ open, page }) => {
    await open("verifications")
    await page.getByRole("columnheader", { name: "Request" }).first().waitFor()
    const titles = await page.getByRole("columnheader").allTextContents()
    assert.includeMembers(titles, ["Phone number", "Channel", "Purpose", "Request"])
    for (const title of titles)
      assert.isTrue(await page.getByRole("columnheader", { name: title }).first().isVisible())
    const frame = page.getByRole("region", { name: "Verifications" })
    assert.isAbove(await frame.evaluate((one) => one.scrollWidth - one.clientWidth), 100)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.isAtMost(overflow, 0)
  }),
)

test(
  "a limit is written and read in Bangla",
  onPage({ locale: "bn-BD" }, async ({ open, page }) => {
    await open("settings")
    const limit = page.locator('input[name="sendsPerNumber"]')
    await limit.fill("১ মিনিটে ১০; ১ দিনে ৫০")
    await button(page.getByRole("region", { name: "সীমা" }), "সংরক্ষণ").click()
    await page.getByText("সেটিংস সংরক্ষিত হয়েছে।").waitFor()
    await page.reload()
    assert.strictEqual(await limit.inputValue(), "১ মিনিটে ১০; ১ দিনে ৫০")
    await limit.fill("")
    await button(page.getByRole("region", { name: "সীমা" }), "সংরক্ষণ").click()
    await page.getByText("সেটিংস সংরক্ষিত হয়েছে।").waitFor()
  }),
)

/** The text of the file that a click on a link saves. */
const saved = async (page: Page, link: Locator) => {
  const downloading = page.waitForEvent("download")
  await link.click()
  const download = await downloading
  let text = ""
  for await (const chunk of await download.createReadStream()) text += String(chunk)
  return { name: download.suggestedFilename(), text }
}

test(
  "the ledger has signs and filters, leads to messages, and is saved as it is filtered",
  onPage({}, async ({ open, page }) => {
    await open("balance")
    const ledger = page.locator("section", { has: page.getByRole("heading", { name: "Ledger" }) })
    await ledger.getByRole("combobox", { name: "Kind" }).click()
    await page.getByRole("option", { name: "Refund" }).click()
    await button(ledger, "Search").click()
    await ledger.getByRole("row").filter({ hasText: "Top-up" }).waitFor({ state: "detached" })
    const refund = ledger.getByRole("row").filter({ hasText: "+0.50 BDT" }).first()
    await refund.getByText("−0.50 BDT").waitFor()
    const file = await saved(page, ledger.getByRole("link", { name: "Download CSV" }))
    assert.strictEqual(file.name, "acme-ledger.csv")
    assert.include(file.text, ",release,")
    assert.notInclude(file.text, ",top-up,")
    await refund.getByRole("link").click()
    await heading(page, /^Message · \+880/).waitFor()
    await page.getByText("The price was given back.").waitFor()
  }),
)

test(
  "messages are saved as they are filtered, and verifications show their delivery",
  onPage({}, async ({ open, page }) => {
    await open(`messages?phoneNumber=${encodeURIComponent(undelivered)}`)
    await row(page, undelivered).first().waitFor()
    const file = await saved(page, page.getByRole("link", { name: "Download CSV" }))
    assert.strictEqual(file.name, "acme-messages.csv")
    const [header = "", ...lines] = file.text.trimEnd().split("\r\n")
    assert.match(header, /^sequence,createdAt,id,phoneNumber,/)
    assert.isNotEmpty(lines)
    for (const line of lines) assert.include(line, `"'${undelivered}"`)
    await open("verifications")
    await row(page, undelivered).getByText("Undelivered").waitFor()
    await page.getByRole("columnheader", { name: "Delivery" }).waitFor()
  }),
)

test(
  "a webhook shows its attempts, each with the status code, the duration and the answer",
  onPage({}, async ({ open, page }) => {
    const answer = `The receiver is broken. ${"More of its words. ".repeat(5)}`.trim()
    const receiver = createServer((_, response) => {
      response.writeHead(500).end(answer)
    })
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
    const url = `http://127.0.0.1:${Object(receiver.address()).port}/events`
    try {
      await open("webhooks")
      await button(page, "Add webhook").click()
      const dialog = page.getByRole("dialog")
      await field(dialog, "URL").fill(url)
      await button(dialog, "Add webhook").click()
      const shown = page.getByRole("dialog", { name: "Copy the secret of the webhook" })
      await button(shown, "Done").click()
      await button(page.getByRole("alertdialog"), "Leave").click()
      await page.getByRole("link", { name: url }).click()
      // Its own creation is the first event.
      const attempts = page.getByRole("region", { name: "Newest attempts" }).first()
      await eventually(async () => {
        await page.reload()
        await attempts.getByText("500").first().waitFor({ timeout: 1_000 })
      })
      await attempts
        .getByText(/^\d+ milliseconds?$/)
        .first()
        .waitFor()
      await attempts.getByText("The receiver is broken.").first().click()
      await attempts.getByText(answer, { exact: true }).first().waitFor()
      await page.getByText("Attempted up to").waitFor()
    } finally {
      receiver.closeAllConnections()
      receiver.close()
    }
  }),
)
