/** The pages of gateways and of webhooks in a browser: what failed, when and why, and what to do about it. */
import Axe from "axe-core"
import { dashboard } from "@countersign/dashboard"
import { createCountersign, type Gateway, type GatewayOutcome, type Principal } from "countersign"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, assert, beforeAll, test, type TestContext } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../support/chromium.ts"
import { serveFetch } from "../support/fetchServer.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { complaintsOf } from "../support/watchedPage.ts"

declare global {
  interface Window {
    readonly axe: typeof Axe
  }
}

const sessions = new Map<string, Principal>([
  ["session=operator", { actor: { id: "olga" }, roles: ["operator"] }],
  ["session=reader", { actor: { id: "rana" }, roles: ["viewer"] }],
])

const phoneNumber = "+8801712000001"

const barred = {
  status: "rejected",
  reason: "account",
  message: "Authenticate",
  vendorCode: "20003",
} as const

/** A gateway whose answer a test can change and that first refuses its account, and one that accepts everything. */
const gatewaysOf = (state: { answer: GatewayOutcome }): readonly [Gateway, Gateway] => [
  { name: "first", channels: ["sms"], send: () => Promise.resolve(state.answer) },
  {
    name: "second",
    channels: ["sms"],
    send: ({ token }) => Promise.resolve({ status: "delivered", gatewayId: token }),
  },
]

const { close, run } = temporaryScope()

/** A host with a message that was moved from one gateway to the other, and a webhook whose receiver fails at first. */
const startHost = async () => {
  const state: { answer: GatewayOutcome; code: number } = { answer: barred, code: 500 }
  const receiver = await run(
    serveFetch(() =>
      Promise.resolve(
        new Response(state.code === 204 ? null : "the receiver is broken", { status: state.code }),
      ),
    ),
  )
  const engine = await createCountersign({
    database: "memory",
    secret: "a secret for tests, and only for tests",
    gateways: gatewaysOf(state),
    prices: { sms: "0.50" },
    webhooks: { allowHttp: true, allowPrivateAddresses: true },
    log: () => {},
  })
  const own = engine.organization("default")
  await own.senders.create({ kind: "non-masking", value: "8809612000101", isDefault: true })
  await own.account.topUp({ amount: "50" })
  await own.webhooks.create({ url: `${receiver}/hook`, types: ["topped_up"] })
  for (let index = 0; index < 6; index++) await own.messages.send({ phoneNumber, text: "Hello" })
  await own.account.topUp({ amount: "1" })
  const mount = engine.admin({
    authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
    pages: dashboard(),
    basePath: "/admin",
  })
  return { engine, mount, state }
}

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

interface Tab {
  readonly page: Page
  readonly enter: (path: string) => Promise<void>
}

/** The body of a test in a browser. Complaints of the browser fail it. */
const as =
  (session: string, body: (tab: Tab) => Promise<void>, options: BrowserContextOptions = {}) =>
  async ({ skip }: Pick<TestContext, "skip">): Promise<void> => {
    if (missing !== undefined) return skip(missing)
    const context = await browser.newContext(options)
    await context.addCookies([{ name: "session", value: session, url: origin }])
    context.setDefaultTimeout(20_000)
    const complaints = complaintsOf(context, origin)
    try {
      const page = await context.newPage()
      const enter = async (path: string): Promise<void> => {
        await page.goto(`${origin}/admin/${path}`)
        await page.getByRole("heading", { level: 1 }).waitFor()
        await page.waitForFunction(() => document.querySelector(".loading") === null)
      }
      await body({ page, enter })
      assert.deepStrictEqual(complaints, [])
    } finally {
      await context.close()
    }
  }

const findings = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(Axe.source)
  return page.evaluate(async () => {
    const { violations } = await window.axe.run()
    const excess = document.documentElement.scrollWidth - window.innerWidth
    return [
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ failureSummary, html: found }) => `${id}: ${found}: ${failureSummary}`),
      ),
      ...(excess > 0 ? [`${excess} pixels too wide`] : []),
    ]
  })
}

