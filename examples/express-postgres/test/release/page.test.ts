import type { Page } from "playwright-core"
import { assert, test } from "vitest"
import { wrong } from "../../../../test/support/Example.ts"
import {
  button,
  codeField,
  enter,
  findings,
  focused,
  loginPages,
  news,
  numberField,
  press,
  problem,
  start,
} from "../support/loginPages.ts"

const onPage = loginPages()

const phoneNumber = "+8801712000001"
const signedIn = `You are signed in as ${phoneNumber}.`

test(
  "a wrong code and then the right code sign in, until the user signs out",
  onPage({}, async ({ code, countersign, page }) => {
    assert.deepStrictEqual(await findings(page), [])
    assert.strictEqual(await focused(page), "phone-number")
    await start(page, "01712-000001")
    await news(page, `We have sent a code to ${phoneNumber} by SMS.`)
    assert.strictEqual(await focused(page), "code")
    // Screen readers announce what changes in an element, and not a new element.
    await page.locator("#problem, #news").evaluateAll((regions) => {
      for (const region of regions) region.classList.add("before")
    })
    await enter(page, wrong(code(phoneNumber)))
    await problem(page, "That is not the code. Tries left: 2.")
    assert.strictEqual(await page.locator(".before[role]").count(), 2)
    assert.strictEqual(await codeField(page).getAttribute("aria-invalid"), "true")
    assert.strictEqual(
      await page.title(),
      "That is not the code. Tries left: 2. · Sign in by phone",
    )

    // The id of the request is on the server only.
    const { items: messages } = await countersign.messages.list()
    assert.notInclude(await page.content(), String(messages[0]?.requestId))
    const [before] = await page.context().cookies()
    // The focus has come back to the code, so one types on, and Enter sends it.
    await page.keyboard.type(code(phoneNumber))
    await page.keyboard.press("Enter")
    await news(page, signedIn)
    const [after] = await page.context().cookies()
    assert.deepInclude(after, { httpOnly: true, sameSite: "Lax", path: "/" })
    assert.notStrictEqual(after?.value, before?.value)
    assert.strictEqual(await page.evaluate(() => document.cookie), "")

    await page.reload()
    await news(page, signedIn)
    await press(page, "Sign out")
    await numberField(page).waitFor()
    await page.reload()
    await numberField(page).waitFor()
    assert.deepStrictEqual(await page.context().cookies(), [])
  }),
)

test(
  "the keyboard alone signs in, and the focus follows the steps",
  onPage({}, async ({ code, page }) => {
    await page.keyboard.type(phoneNumber)
    await page.keyboard.press("Tab")
    assert.strictEqual(await focused(page), "Send me a code")
    await page.keyboard.press("Space")
    await codeField(page).waitFor()
    const stops = []
    for (let count = 0; count < 4; count++) {
      stops.push(await focused(page))
      await page.keyboard.press("Tab")
    }
    // The buttons that send the code again are off during the countdown.
    assert.deepStrictEqual(stops.slice(0, 3), ["code", "Sign in", "Change the number"])
    await codeField(page).focus()
    await page.keyboard.type(code(phoneNumber))
    await page.keyboard.press("Enter")
    await news(page, signedIn)
    assert.strictEqual(await focused(page), "Sign out")
    await page.keyboard.press("Enter")
    await numberField(page).waitFor()
    assert.strictEqual(await focused(page), "phone-number")
  }),
)

/** The seconds of the countdown. */
const secondsLeft = async (page: Page): Promise<number> => {
  const text = await page.getByText(/^We can send the code again in \d+ seconds\.$/).textContent()
  return Number(/\d+/.exec(text ?? ""))
}

const slowly = {
  resendCooldown: "110 seconds",
  expiresIn: { min: "1 minute", max: "1 hour", default: "1 hour" },
} as const

