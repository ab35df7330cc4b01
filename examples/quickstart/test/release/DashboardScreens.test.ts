/**
 * Every page in both languages, both themes and two widths. `COUNTERSIGN_SCREENSHOTS=FOLDER` takes pictures for people to
 * look at, which is half of the work.
 */
import Axe, { type RunOnly } from "axe-core"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { dashboardPages, type Lab } from "../support/dashboardPages.ts"
import { populate } from "../support/populate.ts"

declare global {
  interface Window {
    readonly axe: typeof Axe
  }
}

const folder = process.env["COUNTERSIGN_SCREENSHOTS"]
if (folder !== undefined) mkdirSync(folder, { recursive: true })

const onPage = dashboardPages(populate)

const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]

/** What axe finds against these rules, or against level AA. */
const findings = async (
  page: Page,
  rules?: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  const only: RunOnly =
    rules === undefined ? { type: "tag", values: levels } : { type: "rule", values: [...rules] }
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(Axe.source)
  return page.evaluate(async (runOnly) => {
    const { violations } = await window.axe.run({ runOnly })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  }, only)
}

/** Waits until the page has the colors and the layout of its look: transitions lead to them. */
const settle = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready
    const ending = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
    // One that is replaced by another one does not finish.
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })

/** Pixels by which the page stays wider than its window: an open menu moves some frames after a resize. */
const overflow = async (page: Page): Promise<number> => {
  const fits = () => document.documentElement.scrollWidth <= window.innerWidth
  await page.waitForFunction(fits, undefined, { timeout: 2_000 }).catch(() => undefined)
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

/** Goes to a page without loading the application again, and waits until its data is there. */
const visit = async (page: Page, address: string): Promise<void> => {
  await page.evaluate((url) => history.pushState(null, "", url), address)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector(".loading, [aria-busy=true]") === null)
}

/** Starts a batch for tomorrow, and gives its id. */
const batchOf = (page: Page, dashboardUrl: string): Promise<string> =>
  page.evaluate(async (api) => {
    const response = await fetch(`${api}/organizations/acme/batches`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        idempotencyKey: "screens",
        text: "Sale",
        sendAt: new Date(Date.now() + 86_400_000),
        recipients: [{ phoneNumber: "+8801713000030" }, { phoneNumber: "+8801713000031" }],
      }),
    })
    const { batchId } = await response.json()
    return String(batchId)
  }, `${dashboardUrl}/api`)

/** The paths of all pages of an organization, with a message and a verification that exist. */
const pathsOf = async ({ open, page, quickstart }: Lab) => {
  const first = async (list: string, number: string): Promise<string> => {
    await open(`${list}?phoneNumber=${encodeURIComponent(number)}`)
    const href = await page.getByRole("link", { name: number }).first().getAttribute("href")
    return `${list}/${href?.split("/").at(-1) ?? ""}`
  }
  return {
    message: await first("messages", "+8801555000103"),
    verification: await first("verifications", "+8801555000101"),
    overview: "",
    messages: "messages",
    queued: "messages/queued",
    batches: "batches",
    batch: `batches/${await batchOf(page, quickstart.dashboardUrl)}`,
    newBatch: "batches/new",
    nothingFound: "messages?phoneNumber=%2B8801799999999",
    verifications: "verifications",
    tryIt: "try-it",
    tryMessage: "try-it?tab=message",
    balance: "balance",
    statement: "balance?tab=statement",
    fraud: "fraud",
    apiKeys: "api-keys",
    senders: "senders",
    webhooks: "webhooks",
    settings: "settings",
    limits: "settings?tab=limits",
    access: "settings?tab=access",
    alerts: "settings?tab=alerts",
    privacy: "settings?tab=privacy",
    danger: "settings?tab=danger",
    service: "settings?tab=service",
    audit: "audit",
    gateways: "../../gateways",
    organizations: "../../organizations",
    found: "search?query=%2B8801555000103",
    filtered: "verifications?statuses=failed&statuses=pending",
    nowhere: "no-such-page",
  }
}

const desktop = { width: 1280, height: 900 }
const phone = { width: 360, height: 780 }

interface Look {
  readonly colorScheme: "dark" | "light"
  readonly viewport: typeof desktop
  /** What axe looks at; `undefined`: at nothing that another look does not have. */
  readonly check?: (page: Page) => Promise<ReadonlyArray<string>>
}

