import { createServer } from "node:http"
import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { wrong } from "../../../../test/support/Example.ts"
import { at, type Quickstart } from "../../../../test/support/Quickstart.ts"
import { button, dashboardPages, field, heading, row } from "../support/dashboardPages.ts"

const refused = "+8801555000101"
const undelivered = "+8801555000103"

const onPage = dashboardPages(async (quickstart) => {
  await quickstart.call("/verify", { body: { phone_number: refused } })
  await quickstart.call("/verify", { body: { phone_number: undelivered } })
  await eventually(async () => {
    const { body } = await quickstart.call("/messages")
    assert.include(JSON.stringify(body), `"undelivered"`)
  })
})

const balanceWith = async ({ baseUrl }: Quickstart, key: string): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`${baseUrl}/balance`, { headers })).status
}

/** Creates a key, and gives its text; the dialog with it stays open. */
const createKey = async (page: Page, name: string): Promise<string> => {
  await button(page, "Create API key").click()
  const dialog = page.getByRole("dialog")
  await field(dialog, "Name").fill(name)
  await button(dialog, "Create API key").click()
  await page.getByRole("dialog", { name: "Copy your new key" }).waitFor()
  return field(page, "New API key").inputValue()
}

const permissions = ["clipboard-read", "clipboard-write"]

test(
  "a key is shown once, works until it is revoked, and the audit has both",
  onPage({ permissions }, async ({ open, page, quickstart }) => {
    await open("api-keys")
    const key = await createKey(page, "shop backend")
    assert.match(key, /^csk_live_/)

    // Leaving without a copy is asked about, and can be taken back.
    await button(page, "Done").click()
    await button(page.getByRole("alertdialog"), "Stay here").click()
    await button(page, "Copy").click()
    await page.getByText("Copied").waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), key)
    await button(page, "Done").click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    assert.strictEqual(await balanceWith(quickstart, key), 200)

    await page.reload()
    await row(page, "shop backend").getByText("Active").waitFor()
    assert.notInclude(await page.content(), key)

    await button(row(page, "shop backend"), "Revoke: shop backend").click()
    const question = page.getByRole("alertdialog", { name: "Revoke “shop backend”?" })
    await button(question, "Cancel").click()
    assert.strictEqual(await balanceWith(quickstart, key), 200)
    await button(row(page, "shop backend"), "Revoke: shop backend").click()
    await button(question, "Revoke").click()
    await page.getByText(/^Revoked and expired keys \(/).click()
    await row(page, "shop backend").getByText("Revoked", { exact: true }).waitFor()
    assert.strictEqual(await balanceWith(quickstart, key), 401)

    await page.getByRole("link", { name: "Audit" }).click()
    await heading(page, "Audit").waitFor()
    for (const action of ["created", "revoked"])
      await row(page, `dashboard ${action} the API key shop backend`).first().waitFor()
    assert.notInclude(await page.content(), key)
  }),
)

test(
  "a key that was not copied holds the tab back",
  onPage({}, async ({ open, page }) => {
    await open("api-keys")
    await createKey(page, "never copied")
    const asked = page.waitForEvent("dialog")
    const left = page.close({ runBeforeUnload: true })
    const question = await asked
    assert.strictEqual(question.type(), "beforeunload")
    await question.dismiss()
    await left
    assert.isTrue(await page.getByRole("dialog", { name: "Copy your new key" }).isVisible())
  }),
)

