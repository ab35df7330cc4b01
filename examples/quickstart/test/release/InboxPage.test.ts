import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { startQuickstart } from "../../../../test/support/Quickstart.ts"
import { desktop, inboxPages, phone, screen } from "../support/inboxPages.ts"

const { browser, make, message, missing, onPage, quickstart } = inboxPages()

/** Pixels by which the page is wider than its window. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

test("a message appears on its phone without a reload, and its outcome changes there", async ({
  skip,
}) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    await page.evaluate(() => document.body.setAttribute("data-same-document", "yes"))
    await message("8801713000001", "First")
    await message("8801555000105", "Reported later")
    await screen(page, "+8801713000001").getByText("First").waitFor()
    const late = screen(page, "+8801555000105")
    await late.getByText("Delivered").waitFor()
    assert.strictEqual(await late.locator("li").count(), 1)
    // The phone that rang last comes first.
    await message("8801713000001", "Second")
    await eventually(async () =>
      assert.strictEqual(
        await page.locator(".phone").first().getAttribute("data-to"),
        "+8801713000001",
      ),
    )
    assert.deepStrictEqual(
      await screen(page, "+8801713000001").locator(".text").allTextContents(),
      ["First", "Second"],
    )
    assert.strictEqual(await page.locator("body").getAttribute("data-same-document"), "yes")
  })
})

test("a code can be copied", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const permissions = ["clipboard-read", "clipboard-write"]
  await onPage({ ...desktop, permissions }, async (page) => {
    await quickstart().call("/verify", { body: { phone_number: "+8801713000002" } })
    const button = screen(page, "+8801713000002").getByRole("button")
    const code = await button.locator(".digits").textContent()
    assert.match(code ?? "", /^\d{6}$/)
    assert.strictEqual(await button.getAttribute("aria-label"), `Copy code ${code}`)
    await button.click()
    await button.getByText("Copied").waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), code)
  })
})

/** Puts the clipboard's text into the search field, as a person would, and reads it there. */
const pasted = async (page: Page): Promise<string> => {
  const field = page.getByLabel("Show only numbers or messages")
  await field.focus()
  await page.keyboard.press("Control+V")
  return field.inputValue()
}

test("a code can be copied where the page may not write to the clipboard", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))
    })
    await quickstart().call("/verify", { body: { phone_number: "+8801713000009" } })
    const button = screen(page, "+8801713000009").getByRole("button")
    const code = await button.locator(".digits").textContent()
    await button.focus()
    await page.keyboard.press("Enter")
    await button.getByText("Copied").waitFor()
    assert.isTrue(await button.evaluate((it) => it === document.activeElement))
    assert.strictEqual(await pasted(page), code)
  })
})

test("a code is selected where it cannot be copied at all", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))
      document.execCommand = () => false
    })
    await quickstart().call("/verify", { body: { phone_number: "+8801713000010" } })
    const button = screen(page, "+8801713000010").getByRole("button")
    await button.click()
    await button.getByText("Press Ctrl+C").waitFor()
    assert.strictEqual(
      await page.evaluate(() => getSelection()?.toString()),
      await button.locator(".digits").textContent(),
    )
  })
})

test("a code is larger than the text around it", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage(desktop, async (page) => {
    await quickstart().call("/verify", { body: { phone_number: "+8801713000011" } })
    const shown = screen(page, "+8801713000011")
    const size = (selector: string) =>
      shown.locator(selector).evaluate((it) => Number.parseFloat(getComputedStyle(it).fontSize))
    assert.isAtLeast(await size(".digits"), 1.5 * (await size(".text")))
  })
})

const many = "a".repeat(161)

test.for([
  ["8801713000012", "Hello", "sms", ["GSM-7", "1 segment", "0.50 BDT"]],
  ["8801713000012", many, "sms", ["GSM-7", "2 segments", "0.50 BDT"]],
  ["8801713000012", "ওটিপি", "sms", ["UCS-2", "1 segment", "0.50 BDT"]],
  ["8801713000012", "ওটিপি", "whatsapp", ["0.00 BDT"]],
  ["8801555000101", "Refused", "sms", ["GSM-7", "1 segment", "0.50 BDT given back"]],
  ["8801555000101", "Refused", "whatsapp", ["0.00 BDT"]],
] as const)(
  "a message shows its segments and its price: to %s, %s over %s",
  async (row, { skip }) => {
    if (missing() !== undefined) return skip(missing())
    const [to, text, channel, badges] = row
    await quickstart().call("/messages", { body: { to, message: text, channel } })
    await onPage(desktop, async (page) => {
      const shown = screen(page, `+${to}`).locator("li").last().locator(".badge")
      assert.deepStrictEqual(await shown.allTextContents(), [...badges])
    })
  },
)

