/**
 * Each flow of the app in Chromium, on a phone. `COUNTERSIGN_SCREENSHOTS=FOLDER` takes the pictures of README:
 * `COUNTERSIGN_SCREENSHOTS=docs/figures pnpm test:release examples/login`.
 */
import { type InboxActions, inboxClient } from "@countersign/inbox/client"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, assert, beforeAll, test, type TestContext } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../../../../test/support/chromium.ts"
import { type Example, startExample, wrong } from "../../../../test/support/Example.ts"
import { complaintsOf } from "../../../../test/support/watchedPage.ts"
import { findings } from "../../../../test/release/reactPages.ts"

/** How long Next may take to compile a page, on a machine that is busy with other tests. */
const compileMillis = 120_000

const folder = process.env["COUNTERSIGN_SCREENSHOTS"]

interface Lab {
  readonly inbox: InboxActions
  readonly page: Page
}

let app: Example
let browser: Browser
/** Why this cannot run. It is then reported as skipped, never as passed. */
let missing: string | undefined

beforeAll(async () => {
  missing = await missingBrowser()
  if (missing !== undefined) return
  browser = await openBrowser()
  const next = join(import.meta.dirname, "../../node_modules/next/dist/bin/next")
  app = await startExample("login", {
    args: [next, "dev", "--hostname", "127.0.0.1"],
    env: { NEXT_TELEMETRY_DISABLED: "1" },
    ready: /Local: +(http:\/\/127\.0\.0\.1:\d+)/,
    startMillis: compileMillis,
  })
}, installMillis + compileMillis)

afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const onPhone =
  (options: BrowserContextOptions, body: (lab: Lab) => Promise<void>) =>
  async ({ skip }: Pick<TestContext, "skip">): Promise<void> => {
    if (missing !== undefined) return skip(missing)
    const viewport = { width: 360, height: 640 }
    const context = await browser.newContext({ viewport, baseURL: app.origin, ...options })
    context.setDefaultTimeout(compileMillis)
    const complaints = complaintsOf(context, app.origin)
    try {
      await body({ inbox: inboxClient(`${app.origin}/inbox`), page: await context.newPage() })
      assert.deepStrictEqual(complaints, [])
    } finally {
      await context.close()
    }
  }

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor()
const codeField = (page: Page) => page.getByLabel(/^(Code from the message|মেসেজে পাওয়া কোড)$/)

/** Goes to a page, and waits until its form has asked the server for its state. */
const arrive = async (page: Page, go: () => Promise<unknown>): Promise<void> => {
  const asked = page.waitForResponse((response) => response.url().includes("/state"))
  await go()
  await (await asked).finished()
}

const insert = async (page: Page, code: string): Promise<void> => {
  await codeField(page).focus()
  await page.keyboard.insertText(code)
}

const askForCode = async (page: Page, phoneNumber: string): Promise<void> => {
  await page.getByLabel(/^(Phone number|ফোন নম্বর)$/).fill(phoneNumber)
  await page.keyboard.press("Enter")
  await codeField(page).waitFor()
}

/** Signs up without a page, which the first test does. */
const signIn = async ({ inbox, page }: Lab, phoneNumber: string): Promise<void> => {
  const call = async (path: string, data: object): Promise<void> => {
    const headers = { origin: app.origin }
    const answer = await page.request.post(`/api/auth/countersign/${path}`, { data, headers })
    assert.strictEqual(answer.status(), 200)
  }
  await call("start", { phoneNumber })
  await call("check", { code: await inbox.latestCode(phoneNumber) })
}

/** A wrong code, a reload, and the right code. */
const finish = async (page: Page, code: string, problem: string): Promise<void> => {
  await insert(page, wrong(code))
  await page.getByRole("alert").getByText(problem).waitFor()
  assert.deepStrictEqual(await findings(page), [])
  await arrive(page, () => page.reload())
  await codeField(page).waitFor()
  await insert(page, code)
}