test(
  "a countdown shows when the code can be sent again, over either channel",
  onPage({ engine: { limits: slowly } }, async ({ clock, code, page, texts }) => {
    await page.clock.install()
    await page.reload()
    await start(page, phoneNumber)
    const again = button(page, "Send the code again")
    assert.isTrue(await again.isDisabled())
    await page.clock.runFor(30_000)
    assert.isAtMost(await secondsLeft(page), 80)
    assert.deepStrictEqual(await findings(page), [])
    // A reload asks the server how long it takes.
    await clock.advance("60 seconds")
    await page.reload()
    assert.isAtMost(await secondsLeft(page), 50)
    await clock.advance("50 seconds")
    await page.clock.runFor(50_000)
    await page.getByRole("status").getByText("We can send the code again now.").waitFor()
    assert.isTrue(await again.isEnabled())
    assert.deepStrictEqual(await findings(page), [])

    await again.click()
    await news(page, `We have sent the code to ${phoneNumber} again, by SMS.`)
    assert.isTrue(await again.isDisabled())
    await clock.advance("110 seconds")
    await page.clock.runFor(110_000)
    await press(page, "Send it over WhatsApp instead")
    await news(page, `We have sent the code to ${phoneNumber} again, over WhatsApp.`)
    await clock.advance("110 seconds")
    await page.clock.runFor(110_000)
    await press(page, "Send it by SMS instead")
    await news(page, `We have sent the code to ${phoneNumber} again, by SMS.`)
    assert.strictEqual(await again.count(), 0)

    const codes = texts(phoneNumber).map((text) => text.slice(0, 6))
    assert.deepStrictEqual(
      codes,
      Array.from({ length: 4 }, () => code(phoneNumber)),
    )
    await enter(page, code(phoneNumber))
    await news(page, signedIn)
  }),
)

test(
  "the number can be changed, which cancels the code",
  onPage({ engine: { limits: { pendingPerNumber: 1 } } }, async ({ code, page }) => {
    const other = "+8801712000002"
    await start(page, phoneNumber)
    await press(page, "Change the number")
    await numberField(page).waitFor()
    assert.strictEqual(await focused(page), "phone-number")
    assert.strictEqual(await numberField(page).inputValue(), phoneNumber)
    assert.strictEqual(await page.getByRole("alert").textContent(), "")
    // The number has its only place again.
    await start(page, phoneNumber)
    await press(page, "Change the number")
    await numberField(page).waitFor()
    await start(page, other)
    await enter(page, code(other))
    await news(page, `You are signed in as ${other}.`)
  }),
)

test(
  "a second tab signs in to the same session, and a third finds it ended",
  onPage({}, async ({ code, openTab, page }) => {
    await start(page, phoneNumber)
    const [second, third] = [await openTab(), await openTab()]
    await enter(page, code(phoneNumber))
    await news(page, signedIn)
    const cookies = await page.context().cookies()
    await enter(second, code(phoneNumber))
    await news(second, signedIn)
    assert.deepStrictEqual(await page.context().cookies(), cookies)
    await press(page, "Sign out")
    await numberField(page).waitFor()
    await enter(third, code(phoneNumber))
    await problem(third, "Please ask for a code first.")
    assert.deepStrictEqual(await page.context().cookies(), [])
  }),
)

const pasted: Readonly<Record<string, (code: string) => string>> = {
  "the whole message": (code) => `${code} is your verification code.\n@example.com #${code}`,
  "a code in Bangla digits": (code) =>
    [...code].map((digit) => "০১২৩৪৫৬৭৮৯"[Number(digit)]).join(""),
}

for (const [name, textOf] of Object.entries(pasted)) {
  test(
    `pasting ${name} signs in`,
    onPage({ permissions: ["clipboard-read", "clipboard-write"] }, async ({ code, page }) => {
      await start(page, phoneNumber)
      await page.evaluate((text) => navigator.clipboard.writeText(text), textOf(code(phoneNumber)))
      await page.keyboard.press("Control+V")
      await news(page, signedIn)
    }),
  )
}

