/** The settings: limits, alerts, and what is dangerous. */
import type { Locator, Page } from "playwright-core"
import { assert, test } from "vitest"
import { dashboardTenants } from "../support/dashboardTenants.ts"

const { asTenant, mountUrl } = dashboardTenants()

const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole("button", { name, exact: true })

const field = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("textbox", { name })

const setting = (page: Page, name: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: name }).first()

const saved = (page: Page) => page.getByText("The settings were saved.").first().waitFor()

/** What the admin API says of the organization. */
const organizationIn = (page: Page) =>
  page.evaluate(async (url) => (await fetch(url)).json(), `${mountUrl()}/api/organizations/alpha`)

test(
  "a limit is changed alone, shows who has set it, and gets its default back",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings?tab=limits")
    const name = "Wrong codes for one phone number"
    const limit = setting(page, name)
    await limit.getByText("30 in 1 day").waitFor()
    await limit.getByText("Default", { exact: true }).waitFor()
    await button(limit, `Change: ${name}`).click()
    await field(limit, "At most").fill("20")
    await button(limit, "Add a time").click()
    await field(limit, "At most").nth(1).fill("5")
    await field(limit, "in").nth(1).fill("10")
    await limit.getByRole("combobox", { name: "Unit" }).nth(1).click()
    await page.getByRole("option", { name: "minutes" }).click()
    await button(limit, "Save").click()
    await saved(page)
    await limit.getByText("20 in 1 day; 5 in 10 minutes").waitFor()
    await limit.getByText(/^amir, /).waitFor()
    assert.deepStrictEqual((await organizationIn(page)).limits, {
      guessesPerNumber: [
        { max: 20, per: "1 day" },
        { max: 5, per: "10 minutes" },
      ],
    })
    await page.reload()
    await limit.getByText("20 in 1 day; 5 in 10 minutes").waitFor()
    await button(limit, `Use default: ${name}`).click()
    await limit.getByText("Default", { exact: true }).waitFor()
    assert.deepStrictEqual((await organizationIn(page)).limits, {})
  }),
)

test(
  "a limit that the service refuses keeps what was typed, and may be cancelled",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings?tab=limits")
    const name = "Wrong codes after which a request fails"
    const limit = setting(page, name)
    await button(limit, `Change: ${name}`).click()
    await field(limit, "At most").fill("500")
    await button(limit, "Save").click()
    await limit.getByText("must be a whole number between 1 and 100").waitFor()
    await field(limit, "At most").fill("many")
    await button(limit, "Save").click()
    await limit.getByText("must be a whole number", { exact: true }).waitFor()
    assert.strictEqual(await field(limit, "At most").inputValue(), "many")
    await button(limit, "Cancel").click()
    await limit.getByText("Default", { exact: true }).waitFor()
    // There is always such a limit.
    await button(limit, `Change: ${name}`).click()
    assert.strictEqual(await limit.getByRole("checkbox").count(), 0)
  }),
)

test(
  "limits of each kind are saved: none, an amount, digits and times",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings?tab=limits")
    const change = async (name: string, fill: () => Promise<unknown>) => {
      const limit = setting(page, name)
      await button(limit, `Change: ${name}`).click()
      await fill()
      await button(limit, "Save").click()
      await button(limit, `Use default: ${name}`).waitFor()
    }
    const spend = "Amount that may be spent in a day"
    await setting(page, spend)
      .getByRole("button", { name: /^Change/ })
      .click()
    await setting(page, spend).getByRole("checkbox", { name: "No limit" }).click()
    await field(setting(page, spend), /^At most/).fill("500.50")
    await button(setting(page, spend), "Save").click()
    await setting(page, spend).getByText("500.50").waitFor()
    const checks = "Checks of the organization"
    await change(checks, () =>
      setting(page, checks).getByRole("checkbox", { name: "No limit" }).click(),
    )
    const digits = "Digits of a code"
    await change(digits, () => field(setting(page, digits), "From").fill("6"))
    const validity = "Validity of a code"
    await change(validity, () => field(setting(page, validity), "To").fill("2"))
    const wait = "Time before a code is sent again"
    await change(wait, () => field(setting(page, wait), "Time").fill("45"))
    assert.deepStrictEqual((await organizationIn(page)).limits, {
      spendPerDay: "500.50",
      checksPerOrganization: null,
      codeLength: { min: 6, max: 10, default: 6 },
      expiresIn: { min: "1 minute", max: "2 hours", default: "5 minutes" },
      resendCooldown: "45 seconds",
    })
    await setting(page, digits).getByText("6 to 10, usually 6").waitFor()
    for (const name of [/spent in a day/, checks, digits, validity, wait])
      await page
        .getByRole("button", {
          name: new RegExp(`^Use default: .*${typeof name === "string" ? name : name.source}`),
        })
        .click()
    await page
      .getByRole("button", { name: /^Use default/ })
      .first()
      .waitFor({ state: "detached" })
  }),
)

