import { assert, test } from "vitest"
import { wrong } from "../../../../test/support/Example.ts"
import {
  codeField,
  enter,
  focused,
  loginPages,
  news,
  numberField,
  press,
  problem,
  start,
} from "../support/loginPages.ts"
import { smsOnly, switchedOff } from "../support/startApp.ts"

const onPage = loginPages()

const phoneNumber = "+8801712000001"

test(
  "an invalid number stays in the field",
  onPage({}, async ({ page }) => {
    await numberField(page).fill('12"><script>')
    await press(page, "Send me a code")
    await problem(page, "Please enter a phone number, as in 01712-345678 or +880 1712-345678.")
    assert.strictEqual(await numberField(page).inputValue(), '12"><script>')
    assert.strictEqual(await numberField(page).getAttribute("aria-invalid"), "true")
    assert.strictEqual(await focused(page), "phone-number")
  }),
)

test(
  "after three wrong codes a new code signs in",
  onPage({ colorScheme: "dark" }, async ({ code, page }) => {
    await start(page, phoneNumber)
    const first = code(phoneNumber)
    for (const words of [
      "That is not the code. Tries left: 2.",
      "That is not the code. Tries left: 1.",
    ]) {
      await enter(page, wrong(first))
      await problem(page, words)
    }
    await enter(page, wrong(first))
    await problem(page, "Too many wrong codes. Please ask for a new one.")
    // A reload shows the same.
    await page.goto("/")
    await problem(page, "Too many wrong codes. Please ask for a new one.")
    assert.strictEqual(await numberField(page).inputValue(), phoneNumber)
    await press(page, "Send me a code")
    await codeField(page).waitFor()
    await enter(page, code(phoneNumber))
    await news(page, `You are signed in as ${phoneNumber}.`)
  }),
)

test(
  "an expired code asks for a new one",
  onPage({}, async ({ clock, code, page }) => {
    await start(page, phoneNumber)
    await clock.advance("5 minutes")
    await enter(page, code(phoneNumber))
    await problem(page, "The code has expired. Please ask for a new one.")
    await page.goto("/")
    await problem(page, "The code has expired. Please ask for a new one.")
    await press(page, "Send me a code")
    await codeField(page).waitFor()
    await enter(page, code(phoneNumber))
    await news(page, `You are signed in as ${phoneNumber}.`)
  }),
)

test(
  "an old tab cannot send the code again too often",
  onPage({ engine: { limits: { resends: 1 } } }, async ({ clock, openTab, page, texts }) => {
    await start(page, phoneNumber)
    await clock.advance("30 seconds")
    await page.reload()
    const old = await openTab()
    await press(page, "Send the code again")
    await news(page, `We have sent the code to ${phoneNumber} again, by SMS.`)
    await press(old, "Send the code again")
    await problem(old, "We cannot send this code again. Is the number right?")
    assert.lengthOf(texts(phoneNumber), 2)
  }),
)

test(
  "an old tab learns of the cooldown from the server",
  onPage({}, async ({ clock, openTab, page, texts }) => {
    await start(page, phoneNumber)
    await clock.advance("30 seconds")
    await page.reload()
    const old = await openTab()
    await press(page, "Send the code again")
    await news(page, `We have sent the code to ${phoneNumber} again, by SMS.`)
    await press(old, "Send it over WhatsApp instead")
    await problem(old, /^We have just sent the code. We can send it again in \d\d? seconds\.$/)
    assert.lengthOf(texts(phoneNumber), 2)
  }),
)

test(
  "a code that another tab has cancelled signs in no more",
  onPage({}, async ({ code, openTab, page }) => {
    await start(page, phoneNumber)
    const other = await openTab()
    await press(other, "Change the number")
    await numberField(other).waitFor()
    await enter(page, code(phoneNumber))
    await problem(page, "This code was cancelled. Please ask for a new one.")
  }),
)