test(
  "the browser takes the code from the SMS, and stops when the step is over",
  onPage(
    { engine: { verifications: { texts: { domain: "login.example.com" } } } },
    async ({ code, page, texts }) => {
      // Chromium on a computer has no SMS: this stands for its part of WebOTP.
      await page.addInitScript(() => {
        const waiting: Array<(code: string) => void> = []
        const get = ({ signal }: CredentialRequestOptions) =>
          new Promise((resolve, reject) => {
            waiting.push((code) => resolve({ code }))
            signal?.addEventListener("abort", () => reject(new Error("aborted")))
            signal?.addEventListener("abort", () => waiting.splice(0))
          })
        Object.assign(window, {
          OTPCredential: true,
          receive: (code: string) => waiting.map((take) => take(code)).length,
        })
        Object.defineProperty(navigator, "credentials", { value: { get } })
      })
      await page.reload()
      await start(page, phoneNumber)
      await press(page, "Change the number")
      await numberField(page).waitFor()
      assert.strictEqual(await page.evaluate("receive('123456')"), 0)
      await start(page, phoneNumber)
      assert.match(texts(phoneNumber).at(-1) ?? "", /\n@login\.example\.com #\d{6}$/)
      assert.strictEqual(await page.evaluate(`receive('${code(phoneNumber)}')`), 1)
      await news(page, signedIn)
    },
  ),
)

test(
  "the fields tell phones which values to offer",
  onPage({}, async ({ page }) => {
    const attributes = async (field: ReturnType<typeof codeField>) =>
      Promise.all(["autocomplete", "inputmode"].map((name) => field.getAttribute(name)))
    assert.deepStrictEqual(await attributes(numberField(page)), ["tel", "tel"])
    await start(page, phoneNumber)
    assert.deepStrictEqual(await attributes(codeField(page)), ["one-time-code", "numeric"])
  }),
)

test(
  "the page speaks Bangla to browsers that prefer it, and changes its language",
  onPage({ locale: "bn-BD" }, async ({ code, page, texts }) => {
    assert.strictEqual(await page.locator("html").getAttribute("lang"), "bn")
    await numberField(page).fill("১২")
    await press(page, "কোড পাঠান")
    await problem(page, "সঠিক ফোন নম্বর লিখুন, যেমন ০১৭১২-৩৪৫৬৭৮ বা +৮৮০ ১৭১২-৩৪৫৬৭৮।")
    await start(page, "০১৭১২ ০০০০০১")
    await news(page, `${phoneNumber} নম্বরে এসএমএসে একটি কোড পাঠানো হয়েছে।`)
    assert.include(texts(phoneNumber)[0], "আপনার যাচাই কোড")
    await page.getByText(/^[০-৯]+ সেকেন্ড পরে কোডটি আবার পাঠানো যাবে।$/).waitFor()
    await enter(page, wrong(code(phoneNumber)))
    await problem(page, "কোডটি সঠিক নয়। আর ২ বার চেষ্টা করতে পারবেন।")
    await page.getByRole("link", { name: "English" }).click()
    await news(page, `We have sent a code to ${phoneNumber} by SMS.`)
    await page.getByRole("link", { name: "বাংলা" }).click()
    await enter(page, code(phoneNumber))
    await news(page, `আপনি ${phoneNumber} নম্বরে সাইন ইন করেছেন।`)
  }),
)

test(
  "the forms work without JavaScript",
  onPage({ javaScriptEnabled: false }, async ({ clock, page, texts }) => {
    const says = (words: string | RegExp) => page.getByText(words, { exact: true }).waitFor()
    await start(page, phoneNumber)
    await says(/^We can send the code again in \d+ seconds\.$/)
    await press(page, "Send the code again")
    await says(/^We have just sent the code\. We can send it again in \d+ seconds\.$/)
    await clock.advance("30 seconds")
    await press(page, "Send the code again")
    await says(`We have sent the code to ${phoneNumber} again, by SMS.`)
    await enter(page, texts(phoneNumber)[0] ?? "")
    await says(signedIn)
    await press(page, "Sign out")
    await numberField(page).waitFor()
  }),
)

test(
  "the page keeps its step while the server cannot be reached",
  onPage({}, async ({ code, countersign, page }) => {
    await start(page, phoneNumber)
    await page.route("**/login/verify", (route) => route.abort())
    await enter(page, code(phoneNumber))
    await problem(page, "The server cannot be reached. Please try again.")
    await page.unroute("**/login/verify")
    await codeField(page).press("Enter")
    await news(page, signedIn)
    await press(page, "Sign out")
    await start(page, phoneNumber)
    // The engine answers no more, and so the page cannot be made.
    await countersign.dispose()
    await enter(page, code(phoneNumber))
    await problem(page, "The server cannot be reached. Please try again.")
  }),
)
