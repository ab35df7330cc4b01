/** The login of `@countersign/react` in Chromium, as users of a phone and of a screen reader meet it. */
import type { Page } from "playwright-core"
import { assert, describe, expect, test } from "vitest"
import { findings, type Lab, reactPages, versions } from "./reactPages.ts"

const typed = "01712-345678"
const phoneNumber = "+8801712345678"

const numberField = (page: Page) => page.getByLabel(/^(Phone number|ফোন নম্বর)$/)
const codeField = (page: Page) => page.getByLabel(/^(Code from the message|মেসেজে পাওয়া কোড)$/)
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

const start = async (page: Page): Promise<void> => {
  await numberField(page).fill(typed)
  await page.keyboard.press("Enter")
  await codeField(page).waitFor()
}

/** As the suggestion of a keyboard does: the whole text at once. */
const insert = async (page: Page, text: string): Promise<void> => {
  await codeField(page).focus()
  await page.keyboard.insertText(text)
}

const welcome = (page: Page) => page.getByRole("heading", { name: "Welcome" }).waitFor()
const problem = (page: Page, words: string | RegExp) =>
  page.getByRole("alert").getByText(words).waitFor()

const otherCode = (code: string): string => (code === "111111" ? "222222" : "111111")

/** What a screen reader is given, with its roles, names and states. */
const tree = async (page: Page): Promise<string> => {
  const snapshot = await page.getByRole("main").locator("form").ariaSnapshot()
  return snapshot.replaceAll(/\d:\d\d/g, "M:SS")
}

const bangla = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => "০১২৩৪৫৬৭৮৯".charAt(Number(digit)))

const paste = async (page: Page, text: string): Promise<void> => {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await codeField(page).focus()
  await page.keyboard.press("Control+V")
}

describe.each(versions)("on React %s", (version) => {
  const onPage = reactPages(version)

  test(
    "a screen reader has every step, problem and result, and axe finds nothing",
    onPage({}, async ({ calls, gateway, page }: Lab) => {
      await numberField(page).waitFor()
      assert.strictEqual(
        await tree(page),
        [
          "- status",
          "- text: Phone number",
          '- textbox "Phone number"',
          "- alert",
          '- button "Send code"',
        ].join("\n"),
      )
      assert.deepStrictEqual(await findings(page), [])
      await start(page)
      const field = codeField(page)
      await expect
        .poll(() => field.evaluate((input) => input === document.activeElement))
        .toBe(true)
      assert.strictEqual(
        await tree(page),
        [
          `- status: We sent a code to ${phoneNumber} by SMS.`,
          "- text: Code from the message",
          '- textbox "Code from the message"',
          "- alert",
          '- button "Check code"',
          "- paragraph: The code is valid for M:SS.",
          '- button "Send it again in M:SS" [disabled]',
          '- button "Use another number"',
        ].join("\n"),
      )
      assert.deepStrictEqual(await findings(page), [])
      const code = gateway.latestCode(phoneNumber)
      await page.keyboard.type(otherCode(code))
      await problem(page, "Wrong code. Attempts left: 2.")
      assert.include(await tree(page), '- alert: "Wrong code. Attempts left: 2."')
      assert.strictEqual(await field.getAttribute("aria-invalid"), "true")
      assert.strictEqual(
        await field.evaluate(
          (input) =>
            document.getElementById(input.getAttribute("aria-describedby") ?? "")?.textContent,
        ),
        "Wrong code. Attempts left: 2.",
      )
      assert.deepStrictEqual(await findings(page), [])
      await page.keyboard.type(code)
      await welcome(page)
      assert.deepStrictEqual(calls, ["start", "check", "check"])
    }),
  )

  test(
    "the stylesheet has enough contrast in the dark, and fits a narrow phone, in Bangla",
    onPage(
      { colorScheme: "dark", viewport: { width: 320, height: 640 } },
      async ({ gateway, page }) => {
        await numberField(page).waitFor()
        assert.deepStrictEqual(await findings(page), [])
        await start(page)
        await insert(page, bangla(otherCode(gateway.latestCode(phoneNumber))))
        await problem(page, "কোডটি ভুল। আর ২ বার চেষ্টা করা যাবে।")
        assert.deepStrictEqual(await findings(page), [])
        await insert(page, bangla(gateway.latestCode(phoneNumber)))
        await welcome(page)
      },
      "?bangla",
    ),
  )

  test(
    "the whole message is pasted over what was typed, and one press of Enter sends one code",
    onPage(
      { permissions: ["clipboard-read", "clipboard-write"] },
      async ({ calls, gateway, page }) => {
        await numberField(page).fill("017")
        await page.keyboard.press("Enter")
        assert.strictEqual(
          await numberField(page).evaluate((input: HTMLInputElement) => input.validationMessage),
          "Enter a valid phone number.",
        )
        await numberField(page).fill(typed)
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await codeField(page).waitFor()
        await page.keyboard.type("12")
        await paste(page, `আপনার কোড ${bangla(gateway.latestCode(phoneNumber))}। কাউকে দেবেন না।`)
        await welcome(page)
        assert.deepStrictEqual(calls, ["start", "check"])
      },
      "?parse",
    ),
  )

  test(
    "the way back after a login shows a new form, and a reload goes on with a request",
    onPage({}, async ({ gateway, page }) => {
      await start(page)
      await insert(page, gateway.latestCode(phoneNumber))
      await welcome(page)
      await page.goBack()
      await numberField(page).waitFor()
      await start(page)
      await page.reload()
      await codeField(page).waitFor()
    }),
  )

  test(
    "a device whose clock is wrong counts down correctly, and asks the server at the end",
    onPage({}, async ({ calls, clock, gateway, openTab, page }) => {
      await page.close()
      const tab = await openTab("?before")
      await tab.clock.install({ time: new Date("2001-02-03T04:05:06Z") })
      await tab.goto("/")
      await start(tab)
      await tab.getByText(/The code is valid for (5:00|4:5\d)/).waitFor()
      await tab.getByRole("button", { name: /Send it again in 0:(30|2\d)/ }).waitFor()
      await clock.advance("30 seconds")
      await tab.clock.runFor(30_000)
      await press(tab, "Send it again")
      await tab.getByRole("button", { name: /^Send it again in/ }).waitFor()
      assert.deepStrictEqual(calls, ["start", "resend"])
      // As after sleep: the timers were late.
      await clock.advance("5 minutes")
      await tab.clock.fastForward(300_000)
      await problem(tab, "The code has expired. Ask for a new one.")
      assert.deepStrictEqual(await findings(tab), [])
      await press(tab, "Send a new code")
      // Before that, the latest code is the old one.
      await tab.getByRole("button", { name: /^Send it again in/ }).waitFor()
      await insert(tab, gateway.latestCode(phoneNumber))
      await welcome(tab)
    }),
  )

  test(
    "another tab with another number is noticed before an attempt is used",
    onPage({}, async ({ gateway, openTab, page }) => {
      await start(page)
      const tab = await openTab()
      await press(tab, "Use another number")
      await numberField(tab).fill("01812345678")
      await tab.keyboard.press("Enter")
      await codeField(tab).waitFor()
      await page.bringToFront()
      await insert(page, gateway.latestCode("+8801812345678"))
      await problem(page, /requested in another tab/)
      await tab.bringToFront()
      await insert(tab, gateway.latestCode("+8801812345678"))
      await welcome(tab)
    }),
  )
})
