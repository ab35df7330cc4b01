/**
 * Two tenants of one host, each in a browser of its own, who try to see each other.
 */
import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { dashboardTenants, textOf } from "../support/dashboardTenants.ts"

const { asTenant, missing, mountUrl } = dashboardTenants()

/** What a tenant's program is answered. */
const ask = async (cookie: string, path: string, body?: object) => {
  const response = await fetch(`${mountUrl()}/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      cookie,
      ...(body && { "content-type": "application/json", "sec-fetch-site": "same-origin" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** The ids of what a tenant has. */
const idsOf = async (cookie: string, organization: string) => {
  const of = `organizations/${organization}`
  const list = async (path: string): Promise<string> => (await ask(cookie, path)).text
  const id = (text: string, name: string): string =>
    new RegExp(`"${name}":"?([^",]+)`).exec(text)?.[1] ?? assert.fail(`${name} in ${text}`)
  return {
    message: id(await list(`${of}/messages`), "id"),
    request: id(await list(`${of}/verifications`), "requestId"),
    key: id(await list(`${of}/api-keys`), "id"),
  }
}

test("a tenant is answered the same for what another tenant has as for what does not exist", async ({
  skip,
}) => {
  const reason = missing()
  if (reason !== undefined) return skip(reason)
  const other = await idsOf("session=b", "beta")
  const none = { message: "msg_none", request: "vrf_none", key: "none" }
  const pathsOf = ({ key, message, request }: typeof other, organization: string) =>
    [
      [`organizations/${organization}/messages/${message}`],
      [`organizations/${organization}/verifications/${request}`],
      [`organizations/${organization}/verifications/${request}/cancel`, {}],
      [`organizations/${organization}/api-keys/${key}/revoke`, {}],
      [`organizations/${organization}/balance`],
      [`organizations/${organization}/ledger`],
      [`organizations/${organization}/audit`],
      [`organizations/${organization}/messages`],
      [`organizations/${organization}`],
    ] as const
  const answers = (paths: ReturnType<typeof pathsOf>) =>
    Promise.all(paths.map(([path, body]) => ask("session=a", path, body)))
  const foreign = await answers(pathsOf(other, "beta"))
  assert.deepStrictEqual(
    foreign.map(({ status }) => status),
    foreign.map(() => 404),
  )
  assert.deepStrictEqual(foreign, await answers(pathsOf(none, "gamma")))
  // Below their own organization, the ids of another one lead nowhere either.
  const [message, request] = await answers(pathsOf(other, "alpha"))
  const [noMessage, noRequest] = await answers(pathsOf(none, "alpha"))
  assert.deepStrictEqual([message, request], [noMessage, noRequest])
  assert.strictEqual(message?.status, 404)
  const { text } = await ask("session=a", "organizations")
  assert.notInclude(text, "beta")
  const keys = await ask("session=b", "organizations/beta/api-keys")
  assert.include(keys.text, `"revokedAt":null`)
})

test(
  "a tenant who enters the address of another tenant's page sees that nothing is there",
  asTenant("a", async ({ enter, page }) => {
    assert.notInclude(await enter(""), "beta")
    assert.strictEqual(page.url(), `${mountUrl()}/org/alpha`)
    const { message, request } = await idsOf("session=b", "beta")
    for (const path of ["", "messages", `messages/${message}`, `verifications/${request}`]) {
      const foreign = await enter(`org/beta/${path}`)
      assert.include(foreign, "Organization not found")
      assert.strictEqual(foreign, await enter(`org/gamma/${path}`))
    }
    // Operators only.
    assert.strictEqual(await page.getByRole("link", { name: "Gateways" }).count(), 0)
    const own = await enter("org/alpha/messages")
    await page.getByRole("link", { name: "+8801712000001" }).waitFor()
    assert.notInclude(own, "+8801712000002")
  }),
)

test(
  "a refused filter shows its problem once, at its field",
  asTenant("a", async ({ page }) => {
    await page.goto(`${mountUrl()}/org/alpha/messages?phoneNumber=abc`)
    await page.locator(".field-error").waitFor()
    assert.match(await page.locator(".field-error").innerText(), /E\.164/)
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    assert.notInclude(await textOf(page), "Validation failed")
  }),
)

/** The fields of forms, without filters, that can be changed. */
const editable = (page: Page) =>
  page.locator("form.panel :is(input, textarea):not([readonly]):enabled")

test(
  "a tenant who may only read sees the settings, and is offered no change",
  asTenant("reader", async ({ enter, go, page }) => {
    await enter("org/alpha/settings")
    assert.strictEqual(await page.getByLabel("Name").inputValue(), "alpha")
    assert.strictEqual(await editable(page).count(), 0)
    for (const [path, title] of [
      ["settings", "Settings"],
      ["api-keys", "API keys"],
      ["senders", "Senders"],
      ["webhooks", "Webhooks"],
      ["balance", "Balance"],
      ["messages/queued", "Queued messages"],
      ["batches", "Batches"],
    ] as const) {
      await go(path, title)
      const offered = await page.getByRole("main").getByRole("button").allInnerTexts()
      // They change nothing.
      const reading = { balance: ["Filter"] }
      assert.deepStrictEqual(
        offered,
        new Map<string, unknown>(Object.entries(reading)).get(path) ?? [],
        path,
      )
    }
    await go("fraud", "Fraud")
    assert.strictEqual(await page.getByRole("button", { name: "Add prefix" }).count(), 0)
    assert.strictEqual(await page.getByRole("button", { name: "Save" }).count(), 0)
  }),
)

test(
  "a tenant changes the settings, but not the limits, and is warned about a new default sender",
  asTenant("a", async ({ enter, go, page }) => {
    await enter("org/alpha/settings")
    assert.isTrue(await page.getByLabel("Name").isEditable())
    const tabs = await page.getByRole("tab").allInnerTexts()
    // What the host's program sets is for operators.
    assert.deepStrictEqual(tabs, ["General", "Limits", "Access", "Alerts", "Privacy", "Danger"])
    await page.getByRole("tab", { name: "Danger" }).click()
    await page.getByRole("button", { name: "Erase number" }).waitFor()
    assert.deepStrictEqual(await page.getByRole("main").getByRole("button").allInnerTexts(), [
      "Erase number",
    ])
    await page.getByRole("tab", { name: "Limits" }).click()
    await page.getByText("Only operators change them.").waitFor()
    const limit = page
      .getByRole("listitem")
      .filter({ hasText: "Codes for one phone number" })
      .first()
    assert.include(await limit.innerText(), "10 in 1 minute")
    assert.include(await limit.innerText(), "Default")
    assert.strictEqual(await page.getByRole("button", { name: /^Change/ }).count(), 0)
    await page.getByRole("tab", { name: "Alerts" }).click()
    await page.getByRole("button", { name: "Change: Delivered messages" }).waitFor()

    await go("fraud", "Fraud")
    // A tenant may block a prefix, and not take it out of the fraud rules.
    await page.getByRole("button", { name: "Add prefix" }).click()
    const block = page.getByRole("dialog")
    await block.getByLabel("Prefix, from the country code on").fill("+১৯০০")
    assert.strictEqual(await block.getByRole("combobox", { name: "Effect" }).count(), 0)
    await block.getByRole("button", { name: "Block" }).click()
    await page.getByRole("row", { name: /1900 Blocked/ }).waitFor()
    await page.getByRole("button", { name: "Lift the prefix 1900" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Lift" }).click()
    await page.getByText("No prefix is blocked or allowed.").waitFor()

    await go("senders", "Senders")
    await page.getByRole("button", { name: "Add sender" }).click()
    const dialog = page.getByRole("dialog")
    const choice = dialog.getByRole("checkbox", { name: "Use this sender" })
    await dialog.getByRole("textbox", { name: "Sender" }).fill("8809612000102")
    // A name cannot be the default.
    assert.strictEqual(await choice.count(), 0)
    await dialog.getByRole("combobox", { name: "Kind" }).click()
    await page.getByRole("option", { name: "Phone number (non-masking)" }).click()
    const warning = dialog.getByText("Messages without a sender come from “8809612000101” now.")
    assert.strictEqual(await warning.count(), 0)
    await choice.click()
    await warning.waitFor()
  }),
)

test(
  "a webhook lists the events that wait for a retry",
  asTenant("a", async ({ enter, page }) => {
    // The times of the engine are real, and a retry is minutes away: the page gets two in the answer.
    await page.route(/api\/organizations\/alpha\/webhooks$/, async (route) => {
      const response = await route.fetch()
      const { webhooks } = await response.json()
      const nextAt = "2026-11-22T18:00:00.000Z"
      const retries = [
        { sequence: 3, attempts: 1, nextAt },
        { sequence: 12, attempts: 4, nextAt },
      ]
      await route.fulfill({
        response,
        json: { webhooks: [{ ...webhooks[0], retrying: 2, retries }] },
      })
    })
    await enter("org/alpha/webhooks")
    await page.getByRole("link", { name: "https://example.com/events" }).click()
    const table = page.getByRole("region", { name: "Wait for a retry" }).getByRole("table")
    await table.waitFor()
    const rows = await table.getByRole("row").allInnerTexts()
    assert.deepStrictEqual(
      rows.slice(1).map((cells) => cells.split("\t").slice(0, 2)),
      [
        ["3", "1"],
        ["12", "4"],
      ],
    )
  }),
)
