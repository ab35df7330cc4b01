// @vitest-environment page
/** The components in a document, against a login on the engine. */
import {
  bangla,
  createFetcher,
  useCodeInput,
  useVerification,
  VerificationForm,
  type VerifiedState,
} from "@countersign/react"
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react"
import { type Countersign, createCountersign, developmentGateway } from "countersign"
import { createLogin } from "countersign/login"
import { createElement, StrictMode } from "react"
import { renderToString } from "react-dom/server"
import { afterAll, afterEach, assert, beforeAll, expect, test, vi } from "vitest"

const gateway = developmentGateway()
let countersign: Countersign
let login: ReturnType<typeof createLogin>

beforeAll(async () => {
  countersign = await createCountersign({
    database: "memory",
    gateways: [gateway],
    secret: "a secret for tests, and only for tests",
    log: () => {},
  })
  login = createLogin(countersign, {
    country: "BD",
    onVerified: ({ phoneNumber }) => Response.json({ userId: phoneNumber }),
  })
})
afterAll(() => countersign.dispose())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** `assert.strictEqual` would print the whole document. */
const assertFocus = (element: HTMLElement): void =>
  assert.isTrue(document.activeElement === element, `the focus is on another element`)

let next = 0
/** As its owner types it, and in E.164. */
const newNumber = () => {
  next += 1
  const typed = `01712${String(next).padStart(6, "0")}`
  return { typed, phoneNumber: `+88${typed}` }
}

/** A browser with cookies, whose pages speak to the login. */
const newBrowser = () => {
  let cookie = ""
  let isOnline = true
  const calls: Array<string> = []
  const fetcher = createFetcher({
    basePath: "/login",
    fetch: async (path, { body = null, headers, method = "GET" }) => {
      if (!isOnline) throw new TypeError("Failed to fetch")
      calls.push(path.slice("/login/".length))
      const request = new Request(`http://127.0.0.1${path}`, { method, body })
      for (const [name, value] of new Headers(headers)) request.headers.set(name, value)
      request.headers.set("cookie", cookie)
      const response = await login.fetch(request)
      const [set] = response.headers.getSetCookie()
      if (set !== undefined) cookie = set.split(";")[0] ?? ""
      return response
    },
  })
  return {
    fetcher,
    /** The calls of the protocol that changed something. */
    changes: () => calls.filter((call) => call !== "state"),
    setOnline: (value: boolean) => {
      isOnline = value
    },
  }
}

type Browser = ReturnType<typeof newBrowser>

interface Options {
  readonly isStrict?: boolean
  readonly texts?: typeof bangla
}

/** Opens a page with the form. */
const open = ({ fetcher }: Browser, { isStrict = false, ...looks }: Options = {}) => {
  const onVerified = vi.fn<(verified: VerifiedState) => void>()
  const form = createElement(VerificationForm, { fetcher, onVerified, ...looks })
  return { onVerified, ...render(isStrict ? createElement(StrictMode, null, form) : form) }
}

const numberField = () => screen.findByLabelText<HTMLInputElement>("Phone number")
const codeField = () => screen.findByLabelText<HTMLInputElement>("Code from the message")
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }))
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })
const paste = (field: HTMLElement, text: string) =>
  fireEvent.paste(field, { clipboardData: { getData: () => text } })
const alert = (text: string | RegExp) =>
  vi.waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(text))
const status = (text: string | RegExp) =>
  vi.waitFor(() => expect(screen.getByRole("status").textContent).toMatch(text))

const start = async (typed: string): Promise<HTMLInputElement> => {
  type(await numberField(), typed)
  press("Send code")
  return codeField()
}

const otherCode = (code: string): string => (code === "111111" ? "222222" : "111111")

test("a number and a code verify it, with one call for each step in StrictMode as well", async () => {
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  const { onVerified } = open(browser, { isStrict: true })
  type(await numberField(), typed)
  press("Send code")
  press("Send code")
  const field = await codeField()
  await status(`We sent a code to ${phoneNumber} by SMS.`)
  assertFocus(field)
  const code = gateway.latestCode(phoneNumber)
  type(field, code.slice(0, 5))
  type(field, code)
  type(field, code)
  paste(field, code)
  await status("Your phone number is verified.")
  assert.deepStrictEqual(browser.changes(), ["start", "check"])
  assert.deepStrictEqual(onVerified.mock.calls, [
    [{ status: "verified", phoneNumber, data: { userId: phoneNumber } }],
  ])
})