test(
  "a limit is read and written in Bangla",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings?tab=limits")
    await page.evaluate(() => localStorage.setItem("countersign-locale", "bn"))
    await page.reload()
    const limit = setting(page, "এক নম্বরে কোড")
    await limit.getByText("১ মিনিটে ১০").waitFor()
    await button(limit, "বদলান: এক নম্বরে কোড").click()
    await field(limit, "সর্বোচ্চ").fill("১২")
    await button(limit, "সংরক্ষণ করুন").click()
    await limit.getByText("১ মিনিটে ১২").waitFor()
    await button(limit, "ডিফল্ট ফেরান: এক নম্বরে কোড").click()
    await limit.getByText("১ মিনিটে ১০").waitFor()
  }),
)

test(
  "the bound of an alert is changed, switched off, and gets its default back",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings?tab=alerts")
    const alert = setting(page, "Delivered messages")
    await alert.getByText("below 80%").waitFor()
    const change = async () => button(alert, "Change: Delivered messages").click()
    await change()
    await field(alert, "Alert below (%)").fill("101")
    await button(alert, "Save").click()
    await alert.getByText("must be a whole number between 1 and 100").waitFor()
    await field(alert, "Alert below (%)").fill("most")
    await button(alert, "Save").click()
    await alert.getByText("must be a whole number", { exact: true }).waitFor()
    await field(alert, "Alert below (%)").fill("95")
    await button(alert, "Save").click()
    await saved(page)
    await alert.getByText("below 95%").waitFor()
    await alert.getByText(/^amir, /).waitFor()
    await change()
    await alert.getByRole("checkbox", { name: "On" }).click()
    await button(alert, "Save").click()
    await alert.getByText("Off", { exact: true }).waitFor()
    assert.deepStrictEqual((await organizationIn(page)).alerts, {
      delivered: null,
    })
    await button(alert, "Use default: Delivered messages").click()
    await alert.getByText("below 80%").waitFor()
    assert.deepStrictEqual((await organizationIn(page)).alerts, {})
    const balance = setting(page, "Tells that the balance")
    await button(balance, "Change: Balance").click()
    await field(balance, "Bound (BDT)").fill("20")
    await button(balance, "Save").click()
    await balance.getByText("below ৳20.00").waitFor()
    assert.strictEqual((await organizationIn(page)).balanceLowAt, "20.00")
  }),
)

test(
  "an organization is suspended and resumed only after a question",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings?tab=danger")
    const isSuspended = async () => (await organizationIn(page)).isSuspended
    const section = page.getByRole("region", { name: "Suspend the organization" })
    await button(section, "Suspend").click()
    const question = page.getByRole("alertdialog")
    await button(question, "Cancel").click()
    assert.strictEqual(await isSuspended(), false)
    await button(section, "Suspend").click()
    await button(question, "Suspend").click()
    await page.getByText("The organization is suspended.").waitFor()
    assert.strictEqual(await isSuspended(), true)
    const ended = page.getByRole("region", { name: "End the suspension" })
    await ended.getByRole("button").click()
    await question.getByRole("button").last().click()
    await page.getByText("The suspension has ended.").waitFor()
    assert.strictEqual(await isSuspended(), false)
  }),
)

test(
  "the address has the tab, and the service's facts are on their own",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/settings")
    await page.getByRole("tab", { name: "Service" }).click()
    await page.getByRole("region", { name: "Of the host" }).getByText("BDT").waitFor()
    assert.include(page.url(), "tab=service")
    await page.reload()
    await page.getByRole("region", { name: "Of the host" }).waitFor()
    // Dangerous things are on no other tab.
    assert.strictEqual(await page.getByRole("button", { name: /Suspend|Erase|Repair/ }).count(), 0)
  }),
)