test.for([
  ["a phone", phone],
  ["a desktop", desktop],
] as const)("nothing is wider than the window of %s", async ([_name, options], { skip }) => {
  if (missing() !== undefined) return skip(missing())
  await message("8801555000107", "Still open")
  await message("8801713000003", `https://example.com/${"long".repeat(200)}`)
  await message("8801713000003", "ওয়ানটাইম পাসওয়ার্ড ".repeat(40))
  await quickstart().call("/verify", { body: { phone_number: "+8801713000003", code_length: 10 } })
  await onPage(options, async (page) => {
    const shown = screen(page, "+8801713000003")
    await shown.getByText("longlong").first().waitFor()
    assert.strictEqual(await overflow(page), 0)
    assert.strictEqual(
      await shown.locator(".thread").evaluate((it) => it.scrollWidth - it.clientWidth),
      0,
    )
    // The newest message is in sight.
    const [last, frame] = await Promise.all([
      shown.locator("li").last().boundingBox(),
      shown.locator(".screen").boundingBox(),
    ])
    if (last === null || frame === null) return assert.fail("they are not shown at all")
    assert.isAtMost(last.y + last.height, frame.y + frame.height)
  })
})

test("script text in a message stays text", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const hostile = `<script>document.title = "taken"</script><img src=x onerror="document.title='taken'"><style>*{display:none}</style>`
  await message("8801713000004", hostile)
  await onPage(desktop, async (page) => {
    const live = "javascript:alert(1) </script> <b>bold</b>"
    await message("8801713000004", live)
    const shown = screen(page, "+8801713000004").locator(".text")
    await shown.nth(1).waitFor()
    assert.deepStrictEqual(await shown.allTextContents(), [hostile, live])
    assert.strictEqual(
      await page
        .locator("main script, main img, main style, main b:not(.from b, .outcome b)")
        .count(),
      0,
    )
    assert.strictEqual(await page.title(), "Countersign inbox")
  })
})

test("the page reconnects after a restart of the quickstart", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const DATABASE_URL = await make()
  const first = await startQuickstart({ env: { DATABASE_URL } })
  const { port: PORT } = new URL(first.baseUrl)
  const page = await browser().newPage(desktop)
  try {
    await page.goto(first.inboxUrl)
    await first.call("/messages", { body: { to: "8801713000005", message: "Gone" } })
    await screen(page, "+8801713000005").waitFor()
    await first.kill("SIGTERM")
    await page.locator('#connection[data-state="lost"]').waitFor()
    const second = await startQuickstart({ dataDir: first.dataDir, env: { DATABASE_URL, PORT } })
    try {
      await page.locator('#connection[data-state="live"]').waitFor()
      await second.call("/messages", { body: { to: "8801713000006", message: "Back" } })
      await screen(page, "+8801713000006").getByText("Back").waitFor()
      // Messages are kept in memory, so those of the first process are gone.
      assert.strictEqual(await screen(page, "+8801713000005").count(), 0)
    } finally {
      await second.stop()
    }
  } finally {
    await page.close()
    await first.stop()
  }
})

test("numbers and messages can be searched for", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await message("8801713000007", "Hello")
  await message("8801713000008", "Your parcel has arrived")
  await message("8801713000008", "Order 4711")
  await onPage(phone, async (page) => {
    const search = page.getByLabel("Show only numbers or messages that contain")
    const one = screen(page, "+8801713000007")
    const other = screen(page, "+8801713000008")
    await search.fill("1713 000007")
    assert.deepStrictEqual([await one.isVisible(), await other.isVisible()], [true, false])
    await search.fill("+৮৮০ ১৭১৩-০০০০০৭")
    assert.deepStrictEqual([await one.isVisible(), await other.isVisible()], [true, false])
    await search.fill("PARCEL")
    assert.deepStrictEqual([await one.isVisible(), await other.isVisible()], [false, true])
    assert.isTrue(await other.getByText("Your parcel").isVisible())
    assert.isFalse(await other.getByText("Order 4711").isVisible())
    // What comes in is searched as well.
    await message("8801713000007", "Another parcel")
    await one.getByText("Another parcel").waitFor()
    assert.isFalse(await one.getByText("Hello", { exact: true }).isVisible())
    await search.fill("4711")
    assert.isTrue(await other.getByText("Order 4711").isVisible())
    // As a Bangla keyboard writes it.
    await search.fill("৪৭১১")
    assert.isTrue(await other.getByText("Order 4711").isVisible())
    await search.fill("999999")
    assert.isTrue(await page.getByText("No number and no message has this").isVisible())
    await search.fill("")
    assert.isTrue(await one.getByText("Hello", { exact: true }).isVisible())
  })
})
