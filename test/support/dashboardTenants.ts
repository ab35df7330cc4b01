/**
 * A host with two tenants, `alpha` and `beta`, one without a balance, `poor`, an operator, and a browser in which each
 * sees the dashboard.
 */
import { dashboard } from "@countersign/dashboard"
import {
  type Countersign,
  createCountersign,
  developmentGateway,
  type Principal,
} from "countersign"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, type TestContext } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "./chromium.ts"
import { serveFetch } from "./fetchServer.ts"
import { temporaryScope } from "./temporaryScope.ts"
import { complaintsOf } from "./watchedPage.ts"

const tenant = (organization: string): Principal => ({
  actor: { id: `${organization}-admin` },
  roles: ["tenant"],
  organizations: [organization],
})

const sessions = new Map<string, Principal>([
  ["session=operator", { actor: { id: "amir" }, roles: ["operator"] }],
  ["session=a", tenant("alpha")],
  ["session=b", tenant("beta")],
  ["session=poor", tenant("poor")],
  ["session=reader", { ...tenant("alpha"), roles: ["viewer"] }],
])

/** Begins a batch whose recipients end with an error after the first thousand, as those of a process that dies. */
const abandonBatch = async ({ messages }: Pick<Countersign, "messages">): Promise<void> => {
  const recipients = function* () {
    for (let index = 0; index < 1_000; index++) yield `+88017120${String(index).padStart(5, "0")}`
    throw new Error("no more")
  }
  const sent = messages.sendMany({
    recipients: recipients(),
    text: "Half a batch",
    idempotencyKey: "half a batch",
  })
  await sent.then(
    () => assert.fail("the batch is whole"),
    () => {},
  )
}

/** A host with two tenants, each with a message, a verification and a key. */
const startHost = async () => {
  const gateway = developmentGateway()
  const engine = await createCountersign({
    database: "memory",
    secret: "a secret for tests, and only for tests",
    gateways: { sms: gateway },
    prices: { sms: "0.50" },
    log: () => {},
  })
  for (const [organization, phoneNumber] of [
    ["alpha", "+8801712000001"],
    ["beta", "+8801712000002"],
  ] as const) {
    await engine.organizations.create({ id: organization })
    const own = engine.organization(organization)
    await own.senders.create({ kind: "non-masking", value: "8809612000101", isDefault: true })
    await own.account.topUp({ amount: "50" })
    await own.apiKeys.create({ name: `key of ${organization}` })
    await own.verifications.send({ phoneNumber })
    if (organization === "alpha") {
      const sendAt = new Date(Date.now() + 86_400_000)
      for (const text of ["Sale tomorrow", "Sale next week"])
        await own.messages.prepare({ phoneNumber, text, sendAt }).enqueue()
    }
    if (organization === "beta") await abandonBatch(own)
    await own.webhooks.create({ url: "https://example.com/events" })
  }
  const poor = engine.organization("poor")
  await engine.organizations.create({ id: "poor" })
  await poor.senders.create({ kind: "non-masking", value: "8809612000101", isDefault: true })
  const refused = poor.verifications.prepare({ phoneNumber: "+8801712000003" })
  await refused.enqueue()
  const { requestId } = refused
  const error = await poor.verifications.dispatch({ requestId }).catch((cause: unknown) => cause)
  assert.propertyVal(error, "code", "insufficient_balance")
  const mount = engine.admin({
    authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
    pages: dashboard(),
    basePath: "/ops/admin",
  })
  return { engine, mount, requestId }
}

export interface Tab {
  readonly page: Page
  /** Enters the address of a path below the mount, and gives the text of the page. */
  readonly enter: (path: string) => Promise<string>
  /** Goes to a page of `alpha` without loading the application again. */
  readonly go: (path: string, title: string) => Promise<void>
}

export const textOf = (page: Page): Promise<string> => page.getByRole("main").innerText()

/** Starts the host and the browser for the tests of a file. */
export const dashboardTenants = () => {
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

  /** The body of a test in a browser that has a cookie. Complaints of the browser fail it. */
  const asTenant =
    (session: string, body: (tab: Tab) => Promise<void>) =>
    async ({ skip }: Pick<TestContext, "skip">): Promise<void> => {
      if (missing !== undefined) return skip(missing)
      const context = await browser.newContext()
      await context.addCookies([{ name: "session", value: session, url: origin }])
      context.setDefaultTimeout(60_000)
      const complaints = complaintsOf(context, origin)
      try {
        const page = await context.newPage()
        const enter = async (path: string): Promise<string> => {
          await page.goto(`${mountUrl()}/${path}`)
          await page.getByRole("heading", { level: 1 }).waitFor()
          return textOf(page)
        }
        const go = async (path: string, name: string): Promise<void> => {
          const address = `${mountUrl()}/org/alpha/${path}`
          await page.evaluate((url) => history.pushState(null, "", url), address)
          await page.getByRole("heading", { level: 1, name }).waitFor()
          await page.waitForFunction(() => document.querySelector(".loading") === null)
        }
        await body({ page, enter, go })
        assert.deepStrictEqual(complaints, [])
      } finally {
        await context.close()
      }
    }

  const mountUrl = (): string => `${origin}/ops/admin`

  /** The request of `poor`, which was refused after it was queued. */
  const refusedRequest = () => host.requestId

  return { asTenant, mountUrl, missing: () => missing, refusedRequest }
}