/** The newest message to a number, and its code. */
const latest = async (inbox: InboxActions, phoneNumber: string) => {
  const [message] = await inbox.messages({ phoneNumber, limit: 1 })
  return { code: message?.code ?? "", text: message?.text ?? "" }
}

/** The user whom better-auth knows by the cookie of this browser. */
const user = async (page: Page): Promise<unknown> => {
  const session = await page.request.get("/api/auth/get-session")
  return (await session.json())?.user
}

const takePicture = async (page: Page, name: string): Promise<void> => {
  if (folder === undefined) return
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" })
}

test(
  "a number signs up, signs out, and signs in as the same user",
  onPhone({ colorScheme: "light" }, async ({ inbox, page }) => {
    const phoneNumber = "+8801712345601"
    await arrive(page, () => page.goto("/"))
    await heading(page, "Sign in or sign up")
    assert.deepStrictEqual(await findings(page), [])
    await askForCode(page, "01712-345601")
    await takePicture(page, "login-light")
    await finish(page, await inbox.latestCode(phoneNumber), "Wrong code. Attempts left: 2.")
    await page.getByText(`You are signed in with ${phoneNumber}`).waitFor()
    assert.deepStrictEqual(await findings(page), [])
    const signedUp = await user(page)
    assert.deepInclude(signedUp, { phoneNumber, phoneNumberVerified: true })
    await press(page, "Sign out")
    await heading(page, "Sign in or sign up")
    await askForCode(page, phoneNumber)
    await insert(page, await inbox.latestCode(phoneNumber))
    await heading(page, "Your account")
    assert.deepStrictEqual(await user(page), signedUp)
  }),
)

test(
  "a user changes the number, in Bangla",
  onPhone({ colorScheme: "dark" }, async (lab) => {
    const { inbox, page } = lab
    const phoneNumber = "+8801812345602"
    await signIn(lab, "+8801712345602")
    await page.goto("/en")
    await follow(page, "বাংলা")
    await heading(page, "আপনার অ্যাকাউন্ট")
    assert.strictEqual(await page.locator("html").getAttribute("lang"), "bn")
    await arrive(page, () => follow(page, "নম্বর বদলান"))
    await askForCode(page, "01812-345602")
    const { code, text } = await latest(inbox, phoneNumber)
    assert.match(text, /কোড/)
    await finish(page, code, "কোডটি ভুল। আর ২ বার চেষ্টা করা যাবে।")
    await page.getByText(`আপনি এই নম্বরে সাইন ইন করেছেন: ${phoneNumber}`).waitFor()
  }),
)

test(
  "a user approves a payment, whose amount and payee the message names",
  onPhone({ colorScheme: "dark" }, async (lab) => {
    const { inbox, page } = lab
    const phoneNumber = "+8801712345603"
    assert.strictEqual((await page.request.post("/api/payment/start", { data: {} })).status(), 401)
    const refused = await page.request.get("/en/payment", { maxRedirects: 0 })
    assert.strictEqual(refused.headers()["location"], "/en")
    await signIn(lab, phoneNumber)
    await arrive(page, () => page.goto("/en/payment"))
    await press(page, "Send code")
    await codeField(page).waitFor()
    const { code, text } = await latest(inbox, phoneNumber)
    assert.match(text, /BDT 1,250 to Rahim Store/)
    await takePicture(page, "login-dark")
    await finish(page, code, "Wrong code. Attempts left: 2.")
    await page.getByText("Paid. Thank you.").waitFor()
    assert.deepStrictEqual(await findings(page), [])

    // One that was begun is not shown to the next user of this browser.
    await arrive(page, () => page.goto("/en/payment"))
    await press(page, "Send code")
    await codeField(page).waitFor()
    await page.goto("/en")
    await press(page, "Sign out")
    await heading(page, "Sign in or sign up")
    const state = await page.request.get("/api/payment/state")
    assert.deepStrictEqual(await state.json(), { status: "idle" })
  }),
)
