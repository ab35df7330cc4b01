/**
 * People who sign in to the dashboard with a provider, in a browser: what each role is shown, and how one leaves.
 */
import { dashboard } from "@countersign/dashboard"
import { createCountersign, developmentGateway } from "countersign"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, test } from "vitest"
import { serving } from "../support/adminMounts.ts"
import { installMillis, missingBrowser, openBrowser } from "../support/chromium.ts"
import { clientId, clientSecret, serveProvider } from "../support/oidcProvider.ts"

const people = {
  olga: { name: "Olga Rahman", roles: ["ops"] },
  rita: { name: "Rita", roles: ["desk"] },
  bilkis: { name: "Bilkis", roles: ["books"] },
  tariq: { name: "Tariq", roles: ["shops"], organizations: ["alpha", "beta"] },
  guest: { name: "Guest", roles: ["printers"] },
}

const startHost = async () => {
  const engine = await createCountersign({
    database: "memory",
    secret: "a secret for tests, and only for tests",
    gateways: { sms: developmentGateway(() => undefined) },
    log: () => undefined,
  })
  for (const id of ["alpha", "beta", "gamma"]) {
    await engine.organizations.create({ id, name: `Shop ${id}` })
    const own = engine.organization(id)
    await own.senders.create({ kind: "non-masking", value: "8809612000101", isDefault: true })
    await own.account.topUp({ amount: "50" })
    await own.verifications.send({ phoneNumber: "+8801712000001" })
  }
  let listener: Parameters<typeof serving>[0] = (_, response) => void response.end()
  const server = await serving((request, response) => listener(request, response))
  const provider = await serveProvider(people, { url: server.base })
  const admin = engine.admin({
    basePath: "/dashboard",
    pages: dashboard({ signOutUrl: "sign-out" }),
    signIn: {
      issuer: provider.issuer,
      clientId,
      clientSecret,
      url: server.base,
      providerName: "Acme Login",
      roles: { ops: "operator", desk: "support", books: "billing", shops: "tenant" },
    },
  })
  listener = admin.listener
  const dispose = async () => {
    server[Symbol.dispose]()
    provider[Symbol.dispose]()
    await engine.dispose()
  }
  return { url: server.base, dispose }
}

let browser: Browser
let host: Awaited<ReturnType<typeof startHost>>
let missing: string | undefined

beforeAll(async () => {
  missing = await missingBrowser()
  if (missing !== undefined) return
  browser = await openBrowser()
  host = await startHost()
}, installMillis + 60_000)

afterAll(async () => {
  await browser?.close()
  await host?.dispose()
})

/** The body of a test in a browser of its own, after the provider has learned the person. */
const as =
  (account: string, body: (page: Page) => Promise<void>) =>
  async ({ skip }: { readonly skip: (note: string) => never }): Promise<void> => {
    if (missing !== undefined) return skip(missing)
    const context = await browser.newContext()
    context.setDefaultTimeout(60_000)
    try {
      const page = await context.newPage()
      await page.goto(`${host.url}/`)
      await page.getByRole("link", { name: "Sign in with Acme Login" }).click()
      await page.getByLabel("Account").fill(account)
      await page.getByRole("button", { name: "Continue" }).click()
      await body(page)
    } finally {
      await context.close()
    }
  }

const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name }).waitFor()

const goTo = async (page: Page, path: string, title: string): Promise<void> => {
  await page.goto(`${host.url}/${path}`)
  await heading(page, title)
}

test(
  "an operator sees who is signed in, lists the sessions, and signs out here and at the provider",
  as("olga", async (page) => {
    await heading(page, "Overview")
    await page.getByRole("button", { name: "Account and appearance" }).click()
    await page.getByText("Olga Rahman").waitFor()
    await page.getByRole("menuitem", { name: "Sessions" }).click()
    await heading(page, "Sessions")
    await page.getByRole("row", { name: /Olga Rahman \(operator\).*This session/ }).waitFor()
    await page.getByRole("button", { name: "Account and appearance" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    // The page of the provider, which the form of ours must not lead to by itself.
    await page.getByRole("button", { name: /Yes, sign me out/ }).click()
    await page.getByRole("link", { name: "Sign in with Acme Login" }).waitFor()
    assert.strictEqual(page.url(), `${host.url}/`)
    await page.getByRole("link", { name: "Sign in with Acme Login" }).click()
    await page.getByLabel("Account").waitFor()
  }),
)

test(
  "support sees masked numbers, and forgets the wrong codes of a number that the caller has said",
  as("rita", async (page) => {
    await heading(page, "Overview")
    await goTo(page, "org/alpha/verifications?phoneNumber=%2B8801712000001", "Verifications")
    await page.getByRole("link", { name: "+8801*****001" }).click()
    await page.getByText("+8801*****001").first().waitFor()
    assert.notInclude(await page.content(), "1712000001")
    await page.getByRole("button", { name: "Reset wrong codes" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Phone number").fill("01712000001")
    await dialog.getByLabel("Reason").fill("the owner called")
    await dialog.getByRole("button", { name: "Reset wrong codes" }).click()
    await dialog.waitFor({ state: "detached" })
    await goTo(page, "org/alpha/settings", "Settings")
    assert.strictEqual(await page.getByRole("button", { name: "Save" }).count(), 0)
  }),
)

test(
  "billing sees money, and nothing else",
  as("bilkis", async (page) => {
    await heading(page, "Balance")
    const links = await page.getByRole("navigation").getByRole("link").allInnerTexts()
    assert.deepStrictEqual(links, ["Balance", "Organizations"])
    await page.getByRole("button", { name: "Top up" }).waitFor()
    await page.goto(`${host.url}/org/alpha/messages`)
    await page.getByText("Your roles do not allow this").first().waitFor()
  }),
)

test(
  "a tenant of two organizations switches between both",
  as("tariq", async (page) => {
    await heading(page, "Overview")
    await page.getByRole("button", { name: "Organization: Shop alpha" }).click()
    const options = page.getByRole("option")
    await options.first().waitFor()
    assert.deepStrictEqual(await options.allInnerTexts(), ["Shop alpha", "Shop beta"])
    await page.getByRole("option", { name: "Shop beta" }).click()
    await page.waitForURL(`${host.url}/org/beta`)
    assert.strictEqual(await page.getByRole("link", { name: "Gateways" }).count(), 0)
  }),
)

test(
  "a person without a role sees which one is needed",
  as("guest", async (page) => {
    const alert = page.getByRole("alert")
    await alert.waitFor()
    assert.match(await alert.innerText(), /ops \(operator\), desk \(support\)/)
    await page.getByRole("link", { name: "Sign in with another account" }).click()
    await page.getByLabel("Account").waitFor()
  }),
)