test(
  "a search by number leads to the story of a message, up to its refund",
  onPage({}, async ({ open, page }) => {
    await open("messages")
    await field(page, "Phone number").fill("01555-000103")
    await button(page, "Search").click()
    await row(page, refused).waitFor({ state: "detached" })
    await row(page, undelivered).getByText("Not delivered").waitFor()
    await page.getByRole("link", { name: undelivered }).click()
    await heading(page, `Message · ${undelivered}`).waitFor()
    await page.getByText("Refunded").first().waitFor()
    const text = (await page.getByRole("main").innerText()).replaceAll(/\s+/g, " ")
    const order = [
      "The recipient got no code.",
      "The price was given back.",
      "Message created",
      "Price held",
      "Passed to the gateway",
      "Accepted by",
      "Report of",
      "Outcome: Not delivered",
      "Refunded",
    ].map((words) => [words, text.indexOf(words)] as const)
    assert.deepStrictEqual(
      order.filter(([, place]) => place < 0),
      [],
    )
    assert.deepStrictEqual(
      order.toSorted(([, one], [, other]) => one - other),
      order,
    )
  }),
)

test(
  "the first page leads to why a number got no code",
  onPage({}, async ({ open, page }) => {
    await open("")
    await field(page, "Why did a number get no code?").fill("০১৫৫৫-000101")
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: refused }).click()
    await heading(page, `Verification · ${refused}`).waitFor()
    await page.getByText("The recipient got no code.").waitFor()
    await page.getByText("Reason: The carrier refused the message").waitFor()
    await page.getByText("The price was given back.").waitFor()
    await page.getByText("The code could not be sent.").waitFor()
  }),
)

test(
  "an allow list without the reader's own address is saved only after a question",
  onPage({}, async ({ open, page }) => {
    await open("settings?tab=access")
    const list = field(page, /^Allow list/)
    await list.fill("203.0.113.0/24")
    const save = () => button(page.getByRole("region", { name: "Allow list" }), "Save").click()
    await save()
    const question = page.getByRole("alertdialog", { name: "Shut your own address out?" })
    await question.getByText("does not admit 127.0.0.1").waitFor()
    await button(question, "Cancel").click()
    await page.reload()
    assert.strictEqual(await list.inputValue(), "")
    await list.fill("203.0.113.0/24\n127.0.0.0/8")
    await save()
    await page.getByText("The settings were saved.").waitFor()
    await list.fill("203.0.113.0/24")
    await save()
    await button(question, "Save this list").click()
    await question.waitFor({ state: "detached" })
    await page.reload()
    assert.strictEqual(await list.inputValue(), "203.0.113.0/24")
    await list.fill("")
    await save()
    await page.getByText("The settings were saved.").waitFor()
  }),
)

test(
  "a payment is booked once, with its reason, and the statement has it",
  onPage({}, async ({ open, page, quickstart }) => {
    const balance = async () =>
      Number(at((await quickstart.call("/balance")).body, "data", "balance"))
    const before = await balance()
    await open("balance")
    const book = async () => {
      await button(page, "Top up").click()
      const dialog = page.getByRole("dialog", { name: "Top up the balance" })
      await field(dialog, /^Amount/).fill("250.50")
      await field(dialog, "Payment id").fill("inv-2026-17")
      await button(dialog, "Top up").click()
      // Money needs a reason. The form can be corrected and sent again.
      await dialog.getByText("must not be empty").waitFor()
      await field(dialog, "Reason").fill("Bank transfer")
      await button(dialog, "Top up").click()
    }
    const repeat = page.getByText(
      /^Already booked on .*250\.50.*, by dashboard.*Nothing was added\.$/,
    )
    await book()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await row(page, "inv-2026-17").getByText("Bank transfer").waitFor()
    assert.strictEqual(await balance(), before + 250.5)
    await book()
    await repeat.waitFor()
    assert.strictEqual(await balance(), before + 250.5)
    await button(page.getByRole("dialog"), "Close").click()
    // A problem at one field may be solved in another one.
    await button(page, "Top up").click()
    const dialog = page.getByRole("dialog", { name: "Top up the balance" })
    await field(dialog, /^Amount/).fill("25.05")
    await field(dialog, "Reason").fill("Bank transfer")
    await field(dialog, "Payment id").fill("inv-2026-17")
    await button(dialog, "Top up").click()
    await dialog.getByText("was booked with other values: Top-up of 250.50").waitFor()
    await field(dialog, /^Amount/).fill("250.50")
    await button(dialog, "Top up").click()
    await repeat.waitFor()
    assert.strictEqual(await balance(), before + 250.5)
    await page.reload()
    await row(page, "inv-2026-17").waitFor()
    assert.strictEqual(await row(page, "inv-2026-17").count(), 1)

    await page.getByRole("tab", { name: "Statement" }).click()
    const downloading = page.waitForEvent("download")
    const statement = page.getByRole("region", { name: "Statement" }).first()
    await statement.getByRole("link", { name: "Download CSV" }).click()
    const download = await downloading
    assert.match(download.suggestedFilename(), /\.csv$/)
    let csv = ""
    for await (const chunk of await download.createReadStream()) csv += String(chunk)
    assert.include(csv, ",top-up,2,350.50,")
  }),
)

