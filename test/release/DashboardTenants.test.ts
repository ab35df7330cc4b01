/**
 * Two tenants of one host, each in a browser of its own, who try to see each other.
 */
import { dashboard } from "@countersign/dashboard"
import { createCountersign, developmentGateway, type Principal } from "countersign"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, test } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../support/chromium.ts"
import { serveFetch } from "../support/fetchServer.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { complaintsOf } from "../support/watchedPage.ts"

const tenant = (organization: string): Principal => ({
  actor: { id: `${organization}-admin` },
  roles: ["admin"],
  organization,
})

const sessions = new Map([
  ["session=a", tenant("alpha")],
  ["session=b", tenant("beta")],
])

/** A host with two tenants, each with a message, a verification and a key. */
const startHost = async () => {
  const gateway = developmentGateway()
  const engine = await createCountersign({
    database: "memory",
    pepper: "a secret for tests, and only for tests",
    gateways: { sms: gateway },
    log: () => {},
  })
  for (const [organization, phoneNumber] of [
    ["alpha", "+8801712000001"],
    ["beta", "+8801712000002"],
  ] as const) {
    await engine.organizations.create({ id: organization })
    await engine.brands.save({
      organization,
      kind: "non-masking",
      sender: "8809612000101",
      isDefault: true,
    })
    await engine.account.topUp({ organization, amount: "50" })
    await engine.apiKeys.create({ organization, name: `key of ${organization}` })
    await engine.verifications.send({ organization, phoneNumber })
  }
  const mount = engine.admin({
    authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
    pages: dashboard(),
    basePath: "/ops/admin",
  })
  return { engine, mount }
}

const { close, run } = temporaryScope()
let browser: Browser
let host: Awaited<ReturnType<typeof startHost>>
let origin: string
let missing: string | undefined

beforeAll(async () => {
  missing = await missingBrowser()
  if (missing !== undefined) return
  browser = await openBrowser()
  host = await startHost()
  origin = await run(serveFetch((request) => host.mount.fetch(request)))
}, installMillis + 60_000)

afterAll(async () => {
  await browser?.close()
  await close()
  await host?.engine.dispose()
})

/** What a tenant's program is answered. */
const ask = async (cookie: string, path: string, body?: object) => {
  const response = await fetch(`${origin}/ops/admin/api/${path}`, {
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
  if (missing !== undefined) return skip(missing)
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

const textOf = (page: Page): Promise<string> => page.getByRole("main").innerText()

test("a tenant who enters the address of another tenant's page sees that nothing is there", async ({
  skip,
}) => {
  if (missing !== undefined) return skip(missing)
  const context = await browser.newContext()
  await context.addCookies([{ name: "session", value: "a", url: origin }])
  const complaints = complaintsOf(context, origin)
  try {
    const page = await context.newPage()
    const mount = `${origin}/ops/admin`
    const visit = async (path: string): Promise<string> => {
      await page.goto(`${mount}/${path}`)
      await page.getByRole("heading", { level: 1 }).waitFor()
      return textOf(page)
    }
    assert.notInclude(await visit(""), "beta")
    assert.strictEqual(page.url(), `${mount}/org/alpha`)
    const { message, request } = await idsOf("session=b", "beta")
    for (const path of ["", "messages", `messages/${message}`, `verifications/${request}`]) {
      const foreign = await visit(`org/beta/${path}`)
      assert.include(foreign, "Organization not found")
      assert.strictEqual(foreign, await visit(`org/gamma/${path}`))
    }
    // Operators only.
    assert.strictEqual(await page.getByRole("link", { name: "Gateways" }).count(), 0)
    const own = await visit("org/alpha/messages")
    await page.getByRole("link", { name: "+8801712000001" }).waitFor()
    assert.notInclude(own, "+8801712000002")
    assert.deepStrictEqual(complaints, [])
  } finally {
    await context.close()
  }
})

test("a refused filter shows its problem once, at its field", async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  const context = await browser.newContext()
  await context.addCookies([{ name: "session", value: "a", url: origin }])
  try {
    const page = await context.newPage()
    await page.goto(`${origin}/ops/admin/org/alpha/messages?phoneNumber=abc`)
    await page.locator(".field-error").waitFor()
    assert.match(await page.locator(".field-error").innerText(), /E\.164/)
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    assert.notInclude(await textOf(page), "Validation failed")
  } finally {
    await context.close()
  }
})