const contrast = (page: Page) => findings(page, ["color-contrast"])

const looks: Readonly<Record<"en" | "bn" | "dialog", ReadonlyArray<Look>>> = {
  en: [
    { colorScheme: "light", viewport: desktop, check: findings },
    { colorScheme: "dark", viewport: desktop },
    { colorScheme: "dark", viewport: phone },
    { colorScheme: "light", viewport: phone },
  ],
  bn: [
    { colorScheme: "light", viewport: phone, check: findings },
    { colorScheme: "dark", viewport: desktop, check: contrast },
  ],
  dialog: [
    { colorScheme: "light", viewport: desktop, check: findings },
    { colorScheme: "dark", viewport: desktop, check: contrast },
    { colorScheme: "dark", viewport: phone },
    { colorScheme: "light", viewport: phone },
  ],
}

/** Shows each look of a page, and gives what is wrong with it. */
const inspect = async (
  page: Page,
  name: string,
  list: ReadonlyArray<Look>,
): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (const { check, colorScheme, viewport } of list) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    const look = `${name}-${colorScheme}-${viewport.width}`
    await settle(page)
    if (folder !== undefined) {
      await page.screenshot({ path: join(folder, `${look}.png`), fullPage: true })
    }
    const wide = await overflow(page)
    if (wide > 0) problems.push(`${look} is ${wide} px wider than its window`)
    for (const one of (await check?.(page)) ?? []) problems.push(`${look}: ${one}`)
  }
  return problems
}

for (const locale of ["en", "bn"] as const) {
  test(
    `every page is usable in both themes at both widths: ${locale}`,
    onPage({ locale, viewport: desktop }, async (lab) => {
      const { page, quickstart } = lab
      const problems: Array<string> = []
      for (const [title, path] of Object.entries(await pathsOf(lab))) {
        await visit(page, `${quickstart.dashboardUrl}/org/acme/${path}`)
        problems.push(...(await inspect(page, `${title}-${locale}`, looks[locale])))
      }
      assert.strictEqual(await page.locator("html").getAttribute("lang"), locale)
      assert.deepStrictEqual(problems, [])
    }),
  )
}

const dialogs: ReadonlyArray<readonly [name: string, path: string, button: string]> = [
  ["createKey", "api-keys", "Create API key"],
  ["topUp", "balance", "Top up"],
  ["addSender", "senders", "Add sender"],
  ["addWebhook", "webhooks", "Add webhook"],
  ["userMenu", "", "Account and appearance"],
  ["organizationMenu", "", "Organization: acme"],
  ["filterMenu", "verifications", "Filter"],
  ["drawer", "", "Open navigation"],
]

/** The sidebar is a drawer on phones, and the drawer is on phones only. */
const only: Readonly<Record<string, typeof desktop>> = {
  "Organization: acme": desktop,
  "Open navigation": phone,
}

test(
  "dialogs and menus are usable",
  onPage({}, async ({ open, page, quickstart }) => {
    const problems: Array<string> = []
    await open("")
    for (const [name, path, opener] of dialogs) {
      await page.setViewportSize(only[opener] ?? desktop)
      await visit(page, `${quickstart.dashboardUrl}/org/acme/${path}`)
      await page.getByRole("button", { name: opener }).click()
      await page.getByRole("dialog").or(page.getByRole("menu")).waitFor()
      const list = looks.dialog.filter(({ viewport }) => (only[opener] ?? viewport) === viewport)
      problems.push(...(await inspect(page, name, list)))
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").or(page.getByRole("menu")).waitFor({ state: "detached" })
    }
    assert.deepStrictEqual(problems, [])
  }),
)

test(
  "the estimate of a batch is usable",
  onPage({}, async ({ open, page }) => {
    await open("batches/new")
    const rows = [
      "to,name,text",
      "01713000030,Amir,",
      "12,Short,",
      `01713000031,Bo,${"Sale ".repeat(40)}`,
    ]
    const buffer = Buffer.from(rows.join("\n"))
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer })
    await page.getByRole("textbox", { name: "Text" }).fill("Hello {name}")
    await page.getByRole("button", { name: "Show the estimate" }).press("Enter")
    await page.getByRole("button", { name: "Start the batch" }).waitFor()
    assert.deepStrictEqual(await inspect(page, "estimate", looks.dialog), [])
  }),
)