test(
  "a prefix is allowed and removed as a row, and one that is wrong keeps its text",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/alpha/fraud")
    await button(page, "Add prefix").click()
    const dialog = page.getByRole("dialog")
    const prefix = dialog.getByRole("textbox", { name: "Prefix" })
    await prefix.fill("abc")
    await button(dialog, "Block").click()
    await page.locator(".field-error").first().waitFor()
    assert.strictEqual(await prefix.inputValue(), "abc")
    await prefix.fill("880171")
    await dialog.getByRole("combobox", { name: "Effect" }).click()
    await page.getByRole("option", { name: "No fraud rules" }).click()
    await dialog.getByRole("textbox", { name: "Reason" }).fill("Our own staff")
    await button(dialog, "Allow").click()
    // Why the prefix is in the list, and who has put it there.
    await page.getByRole("row", { name: /880171 No fraud rules Our own staff amir/ }).waitFor()
    assert.deepStrictEqual((await organizationIn(page)).allowedPrefixes, ["880171"])
    await button(page, "Lift the prefix 880171").click()
    await button(page.getByRole("alertdialog"), "Lift").click()
    await page.getByText("No prefix is blocked or allowed.").waitFor()
  }),
)

test(
  "a sender that is withdrawn leaves its channel, which then has no default",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/beta/senders")
    const sms = page.getByRole("region", { name: "SMS", exact: true }).first()
    await sms.getByText("8809612000101").waitFor()
    assert.strictEqual(await page.getByText("No approved sender is the default.").count(), 0)
    await button(page, "Add sender").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Sender" }).fill("8809612000109")
    await button(dialog, "Save").click()
    await page.getByRole("row", { name: /8809612000109/ }).waitFor()
    await page.getByRole("row", { name: /8809612000109/ }).waitFor()
    await button(page, "Actions for 8809612000109").click()
    await page.getByRole("menuitem", { name: "Reject" }).click()
    await dialog.getByRole("textbox", { name: "Reason" }).fill("A bank's name")
    await button(dialog, "Reject").click()
    await page.getByRole("row", { name: /8809612000109 .*Rejected A bank's name/ }).waitFor()
    await button(page, "Actions for 8809612000101").click()
    await page.getByRole("menuitem", { name: "Withdraw" }).click()
    await button(page.getByRole("alertdialog"), "Withdraw").click()
    await page.getByText("No approved sender is the default.").first().waitFor()
    await page.getByText("Withdrawn (1)").click()
    await page.getByRole("region", { name: "Withdrawn" }).getByText("8809612000101").waitFor()
  }),
)

test(
  "a key that is revoked is behind the number of such keys",
  asTenant("operator", async ({ enter, page }) => {
    await enter("org/beta/api-keys")
    await page
      .getByRole("row", { name: /key of beta/ })
      .getByText("Active")
      .waitFor()
    await button(page, "Revoke: key of beta").click()
    await button(page.getByRole("alertdialog"), "Revoke").click()
    await page.getByText("No key works now.").waitFor()
    await page.getByText("Revoked and expired keys (1)").click()
    await page
      .getByRole("row", { name: /key of beta/ })
      .getByText("Revoked")
      .waitFor()
  }),
)

test(
  "organizations are listed by balance, each with its menu",
  asTenant("operator", async ({ enter, page }) => {
    await enter("organizations?order=balance")
    await page.getByRole("row", { name: /alpha/ }).waitFor()
    const rows = await page.getByRole("row").allInnerTexts()
    const placeOf = (id: string) => rows.findIndex((row) => row.includes(id))
    assert.isBelow(placeOf("poor"), placeOf("alpha"))
    await button(page, "Actions for alpha").click()
    await page.getByRole("menuitem", { name: "Settings" }).click()
    await page.waitForURL(/org\/alpha\/settings$/)
  }),
)

test(
  "verifications are found by purpose, channel and delivery, and keys show their creator",
  asTenant("operator", async ({ enter, page }) => {
    const row = page.getByRole("row", { name: /\+880/ })
    await enter("org/alpha/verifications?channel=sms")
    await row.first().waitFor()
    await enter("org/alpha/verifications?channel=sms&purpose=none&deliveries=failed")
    await page.getByText("No verification matches.").waitFor()
    await enter("org/alpha/api-keys")
    await page.getByRole("columnheader", { name: "Requests, 7 days" }).waitFor()
    await page.getByRole("columnheader", { name: "Created by" }).waitFor()
  }),
)