test(
  "a verification is walked through with the code from the inbox",
  onPage({}, async ({ open, page }) => {
    const number = "+8801712000042"
    await open("try-it")
    await page.getByLabel("Phone number").fill(number)
    await button(page, "Send code").click()
    await page.getByText(`A code was sent to ${number}.`).waitFor()
    // In development, the message is shown with its code.
    const code = await page.locator("blockquote .mono").textContent()
    assert.match(code ?? "", /^\d{6}$/)
    await field(page, "Code").fill(wrong(code ?? ""))
    await button(page, "Check code").click()
    await page.getByRole("alert").waitFor()
    await field(page, "Code").fill(code ?? "")
    await button(page, "Check code").click()
    await page.getByText(`${number} is verified.`).waitFor()
    await page.getByRole("link", { name: "Show the timeline" }).click()
    await heading(page, `Verification · ${number}`).waitFor()
    await page.getByText("1 wrong code").waitFor()
    await page.getByText("The number was verified.").waitFor()
    assert.notInclude(await page.getByRole("main").innerText(), code ?? "no code")
  }),
)

test(
  "a message is sent, and found in the log",
  onPage({}, async ({ open, page }) => {
    await open("try-it")
    await page.getByRole("tab", { name: "Message" }).click()
    const form = page.getByRole("tabpanel", { name: "Message" })
    await form.getByLabel("Phone number").fill("+8801712000043")
    await field(page, "Text").fill("আপনার অর্ডার তৈরি")
    await page.getByText("Costs ৳0.50. 1 segment.").waitFor()
    await button(page, "Send message").click()
    await page.getByText("The gateway has accepted the message.").waitFor()
    await page.getByRole("link", { name: "Show the timeline" }).click()
    await row(page, "+8801712000043").getByText("আপনার অর্ডার তৈরি").waitFor()
  }),
)

test(
  "a webhook is added, and its receiver takes a test event",
  onPage({}, async ({ open, page }) => {
    const received: Array<string> = []
    const receiver = createServer((request, response) => {
      received.push(String(request.headers["webhook-id"]))
      response.writeHead(204).end()
    })
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
    const address = receiver.address()
    assert.isObject(address)
    const url = `http://127.0.0.1:${Object(address).port}/events`
    try {
      await open("webhooks")
      await button(page, "Add webhook").click()
      const dialog = page.getByRole("dialog")
      await field(dialog, "URL").fill(url)
      await button(dialog, "Add webhook").click()
      const shown = page.getByRole("dialog", { name: "Copy the secret of the webhook" })
      assert.match(await field(shown, "Signing secret").inputValue(), /^whsec_/)
      await button(shown, "Done").click()
      const question = page.getByRole("alertdialog", { name: "Leave without copying?" })
      await question.getByText("rotate it to get another one").waitFor()
      await button(question, "Leave").click()
      await page.getByRole("link", { name: url }).click()
      await button(page, "Send test event").click()
      await page.getByText("The receiver has taken the test event.").waitFor()
      assert.isNotEmpty(received)
    } finally {
      receiver.closeAllConnections()
      receiver.close()
    }
  }),
)
