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
  "a number is erased only after its last digits were entered, and its export is a file with a name",
  onPage({}, async ({ open, page }) => {
    await open("settings?tab=privacy")
    const exported = page.getByRole("region", { name: "Export a number" })
    await field(exported, "Phone number").fill("01712-000077")
    const downloading = page.waitForEvent("download")
    await exported.getByRole("link").click()
    assert.strictEqual((await downloading).suggestedFilename(), "acme-export.jsonl")
    await page.getByRole("tab", { name: "Danger" }).click()
    const section = page.getByRole("region", { name: "Erase a number" })
    await field(section, "Phone number").fill("01712-000077")
    await field(section, "Reason").fill("The owner asked")
    await button(section, "Erase number").click()
    const question = page.getByRole("alertdialog")
    const erase = button(question, "Erase number")
    await erase.waitFor()
    assert.isTrue(await erase.isDisabled())
    await field(question, "Enter the last four digits of the number").fill("0078")
    assert.isTrue(await erase.isDisabled())
    await field(question, "Enter the last four digits of the number").fill("০০৭৭")
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
  "a message is one transaction, which leads to it, and transactions are saved as they are filtered",
  onPage({}, async ({ open, page }) => {
    await open("balance?kinds=message")
    const table = page.getByRole("region", { name: "Transactions" }).first()
    const refund = table.getByRole("row").filter({ hasText: "refunded" }).first()
    await refund.waitFor()
    assert.strictEqual(await table.getByRole("row").filter({ hasText: "Top-up" }).count(), 0)
    // All of it was given back.
    await refund.getByText(/0\.00/).first().waitFor()
    const file = await saved(page, table.getByRole("link", { name: "Download CSV" }))
    assert.strictEqual(file.name, "acme-movements.csv")
    assert.include(file.text, ",refunded,")
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
    await row(page, undelivered).getByText("Not delivered").waitFor()
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
      const attempts = page.locator("ul.attempts")
      await eventually(async () => {
        await page.reload()
        await attempts.getByText("500").first().waitFor({ timeout: 1_000 })
      })
      await attempts
        .getByText(/^\d+ milliseconds?$/)
        .first()
        .waitFor()
      await attempts.getByText("500").first().click()
      await attempts.getByText(answer, { exact: true }).first().waitFor()
    } finally {
      receiver.closeAllConnections()
      receiver.close()
    }
  }),
)