test("a number that was typed before the page had its scripts is kept", async () => {
  const { fetcher } = newBrowser()
  const { phoneNumber, typed } = newNumber()
  const form = createElement(VerificationForm, { fetcher })
  const container = document.body.appendChild(document.createElement("div"))
  container.innerHTML = renderToString(form)
  // Without an event, because nothing listens yet.
  const field = await numberField()
  field.value = typed
  render(form, { container, hydrate: true })
  await vi.waitFor(() => expect(screen.getByRole("status")).toBeDefined())
  assert.strictEqual(field.value, typed)
  press("Send code")
  await status(`We sent a code to ${phoneNumber} by SMS.`)
})

test("a wrong code empties the field, and is not sent a second time", async () => {
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  open(browser)
  const field = await start(typed)
  const code = gateway.latestCode(phoneNumber)
  type(field, otherCode(code))
  await alert("Wrong code. Attempts left: 2.")
  assert.strictEqual(field.value, "")
  assertFocus(field)
  assert.strictEqual(field.getAttribute("aria-invalid"), "true")
  paste(field, otherCode(code))
  assert.strictEqual(field.value, "")
  await alert("Wrong code. Attempts left: 2.")
  paste(field, code)
  await status("Your phone number is verified.")
  assert.deepStrictEqual(browser.changes(), ["start", "check", "check"])
})

test("too many wrong codes end the request, and a new one begins with the same number", async () => {
  const { phoneNumber, typed } = newNumber()
  open(newBrowser())
  const field = await start(typed)
  const code = gateway.latestCode(phoneNumber)
  const wrong = ["111111", "222222", "333333", "444444"].filter((one) => one !== code)
  type(field, wrong[0] ?? "")
  await alert("Attempts left: 2.")
  type(field, wrong[1] ?? "")
  await alert("Attempts left: 1.")
  type(field, wrong[2] ?? "")
  const again = await screen.findByRole("button", { name: "Send a new code" })
  assertFocus(again)
  fireEvent.click(again)
  type(await codeField(), gateway.latestCode(phoneNumber))
  await status("Your phone number is verified.")
})

test("the whole message may be pasted, with the digits of Bangla and after a few typed digits", async () => {
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  open(browser, { texts: bangla })
  type(await screen.findByLabelText("ফোন নম্বর"), typed)
  fireEvent.click(screen.getByRole("button", { name: "কোড পাঠান" }))
  const field = await screen.findByLabelText("মেসেজে পাওয়া কোড")
  const digits = gateway
    .latestCode(phoneNumber)
    .replaceAll(/\d/g, (digit) => bangla.digits.charAt(Number(digit)))
  type(field, "১২")
  paste(field, `আপনার কোড ${digits}। কাউকে দেবেন না।`)
  await status("আপনার ফোন নম্বর যাচাই হয়েছে।")
  assert.deepStrictEqual(browser.changes(), ["start", "check"])
})

test("a reload goes on with the request, and after the login the kept page begins again", async () => {
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  const first = open(browser)
  await start(typed)
  first.unmount()
  open(browser)
  type(await codeField(), gateway.latestCode(phoneNumber))
  await status("Your phone number is verified.")
  act(() => {
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }))
  })
  await numberField()
})

test("a code for another number in another tab costs no attempt here", async () => {
  const browser = newBrowser()
  const [mine, other] = [newNumber(), newNumber()]
  const tab = open(browser)
  const field = await start(mine.typed)
  await browser.fetcher.start({ phoneNumber: other.phoneNumber })
  type(field, gateway.latestCode(other.phoneNumber))
  await alert("A code for another number was requested in another tab.")
  tab.unmount()
  open(browser)
  type(await codeField(), gateway.latestCode(other.phoneNumber))
  await status("Your phone number is verified.")
})

