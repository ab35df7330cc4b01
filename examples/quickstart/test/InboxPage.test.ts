import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, assert, beforeAll, test } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../../../test/support/chromium.ts"
import { eventually } from "../../../test/support/eventually.ts"
import { type Quickstart, startQuickstart } from "../../../test/support/Quickstart.ts"
import { databases } from "./support/onServer.ts"

const { close, make, start } = databases()
let quickstart: Quickstart
let browser: Browser
/** Why these tests cannot run. They are then reported as skipped, never as passed. */
let missing: string | undefined

beforeAll(async () => {
  missing = await missingBrowser()
  if (missing !== undefined) return
  quickstart = await start()
  browser = await openBrowser()
}, installMillis + 60_000)

afterAll(async () => {
  await browser?.close()
  await close()
})

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const desktop = { viewport: { width: 1280, height: 900 } }

/** Runs a test on a page that is live, with nothing left over from other tests. */
const onPage = async (
  options: BrowserContextOptions,
  body: (page: Page) => Promise<void>,
): Promise<void> => {
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("console", (entry) => {
      // What the network does is not the page's fault.
      if (entry.type() === "error" && !/net::ERR_/.test(entry.text())) complaints.push(entry.text())
    })
    await page.goto(quickstart.inboxUrl)
    await page.locator('#connection[data-state="live"]').waitFor()
    await body(page)
    assert.deepStrictEqual(complaints, [])
  } finally {
    await context.close()
  }
}

const message = (to: string, text: string) =>
  quickstart.call("/messages", { body: { to, message: text } })

const screen = (page: Page, to: string) => page.locator(`.phone[data-to="${to}"]`)

/** Pixels by which the page is wider than its window. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

test("a message appears on its phone without a reload, and its outcome changes there", async ({
  skip,
}) => {
  if (missing !== undefined) return skip(missing)
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
  if (missing !== undefined) return skip(missing)
  const permissions = ["clipboard-read", "clipboard-write"]
  await onPage({ ...desktop, permissions }, async (page) => {
    await quickstart.call("/verify", { body: { phone_number: "+8801713000002" } })
    const button = screen(page, "+8801713000002").getByRole("button")
    const code = await button.locator(".digits").textContent()
    assert.match(code ?? "", /^\d{6}$/)
    assert.strictEqual(await button.getAttribute("aria-label"), `Copy code ${code}`)
    await button.click()
    await button.getByText("Copied").waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), code)
  })
})

test.for([
  ["a phone", phone],
  ["a desktop", desktop],
] as const)("nothing is wider than the window of %s", async ([_name, options], { skip }) => {
  if (missing !== undefined) return skip(missing)
  await message("8801713000003", `https://example.com/${"long".repeat(200)}`)
  await message("8801713000003", "ওয়ানটাইম পাসওয়ার্ড ".repeat(40))
  await quickstart.call("/verify", { body: { phone_number: "+8801713000003", code_length: 10 } })
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
  if (missing !== undefined) return skip(missing)
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

test("the page finds its way back after the quickstart was started again", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  const DATABASE_URL = await make()
  const first = await startQuickstart({ env: { DATABASE_URL } })
  const { port: PORT } = new URL(first.baseUrl)
  const page = await browser.newPage(desktop)
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

test("numbers can be searched for", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await message("8801713000007", "Hello")
  await message("8801713000008", "Hello")
  await onPage(phone, async (page) => {
    const search = page.getByLabel("Show only numbers that contain")
    await search.fill("1713 000007")
    assert.isTrue(await screen(page, "+8801713000007").isVisible())
    assert.isFalse(await screen(page, "+8801713000008").isVisible())
    await search.fill("999999")
    assert.isTrue(await page.getByText("No phone with these digits").isVisible())
  })
})
