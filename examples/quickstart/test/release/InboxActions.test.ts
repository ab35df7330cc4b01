import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { at } from "../../../../test/support/Quickstart.ts"
import { desktop, inboxPages, screen } from "../support/inboxPages.ts"

const { message, missing, onPage, quickstart } = inboxPages()

/** An open message, and its place on the page. */
const openMessage = async (page: Page, text: string) => {
  await message("8801555000107", text)
  const item = screen(page, "+8801555000107").locator("li").filter({ hasText: text })
  await item.waitFor()
  return item
}

test.for([
  ["Deliver", "Delivered", "delivered"],
  ["Fail", "Not delivered", "undelivered"],
] as const)(
  "the button %s settles an open message, by the keyboard",
  async ([name, words, status], { skip }) => {
    if (missing() !== undefined) return skip(missing())
    await onPage(desktop, async (page) => {
      const item = await openMessage(page, `To ${name}`)
      assert.include(await item.locator(".outcome").textContent(), "still open")
      await item.getByRole("button", { name, exact: true }).focus()
      await page.keyboard.press("Enter")
      await item.getByText(words, { exact: true }).waitFor()
      assert.include(await item.locator(".outcome").textContent(), "final")
      assert.strictEqual(await item.getByRole("button").count(), 0)
      // The keyboard is still where it was.
      assert.strictEqual(
        await page.evaluate(() => document.activeElement?.closest("section")?.dataset["to"]),
        "+8801555000107",
      )
      await eventually(async () => {
        const { body } = await quickstart().call("/messages?limit=1")
        assert.strictEqual(at(body, "data", 0, "status"), status)
      })
    })
  },
)

test("a report can be delayed or suppressed", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    const never = await openMessage(page, "To be kept back")
    const later = await openMessage(page, "To be put off")
    await never.getByRole("button", { name: "Deliver in 5 s" }).click()
    await never.getByText("The report comes in 5 seconds").waitFor()
    await never.getByRole("button", { name: "Never report" }).click()
    await never.getByText("No report will come").waitFor()
    await later.getByRole("button", { name: "Deliver in 5 s" }).click()
    assert.strictEqual(await later.getAttribute("data-outcome"), "accepted")
    await later.getByText("Delivered", { exact: true }).waitFor()
    assert.strictEqual(await never.getAttribute("data-outcome"), "accepted")
  })
})

test("a message that has become final meanwhile shows that it is final", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(
    desktop,
    async (page) => {
      const item = await openMessage(page, "Settled elsewhere")
      await page.route("**/report?status=delivered", async (route) => {
        const url = route.request().url().replace("=delivered", "=undelivered")
        assert.strictEqual((await fetch(url, { method: "POST" })).status, 200)
        await route.continue()
      })
      await item.getByRole("button", { name: "Deliver", exact: true }).click()
      await page.locator("#announcement").getByText("The message is final").waitFor()
      await item.getByText("Not delivered", { exact: true }).waitFor()
    },
    [/409/],
  )
})

test("the switch keeps messages to any number open until a button is pressed", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const to = "+8801713000020"
  await onPage(desktop, async (page) => {
    const choice = (name: string) => page.getByRole("radio", { name, exact: true })
    assert.isTrue(await choice("at once").isChecked())
    await message(to, "Arrives by itself")
    await screen(page, to).getByText("Delivered", { exact: true }).waitFor()
    assert.strictEqual(await screen(page, to).getByRole("button").count(), 0)

    await choice("when I press a button").check()
    await page.locator("#announcement").getByText("New messages arrive like this").waitFor()
    await message(to, "Waits for me")
    const waiting = screen(page, to).locator("li").filter({ hasText: "Waits for me" })
    await waiting.getByRole("button", { name: "Fail" }).click()
    await waiting.getByText("Not delivered", { exact: true }).waitFor()

    // The server remembers it, for this page and for every other.
    await page.reload()
    await page.locator('#delivery[data-when="by-hand"]').waitFor()
    assert.isTrue(await choice("when I press a button").isChecked())
    const other = await page.context().newPage()
    await other.goto(quickstart().inboxUrl)
    await other.getByRole("radio", { name: "at once" }).check()
    await page.locator('#delivery[data-when="at-once"]').waitFor()
    assert.isTrue(await choice("at once").isChecked())
  })
})

test("the switch delivers messages after the number of seconds entered", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const to = "+8801713000021"
  await onPage(desktop, async (page) => {
    const seconds = page.getByRole("spinbutton", { name: "Seconds until messages arrive" })
    // The page sends no value that the server would reject.
    await seconds.fill("0")
    await seconds.press("Tab")
    await seconds.fill("1")
    await seconds.press("Tab")
    await page.locator('#delivery[data-when="1"]').waitFor()
    assert.isTrue(await page.getByRole("radio", { name: /^after/ }).isChecked())
    await message(to, "Soon")
    const item = screen(page, to).locator("li")
    await item.getByText("still open").waitFor()
    await item.getByText("Delivered", { exact: true }).waitFor()
    await page.getByRole("radio", { name: "at once" }).check()
    await page.locator('#delivery[data-when="at-once"]').waitFor()
  })
})

test("the switch shows the current mode if the server does not answer", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    await page.route("**/delivery?when=by-hand", (route) => route.abort())
    await page.getByRole("radio", { name: "when I press a button" }).click()
    await page.locator("#announcement").getByText("The server does not answer").waitFor()
    assert.isTrue(await page.getByRole("radio", { name: "at once" }).isChecked())
  })
})

test("all messages can be cleared", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await message("8801713000013", "Soon gone")
  await onPage(desktop, async (page) => {
    await screen(page, "+8801713000013").waitFor()
    await page.getByRole("button", { name: "Clear all" }).click()
    await page.getByText("No messages yet").waitFor()
    assert.strictEqual(await page.locator(".phone").count(), 0)
    await message("8801713000013", "The first again")
    await screen(page, "+8801713000013").getByText("The first again").waitFor()
  })
})

test("every control can be reached by the keyboard and has a name", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    await page.getByRole("button", { name: "Clear all" }).click()
    await page.getByText("No messages yet").waitFor()
    await quickstart().call("/verify", { body: { phone_number: "+8801555000107" } })
    const code = await screen(page, "+8801555000107").locator(".digits").textContent()
    await page.getByRole("radio", { name: "at once" }).focus()
    const names: Array<string | null> = []
    for (let index = 0; index < 9; index++) {
      await page.keyboard.press("Tab")
      names.push(
        await page.evaluate(
          () =>
            document.activeElement?.getAttribute("aria-label") ??
            document.activeElement?.getAttribute("placeholder") ??
            document.activeElement?.textContent ??
            null,
        ),
      )
    }
    assert.deepStrictEqual(names, [
      "Seconds until messages arrive",
      "Find a number or a text",
      "Clear all",
      "Messages to +880 1555 000107",
      `Copy code ${code}`,
      "Deliver",
      "Fail",
      "Deliver in 5 s",
      "Never report",
    ])
  })
})
