/**
 * Draws `docs/figures/inbox.png` again: the inbox of a fresh quickstart with a few messages in it.
 *
 * `node test/tools/inboxPicture.ts`
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { missingBrowser, openBrowser } from "../support/chromium.ts"
import { startQuickstart } from "../support/Quickstart.ts"
import { root } from "./paths.ts"

const file = join(root, "docs/figures/inbox.png")
const maxBytes = 120_000

const missing = await missingBrowser()
if (missing !== undefined) throw new Error(missing)
const quickstart = await startQuickstart()
const browser = await openBrowser()
try {
  const viewport = { width: 1280, height: 612 }
  const page = await browser.newPage({ viewport, reducedMotion: "reduce" })
  await page.goto(quickstart.inboxUrl)
  await page.locator('#connection[data-state="live"]').waitFor()
  for (const to of ["8801712345678", "14155550132", "4915112345678"]) {
    const text = "Your parcel is on its way. It arrives tomorrow before noon."
    await quickstart.call("/messages", { body: { to, message: text, brand_id: "ACME" } })
  }
  const verify = { phone_number: "+8801712345678", brand_id: "ACME" }
  await quickstart.call("/verify", { body: verify })
  await quickstart.call("/verify", { body: { ...verify, phone_number: "+14155550132" } })
  const german = { ...verify, phone_number: "+4915112345678", channel: "whatsapp" }
  await quickstart.call("/verify", { body: { ...german, brand_id: "acme-support" } })
  await page.locator(".phone").nth(2).waitFor()
  await page.getByText("Delivered").nth(5).waitFor()
  await page.screenshot({ path: file, animations: "disabled" })
} finally {
  await browser.close()
  await quickstart.stop()
}
const { size } = statSync(file)
console.log(`${file}: ${size} bytes`)
if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