test(
  "a number with five codes gets no sixth",
  onPage({}, async ({ countersign, page }) => {
    for (let count = 0; count < 5; count++) await countersign.verifications.send({ phoneNumber })
    await numberField(page).fill(phoneNumber)
    await press(page, "Send me a code")
    await problem(
      page,
      /^This number has several codes already\. Please try again in \d minutes\.$/,
    )
  }),
)

test(
  "a number gets only so many codes in a day",
  onPage(
    { engine: { limits: { sendsPerNumber: { max: 1, per: "1 day" } } } },
    async ({ clock, page }) => {
      await start(page, phoneNumber)
      await press(page, "Change the number")
      await numberField(page).waitFor()
      await clock.advance("20 hours")
      const answered = page.waitForResponse("**/login/start")
      await press(page, "Send me a code")
      await problem(page, "That was too often. Please try again in 4 hours.")
      const answer = await answered
      assert.strictEqual(answer.status(), 429)
      assert.isAbove(Number(answer.headers()["retry-after"]), 3 * 3_600)
    },
  ),
)

test(
  "a visitor gets only so many codes, over all numbers",
  onPage({ engine: { limits: { sendsPerClient: { max: 2, per: "1 day" } } } }, async ({ page }) => {
    for (const other of ["+8801712000002", "+8801712000003"]) {
      await start(page, other)
      await press(page, "Change the number")
      await numberField(page).waitFor()
    }
    await numberField(page).fill(phoneNumber)
    await press(page, "Send me a code")
    await problem(page, "That was too often. Please try again in 24 hours.")
  }),
)

test(
  "a visitor tries only so many codes, over all numbers",
  onPage(
    { engine: { limits: { checksPerClient: { max: 1, per: "1 day" } } } },
    async ({ code, page }) => {
      await start(page, phoneNumber)
      await enter(page, wrong(code(phoneNumber)))
      await problem(page, "That is not the code. Tries left: 2.")
      await enter(page, code(phoneNumber))
      await problem(page, "That was too often. Please try again in 24 hours.")
    },
  ),
)

test(
  "a code that has signed in elsewhere signs in no more",
  onPage({}, async ({ code, countersign, page }) => {
    await start(page, phoneNumber)
    const { items: messages } = await countersign.messages.list()
    const requestId = String(messages[0]?.requestId)
    const purpose = "login"
    await countersign.verifications.verify({ requestId, code: code(phoneNumber), purpose })
    await enter(page, code(phoneNumber))
    await problem(page, "This code has signed in before. Please ask for a new one.")
  }),
)

test(
  "an empty balance is not the problem of the user",
  onPage({ engine: { prices: { sms: "0.50" } } }, async ({ page }) => {
    await numberField(page).fill(phoneNumber)
    const answered = page.waitForResponse("**/login/start")
    await press(page, "Send me a code")
    await problem(page, "That did not work. Please try again later.")
    assert.strictEqual((await answered).status(), 503)
  }),
)

test(
  "a gateway that fails is a problem of this number",
  onPage({}, async ({ page }) => {
    await numberField(page).fill(switchedOff)
    await press(page, "Send me a code")
    await problem(page, "The code could not be sent to this number.")
    assert.strictEqual(await numberField(page).inputValue(), switchedOff)
  }),
)

test(
  "a number without WhatsApp gets the code by SMS",
  onPage({}, async ({ clock, code, page }) => {
    await start(page, smsOnly)
    await clock.advance("30 seconds")
    await page.reload()
    await press(page, "Send it over WhatsApp instead")
    await problem(page, "This number is not on WhatsApp.")
    await news(page, `We have sent a code to ${smsOnly} by SMS.`)
    await enter(page, code(smsOnly))
    await news(page, `You are signed in as ${smsOnly}.`)
  }),
)

test(
  "WhatsApp is offered only where a gateway has it",
  onPage({ channels: ["sms"] }, async ({ clock, page }) => {
    await start(page, phoneNumber)
    await clock.advance("30 seconds")
    await page.reload()
    const names = await page.getByRole("button").allTextContents()
    assert.deepStrictEqual(
      names.map((name) => name.trim()),
      ["Sign in", "Send the code again", "Change the number"],
    )
  }),
)