test(
  "an operator finds the cause of a failure in two clicks, and tests the gateway",
  as("operator", async ({ enter, page }) => {
    await enter("gateways")
    const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name })
    await rowOf("first").getByText("Account refused").waitFor()
    await rowOf("second").getByText("6 / 6").waitFor()
    await page.getByRole("link", { name: "first" }).click()
    await page.getByRole("heading", { level: 1, name: "first" }).waitFor()
    const errors = page.getByRole("region", { name: "Errors", exact: true }).getByRole("table")
    await errors.getByText("20003").waitFor()
    await errors.getByText("check its credentials").waitFor()
    const pauses = page.getByRole("region", { name: "Pauses", exact: true }).getByRole("table")
    await pauses.getByText("5 moved to second").waitFor()
    await pauses.getByText("goes on").waitFor()
    await page.getByRole("region", { name: "Nodes", exact: true }).getByText("this one").waitFor()
    await errors.getByRole("link").click()
    await page.getByRole("heading", { level: 1, name: /^Message/ }).waitFor()

    await enter("gateways/first?period=7d")
    assert.strictEqual(
      await page.getByRole("button", { name: "7 days" }).getAttribute("aria-pressed"),
      "true",
    )
    await page.getByRole("button", { name: "Send test" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Organization").fill("default")
    await dialog.getByRole("button", { name: "Send test message" }).click()
    await dialog.getByText("must be in E.164 format").waitFor()
    await dialog.getByLabel("Phone number").fill("+৮৮০১৭১২০০০০০২")
    await dialog.getByRole("button", { name: "Send test message" }).click()
    await dialog.getByText(/Authenticate|refuse/).waitFor()
    host.state.answer = { status: "accepted", gatewayId: "g-1" }
    await dialog.getByRole("button", { name: "Send test message" }).click()
    await dialog.getByText("The gateway has accepted the message.").waitFor()
    await dialog.getByRole("link", { name: "Show the message" }).click()
    await page.getByText("first", { exact: true }).first().waitFor()
    const { items } = await host.engine.organization("default").audit.list({ limit: 1 })
    assert.deepInclude(items[0], { actor: "olga", action: "gateway.tested", target: "first" })
  }),
)

test(
  "a reader sees a gateway, and is offered no test",
  as("reader", async ({ enter, page }) => {
    await enter("gateways/second")
    await page.getByRole("region", { name: "Nodes", exact: true }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Send test" }).count(), 0)
    await enter("gateways/third")
    await page.getByText("Page not found").waitFor()
  }),
)

test(
  "the charts are read with the arrow keys",
  as("operator", async ({ enter, page }) => {
    await enter("gateways/second")
    const chart = page.getByRole("img", { name: "Messages" })
    await chart.focus()
    await page.keyboard.press("ArrowLeft")
    await page.getByText(/Not delivered 0, No outcome yet 0, Delivered 6/).waitFor()
  }),
)

test(
  "a failed request to a webhook is seen, understood and sent again",
  as("operator", async ({ enter, page }) => {
    await enter("org/default/webhooks")
    await page.getByRole("link", { name: /\/hook$/ }).click()
    await page.getByRole("heading", { level: 1, name: /\/hook$/ }).waitFor()
    await page.getByRole("button", { name: "Failed" }).click()
    assert.include(page.url(), "result=failed")
    const newest = page.locator(".attempts > li").first()
    await newest.getByText("500").waitFor()
    await newest.locator("summary").click()
    // A further attempt comes above it.
    const first = page.locator(".attempts details[open]")
    await first.getByText("the receiver is broken").waitFor()
    await first.getByText('"type": "topped_up"').waitFor()
    assert.notInclude(await first.innerText(), "webhook-signature")
    await first.getByRole("button", { name: "Send again" }).click()
    await page.getByText(/has not taken event \d+: HTTP 500/).waitFor()
    host.state.code = 204
    await first.getByRole("button", { name: "Send again" }).click()
    await page.getByText(/The receiver has taken event \d+\./).waitFor()
    await page.getByRole("button", { name: "Taken" }).click()
    await page.locator(".attempts > li").first().getByText("204").waitFor()
    await page.getByRole("button", { name: "Send test event" }).click()
    await page.getByText("The receiver has taken the test event.").waitFor()
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Rotate secret" }).click()
    await page.getByRole("alertdialog", { name: "Rotate the secret?" }).waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
  }),
)

test(
  "a reader may not send an event again",
  as("reader", async ({ enter, page }) => {
    await enter("org/default/webhooks")
    await page.getByRole("link", { name: /\/hook$/ }).click()
    const first = page.locator(".attempts > li").first()
    await first.locator("summary").click()
    await first.getByText("Request", { exact: true }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Send again" }).count(), 0)
    assert.strictEqual(await page.getByRole("button", { name: "More actions" }).count(), 0)
  }),
)

const ways: ReadonlyArray<readonly [string, BrowserContextOptions]> = [
  ["light, on a desktop", {}],
  ["dark, on a phone", { colorScheme: "dark", viewport: { width: 360, height: 740 } }],
  ["Bangla, on a phone", { locale: "bn-BD", viewport: { width: 360, height: 740 } }],
]

test.for(ways)("axe finds nothing on the pages: %s", async ([, options], { skip }) => {
  const walk = as(
    "operator",
    async ({ enter, page }) => {
      for (const path of [
        "gateways",
        "gateways/first",
        "org/default/webhooks",
        "org/default/messages",
      ]) {
        await enter(path)
        assert.deepStrictEqual(await findings(page), [], path)
      }
      await enter("org/default/webhooks")
      await page.getByRole("link", { name: /\/hook$/ }).click()
      await page.locator(".attempts summary").first().click()
      await page.locator(".attempt pre").first().waitFor()
      assert.deepStrictEqual(await findings(page), [])
    },
    options,
  )
  await walk({ skip })
})
