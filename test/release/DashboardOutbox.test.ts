/** What waits in the outbox, and what holds promotional messages back, in the dashboard of a tenant. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, test } from "vitest"
import { dashboardTenants } from "../support/dashboardTenants.ts"

const { asTenant, refusedRequest } = dashboardTenants()

test(
  "a queued message is rescheduled, and another one is cancelled",
  asTenant("a", async ({ enter, page }) => {
    await enter("org/alpha/messages")
    await page.getByRole("link", { name: "Queued messages" }).click()
    const rowOf = (text: string) => page.getByRole("row").filter({ hasText: text })
    const first = rowOf("Sale tomorrow")
    await first.getByRole("button", { name: /^Reschedule/ }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("New time").fill("2040-01-01T10:00")
    await dialog.getByRole("button", { name: "Reschedule" }).click()
    await dialog.getByText("must be at most 35 days ahead").waitFor()
    await dialog.getByLabel("New time").fill("2001-02-03T10:00")
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    await first.getByText("At once").waitFor()
    const second = rowOf("Sale next week")
    await second.getByRole("button", { name: /^Cancel message/ }).click()
    const question = page.getByRole("alertdialog")
    await question.getByRole("button", { name: "Close" }).click()
    await question.waitFor({ state: "detached" })
    await second.getByText("Queued", { exact: true }).waitFor()
    await second.getByRole("button", { name: /^Cancel message/ }).click()
    await question.getByRole("button", { name: "Cancel message" }).click()
    await second.getByText("Cancelled", { exact: true }).waitFor()
    assert.strictEqual(await second.getByRole("button").count(), 0)
  }),
)

test(
  "a code that was refused after it was queued is found by its number",
  asTenant("poor", async ({ enter, page }) => {
    await enter("org/poor/verifications?phoneNumber=%2B8801712000003")
    await page.getByRole("row").filter({ hasText: "Refused" }).getByRole("link").click()
    await page.getByText("The request was refused after it was queued.").waitFor()
  }),
)

test(
  "the page of a code that was refused after it was queued says why",
  asTenant("poor", async ({ enter, page }) => {
    await enter("org/poor")
    await page.getByLabel("Why did a number get no code?").fill(refusedRequest())
    await page.keyboard.press("Enter")
    await page.getByText("The request was refused after it was queued.").waitFor()
    const steps = page.getByRole("region", { name: "Timeline" }).getByRole("listitem")
    await steps.getByText("It was refused after it was queued: Balance too low").waitFor()
    assert.match((await steps.allInnerTexts()).join("; "), /Queued.*; .*Failed/s)
  }),
)

/** Twelve recipients, one of them twice; a row without all cells; and a value that is not a phone number. */
const recipients = [
  "phone_number,name",
  ...Array.from(
    { length: 12 },
    (_, index) => `0171200${String(index).padStart(4, "0")},Amir ${index}`,
  ),
  "+8801712000000,Amir again",
  "01712000099",
  "12,Short",
].join("\n")

test(
  "a file of recipients becomes a batch only after its estimate, and the batch is paused and cancelled",
  asTenant("a", async ({ enter, page }) => {
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    await enter("org/alpha/batches")
    await page.getByText("There is no batch yet.").waitFor()
    await page.getByRole("link", { name: "New batch" }).click()
    await button("Show the estimate").click()
    await page.getByText("choose a file").waitFor()
    const file = page.getByLabel("File of recipients (CSV)")
    const upload = (text: string) =>
      file.setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(text) })
    await upload("name\nAmir")
    await button("Show the estimate").click()
    await page.getByText("the first line must have a column phone_number or to").waitFor()
    const many = Array.from(
      { length: 300_000 },
      (_, index) => `0171${String(index).padStart(7, "0")}`,
    )
    await upload(`to\n${many.join("\n")}`)
    await page.getByRole("textbox", { name: "Text" }).fill("Sale")
    await button("Show the estimate").click()
    await page.getByRole("alert").getByText("The body is too large.").waitFor()
    await upload(recipients)
    await page.getByRole("textbox", { name: "Text" }).fill("Sale for {name}")
    await page.getByLabel("Not before").fill("2040-01-01T10:00")
    await button("Show the estimate").click()
    await page.getByText("must be at most 35 days ahead").waitFor()
    // The batch waits, however long the rest of the test takes.
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
    await page.getByLabel("Not before").fill(tomorrow)
    await page.getByLabel("Messages a second").fill("one")
    await button("Show the estimate").click()
    await page.getByText("must be a whole number").waitFor()
    await page.getByLabel("Messages a second").fill("১")
    await button("Show the estimate").click()
    const preview = page.getByRole("region", { name: "The first rows" }).getByRole("table")
    await preview.getByText("Sale for Amir 9").waitFor()
    // With the line of titles.
    assert.strictEqual(await preview.getByRole("row").count(), 11)
    const estimate = page.getByRole("region", { name: "Estimate" })
    assert.match(
      (await estimate.innerText()).replaceAll(/\s+/g, " "),
      /Price ৳6\.00 Available balance .* Messages 12 Segments 12 Duplicates, sent once 1 Rows that get no message 2/,
    )
    const refused = page
      .getByRole("region", { name: "Rows that get no message" })
      .getByRole("table")
    await refused.getByRole("row").filter({ hasText: "cells: 1 instead of 2" }).waitFor()
    await refused.getByRole("row").filter({ hasText: "16" }).waitFor()

    // What is edited after it needs another estimate.
    await page.getByRole("textbox", { name: "Text" }).fill("Sale for you, {name}")
    assert.strictEqual(await button("Start the batch").count(), 0)
    await button("Show the estimate").click()
    await button("Start the batch").click()
    const question = page.getByRole("alertdialog", { name: "Send 12 messages for ৳6.00?" })
    await question.getByText("The batch begins to send at").waitFor()
    await question.getByRole("button", { name: "Start the batch" }).click()
    await page.getByRole("heading", { level: 1, name: "Batch", exact: true }).waitFor()
    await page.getByRole("progressbar").waitFor()
    await button("Pause").click()
    await page.getByText("Paused", { exact: true }).waitFor()
    await button("Resume").click()
    await page.getByText("Sending", { exact: true }).waitFor()
    await button("Cancel batch").click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel batch" }).click()
    await page.getByRole("main").getByText("Cancelled", { exact: true }).first().waitFor()
    assert.strictEqual(await button("Pause").count(), 0)
    await page.getByRole("link", { name: "← Batches" }).click()
    await page.getByRole("row").filter({ hasText: "Sale for you, {name}" }).waitFor()
  }),
)

