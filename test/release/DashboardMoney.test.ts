/** The ledger of the dashboard, files of its lists, the audit's filters, and what a failed refresh leaves. */
import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { dashboardTenants } from "../support/dashboardTenants.ts"

const { asTenant, mountUrl } = dashboardTenants()

/** Calls the admin API as the reader of the page, below the organization. */
const call = (page: Page, path: string, body?: object) =>
  page.evaluate(
    async ([url, sent]) => {
      const response = await fetch(url ?? "", {
        ...(sent === undefined ? {} : { method: "POST", body: sent }),
        headers: { "content-type": "application/json" },
      })
      return { status: response.status, text: await response.text() }
    },
    [`${mountUrl()}/api/organizations/alpha${path}`, body && JSON.stringify(body)] as const,
  )

/** Sends a batch and waits until none of its messages waits. */
const sendBatch = async (page: Page, count: number): Promise<void> => {
  const sent = await call(page, "/batches", {
    idempotencyKey: `batch of ${count}`,
    text: "Sale",
    recipients: Array.from({ length: count }, (_, index) => ({
      phoneNumber: `+88017121${String(index).padStart(5, "0")}`,
    })),
  })
  assert.strictEqual(sent.status, 200, sent.text)
  const { batchId } = JSON.parse(sent.text)
  await page.waitForFunction(
    async (url) => (await (await fetch(url)).json()).status === "done",
    `${mountUrl()}/api/organizations/alpha/batches/${batchId}`,
    { polling: 500 },
  )
}

test(
  "a batch is one row of the ledger, which unfolds its messages and leads to the batch",
  asTenant("operator", async ({ enter, go, page }) => {
    await enter("org/alpha/balance")
    await sendBatch(page, 25)
    await page.reload()
    const ledger = page.getByRole("region", { name: "Transactions" }).getByRole("table")
    const batch = ledger.getByRole("row").filter({ hasText: "25 messages" })
    await batch.getByText("−৳12.50").or(batch.getByText("-৳12.50")).waitFor()
    assert.strictEqual(await ledger.getByRole("row").filter({ hasText: "25 messages" }).count(), 1)
    await batch.getByText("25 messages").click()
    const messages = batch.getByRole("list").getByRole("link", { name: /^Message to / })
    await messages.first().waitFor()
    assert.strictEqual(await messages.count(), 20)
    await batch.getByRole("link", { name: "All messages of the batch" }).click()
    await page.getByRole("heading", { level: 1, name: "Messages" }).waitFor()
    await page.getByText("Batch: bat_").waitFor()
    await go("balance", "Balance")
    await batch.getByRole("link", { name: "Batch", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Batch" }).waitFor()
  }),
)

test(
  "the warning of a low balance is set on the balance itself",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/balance")
    await page.getByRole("button", { name: "Set a warning" }).click()
    const dialog = page.getByRole("dialog", { name: "Set a warning" })
    await dialog.getByLabel("Bound (BDT)").fill("many")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText(/^must be/).waitFor()
    await dialog.getByLabel("Bound (BDT)").fill("20")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Change the warning" }).waitFor()
    assert.include((await call(page, "")).text, `"balanceLowAt":"20.00"`)
  }),
)

test(
  "batches, refused calls and organizations are saved as files",
  asTenant("operator", async ({ enter, page }) => {
    for (const [path, name] of [
      ["org/alpha/batches", "alpha-batches.csv"],
      ["org/alpha/refusals", "alpha-refusals.csv"],
      ["organizations", "organizations.csv"],
    ] as const) {
      await enter(path)
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download CSV" }).click(),
      ])
      assert.strictEqual(download.suggestedFilename(), name)
      assert.strictEqual(await download.failure(), null)
    }
  }),
)

test(
  "the audit is filtered by an actor and a target that are chosen from a list",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/audit")
    const choose = async (filter: string, option: string | RegExp) => {
      await page.getByRole("button", { name: "Filter", exact: true }).click()
      await page
        .getByRole("button", { name: new RegExp(`^${filter}`) })
        .last()
        .click()
      await page.getByRole("list", { name: filter }).getByRole("button", { name: option }).click()
    }
    await choose("Who", "amir")
    await page.getByRole("button", { name: "Who: amir" }).waitFor()
    assert.strictEqual(new URL(page.url()).searchParams.get("actor"), "amir")
    await choose("What", "changed the settings")
    await page.waitForURL(/action=organization\.changed/)
    const rows = page.getByRole("table").first().getByRole("row")
    await rows.filter({ hasText: "the warning of a low balance" }).first().waitFor()
  }),
)

test(
  "the times in which the organization was suspended are shaded in the overview",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha")
    await page.evaluate(async (url) => {
      for (const action of ["suspend", "resume"])
        await fetch(`${url}/${action}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
        })
    }, `${mountUrl()}/api/organizations/alpha`)
    await page.reload()
    const chart = page.getByRole("figure").first()
    await chart.getByRole("listitem").filter({ hasText: "Suspended" }).waitFor()
    await chart.locator("summary").click()
    const paused = chart.getByRole("row").filter({ hasText: "Suspended" })
    assert.isAtLeast(await paused.count(), 1)
  }),
)

test(
  "the tabs of a page are a list on phones",
  asTenant("operator", async ({ enter, page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await enter("org/alpha/settings")
    assert.strictEqual(await page.getByRole("tab").count(), 0)
    await page.getByRole("combobox", { name: "Section" }).selectOption({ label: "Alerts" })
    await page.waitForURL(/tab=alerts/)
    await page.getByRole("list", { name: "Alerts" }).waitFor()
    // Nothing is wider than the phone.
    await enter("org/alpha/settings")
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.strictEqual(wide, 390)
  }),
)

/** Pages of an organization, and the parts of them that read data again. */
const pages = [
  "",
  "verifications",
  "messages",
  "messages/queued",
  "refusals",
  "batches",
  "balance",
  "fraud",
  "api-keys",
  "webhooks",
  "senders",
  "settings",
  "audit",
] as const

/** A minute passes, and the reader comes back to the page. */
const readAgain = async (page: Page): Promise<void> => {
  await page.clock.fastForward(61_000)
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")))
}

test(
  "a failed refresh is shown on each page, and the data stays",
  asTenant("operator", async ({ enter, page }) => {
    await page.clock.install()
    for (const path of [...pages.map((one) => `org/alpha/${one}`), "organizations", "gateways"]) {
      await enter(path)
      await page.waitForFunction(() => document.querySelector(".loading") === null)
      const title = await page.getByRole("heading", { level: 1 }).innerText()
      const notice = page.getByRole("main").getByText(/^Data of /)
      await page.route(/\/api\//, (route) => route.fulfill({ status: 503, body: "{}" }))
      await readAgain(page)
      await notice.first().waitFor()
      assert.strictEqual(await page.getByRole("heading", { level: 1 }).innerText(), title, path)
      await page.unroute(/\/api\//)
      await readAgain(page)
      await notice.first().waitFor({ state: "detached" })
    }
  }),
)