test("a lost connection keeps the code for another try", async () => {
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  open(browser)
  const field = await start(typed)
  browser.setOnline(false)
  type(field, gateway.latestCode(phoneNumber))
  await alert("No connection.")
  assert.strictEqual(field.value, gateway.latestCode(phoneNumber))
  browser.setOnline(true)
  press("Check code")
  await status("Your phone number is verified.")
})

test("a number that the server refuses stays in its field", async () => {
  open(newBrowser())
  const field = await numberField()
  type(field, "017")
  press("Send code")
  await alert("Enter a valid phone number.")
  assert.strictEqual(field.value, "017")
})

test("another number takes the place of the first one", async () => {
  const browser = newBrowser()
  const [first, second] = [newNumber(), newNumber()]
  open(browser)
  await start(first.typed)
  press("Use another number")
  const field = await numberField()
  assertFocus(field)
  type(await start(second.typed), gateway.latestCode(second.phoneNumber))
  await status("Your phone number is verified.")
  assert.deepStrictEqual(browser.changes(), ["start", "cancel", "start", "check"])
})

test("the code is sent again after the countdown, and expires", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] })
  const pass = (seconds: number) => act(() => vi.advanceTimersByTime(seconds * 1000))
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  open(browser)
  await start(typed)
  press("Send it again in 0:30")
  pass(10)
  press("Send it again in 0:20")
  assert.isDefined(screen.getByText("The code is valid for 4:50."))
  assert.deepStrictEqual(browser.changes(), ["start"])
  pass(20)
  press("Send it again")
  await status(`We sent a code to ${phoneNumber} by SMS.`)
  assert.deepStrictEqual(browser.changes(), ["start", "resend"])
  assertFocus(await codeField())
  pass(271)
  await alert("The code has expired. Ask for a new one.")
})

/** A form of the host: the hook, and a plain input. */
const OwnForm = ({ fetcher, phoneNumber }: Pick<Browser, "fetcher"> & { phoneNumber: string }) => {
  const verification = useVerification({ fetcher })
  const { inputProps } = useCodeInput(verification)
  const { expiresInSeconds, resendInSeconds, start: send, state } = verification
  return createElement(
    "div",
    null,
    createElement("button", { onClick: () => send({ phoneNumber }) }, "Send"),
    createElement("input", { ...inputProps, "aria-label": "Code" }),
    createElement(
      "p",
      { role: "status" },
      [state.status, expiresInSeconds, resendInSeconds].join(),
    ),
  )
}

test("a form of the host has the same rules with the hook and one input", async () => {
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  render(createElement(OwnForm, { fetcher: browser.fetcher, phoneNumber: typed }))
  const field = screen.getByLabelText<HTMLInputElement>("Code")
  await status("idle,,")
  assert.isTrue(field.readOnly)
  press("Send")
  press("Send")
  await status(/^waiting,(300|2\d\d),(30|[12]?\d)$/)
  const code = gateway.latestCode(phoneNumber)
  type(field, "1a২")
  assert.strictEqual(field.value, "12")
  type(field, otherCode(code))
  await status(/^waiting,(300|2\d\d),(30|[12]?\d)$/)
  await vi.waitFor(() => expect(field.value).toBe(""))
  paste(field, `Your code is ${code}.`)
  await status("verified,,")
  assert.deepStrictEqual(browser.changes(), ["start", "check", "check"])
})

test("the browser reads the code of an SMS, and stops when a code is checked", async () => {
  const signals: Array<AbortSignal> = []
  const { promise, resolve } = Promise.withResolvers<{ readonly code: string }>()
  vi.stubGlobal("OTPCredential", Object)
  const credentials = {
    get: ({ signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal)
      return promise
    },
  }
  Object.defineProperty(navigator, "credentials", { value: credentials, configurable: true })
  const browser = newBrowser()
  const { phoneNumber, typed } = newNumber()
  open(browser, { isStrict: true })
  await start(typed)
  resolve({ code: gateway.latestCode(phoneNumber) })
  await status("Your phone number is verified.")
  assert.isNotEmpty(signals)
  assert.isTrue(signals.every(({ aborted }) => aborted))
  assert.deepStrictEqual(browser.changes(), ["start", "check"])
  Reflect.deleteProperty(navigator, "credentials")
  vi.unstubAllGlobals()
})