test(
  "an estimate is of what the form has: neither of what it had before, nor of a file that is gone",
  asTenant("a", async ({ enter, page }) => {
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    const folder = mkdtempSync(join(tmpdir(), "recipients-"))
    const path = join(folder, "recipients.csv")
    writeFileSync(path, "to,1\n01712000001,one\n")
    await enter("org/alpha/batches/new")
    await page.getByLabel("File of recipients (CSV)").setInputFiles(path)
    const text = page.getByRole("textbox", { name: "Text" })
    await text.fill("Before")
    await page.evaluate(() => {
      const { text: read } = Blob.prototype
      const held = new Promise((resolve) => addEventListener("read", resolve, { once: true }))
      Blob.prototype.text = async function () {
        await held
        return read.call(this)
      }
    })
    await button("Show the estimate").click()
    await text.fill("After {1}")
    const answered = page.waitForResponse(/batch-estimate$/)
    await page.evaluate(() => dispatchEvent(new Event("read")))
    await answered
    await button("Show the estimate").click()
    const rows = page.getByRole("region", { name: "The first rows" }).getByRole("table")
    // It is no placeholder for the service.
    await rows.getByText("After {1}", { exact: true }).waitFor()
    // The same batch has the same key, so a start that got no answer is not made twice.
    const keys: Array<unknown> = []
    for (const more of ["", "", "!"]) {
      if (more !== "") await text.fill(`After${more}`)
      const request = page.waitForRequest(/batch-estimate$/)
      await button("Show the estimate").click()
      keys.push((await request).postDataJSON().idempotencyKey)
      await button("Start the batch").waitFor()
    }
    assert.strictEqual(keys[0], keys[1])
    assert.notStrictEqual(keys[1], keys[2])
    rmSync(folder, { recursive: true })
    await button("Show the estimate").click()
    await page.getByText("cannot be read any more: choose the file again").waitFor()
    assert.strictEqual(await button("Start the batch").count(), 0)
  }),
)

test(
  "a batch whose process has died while it was written can be cancelled, also after an error",
  asTenant("b", async ({ enter, page }) => {
    await enter("org/beta/batches")
    await page.getByRole("row").filter({ hasText: "Half a batch" }).getByRole("link").click()
    await page.getByText("Being written", { exact: true }).waitFor()
    const question = page.getByRole("alertdialog")
    const ask = () => page.getByRole("button", { name: "Cancel batch", exact: true }).click()
    await ask()
    await question.waitFor()
    await page.context().setOffline(true)
    await question.getByRole("button", { name: "Cancel batch" }).click()
    await question.getByRole("alert").waitFor()
    await question.getByRole("button", { name: "Close" }).click()
    await question.waitFor({ state: "detached" })
    await page.context().setOffline(false)
    await ask()
    await question.waitFor()
    assert.strictEqual(await question.getByRole("alert").count(), 0)
    await question.getByRole("button", { name: "Cancel batch" }).click()
    await page.getByRole("main").getByText("Cancelled", { exact: true }).first().waitFor()
  }),
)

test(
  "quiet hours are set, and a number is put on the list of opt-outs and removed",
  asTenant("a", async ({ enter, page }) => {
    await enter("org/alpha/settings")
    const hours = page.getByRole("region", { name: "Quiet hours" })
    const save = () => hours.getByRole("button", { name: "Save" }).click()
    await hours.getByLabel("Promotional messages: from").fill("22:00")
    await save()
    await hours.getByText("must be a time such as 22:00").waitFor()
    await hours.getByLabel("Promotional messages: until").fill("12:00")
    await save()
    await hours.getByText("must be up to 13 hours after the start").waitFor()
    await hours.getByLabel("Promotional messages: until").fill("08:00")
    await save()
    await page.getByText("The settings were saved.").waitFor()
    await page.reload()
    assert.strictEqual(await hours.getByLabel("Promotional messages: until").inputValue(), "08:00")
    await page.getByRole("tab", { name: "Privacy" }).click()
    const list = page.getByRole("region", { name: "Opt-outs" })
    await list.getByLabel("Phone number").fill("01712-000009")
    await page.keyboard.press("Enter")
    await list.getByText("+8801712000009 gets promotional messages.").waitFor()
    await list.getByRole("button", { name: "Add to the list" }).click()
    await list.getByText("+8801712000009 gets no promotional messages, since").waitFor()
    await list.getByRole("button", { name: "Remove from the list" }).click()
    await list.getByText("+8801712000009 gets promotional messages.").waitFor()
  }),
)
