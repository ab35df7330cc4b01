import { assert, test } from "vitest"
import { wrong } from "../../../test/support/Example.ts"
import {
  codeField,
  enter,
  focused,
  loginPages,
  news,
  numberField,
  press,
  problem,
  smsOnly,
  start,
  switchedOff,
} from "./support/loginPages.ts"

const { missing, onPage } = loginPages()

const phoneNumber = "+8801712000001"

test("an invalid number stays in the field", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ page }) => {
    await numberField(page).fill('12"><script>')
    await press(page, "Send me a code")
    await problem(page, "Please enter a phone number, as in 01712-345678 or +880 1712-345678.")
    assert.strictEqual(await numberField(page).inputValue(), '12"><script>')
    assert.strictEqual(await numberField(page).getAttribute("aria-invalid"), "true")
    assert.strictEqual(await focused(page), "phone-number")
  })
})

test("after three wrong codes a new code signs in", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ code, page }) => {
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
  })
})

test("an expired code asks for a new one", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ clock, code, page }) => {
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
  })
})

test("an old tab cannot send the code again too early or too often", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const limits = { resends: 1 }
  await onPage({ engine: { limits } }, async ({ clock, openTab, page, texts }) => {
    await start(page, phoneNumber)
    await clock.advance("30 seconds")
    await page.reload()
    const old = await openTab()
    await press(page, "Send the code again")
    await news(page, `We have sent the code to ${phoneNumber} again, by SMS.`)
    await press(old, "Send the code again")
    await problem(old, "We cannot send this code again. Is the number right?")
    assert.lengthOf(texts(phoneNumber), 2)
  })
})

test("an old tab learns of the cooldown from the server", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ clock, openTab, page, texts }) => {
    await start(page, phoneNumber)
    await clock.advance("30 seconds")
    await page.reload()
    const old = await openTab()
    await press(page, "Send the code again")
    await news(page, `We have sent the code to ${phoneNumber} again, by SMS.`)
    await press(old, "Send it over WhatsApp instead")
    await problem(old, /^We have just sent the code. We can send it again in \d\d? seconds\.$/)
    assert.lengthOf(texts(phoneNumber), 2)
  })
})

test("a code that another tab has cancelled signs in no more", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ code, openTab, page }) => {
    await start(page, phoneNumber)
    const other = await openTab()
    await press(other, "Change the number")
    await numberField(other).waitFor()
    await enter(page, code(phoneNumber))
    await problem(page, "This code was cancelled. Please ask for a new one.")
  })
})

test("a number with five codes gets no sixth", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ countersign, page }) => {
    for (let count = 0; count < 5; count++) await countersign.verifications.send({ phoneNumber })
    await numberField(page).fill(phoneNumber)
    await press(page, "Send me a code")
    await problem(page, "This number has several codes already. Please try again in 5 minutes.")
  })
})

test("a number gets only so many codes in an hour", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  const sendsPerNumber = { max: 1, windowMillis: 3_600_000 }
  await onPage({ engine: { limits: { sendsPerNumber } } }, async ({ clock, page }) => {
    await start(page, phoneNumber)
    await press(page, "Change the number")
    await numberField(page).waitFor()
    await clock.advance("15 minutes")
    const answered = page.waitForResponse("**/login/start")
    await press(page, "Send me a code")
    await problem(page, "That was too often. Please try again in 45 minutes.")
    const answer = await answered
    assert.strictEqual(answer.status(), 429)
    assert.isAbove(Number(answer.headers()["retry-after"]), 40 * 60)
  })
})

test("a gateway that fails is a problem of this number", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ page }) => {
    await numberField(page).fill(switchedOff)
    await press(page, "Send me a code")
    await problem(page, "The code could not be sent to this number.")
    assert.strictEqual(await numberField(page).inputValue(), switchedOff)
  })
})

test("a number without WhatsApp gets the code by SMS", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({}, async ({ clock, code, page }) => {
    await start(page, smsOnly)
    await clock.advance("30 seconds")
    await page.reload()
    await press(page, "Send it over WhatsApp instead")
    await problem(page, "This number is not on WhatsApp.")
    await news(page, `We have sent a code to ${smsOnly} by SMS.`)
    await enter(page, code(smsOnly))
    await news(page, `You are signed in as ${smsOnly}.`)
  })
})

test("WhatsApp is offered only where a gateway has it", async ({ skip }) => {
  if (missing() !== undefined) return skip(missing())
  await onPage({ channels: ["sms"] }, async ({ clock, page }) => {
    await start(page, phoneNumber)
    await clock.advance("30 seconds")
    await page.reload()
    const names = await page.getByRole("button").allTextContents()
    assert.deepStrictEqual(
      names.map((name) => name.trim()),
      ["Sign in", "Send the code again", "Change the number"],
    )
  })
})
