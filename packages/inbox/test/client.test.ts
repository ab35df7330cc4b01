import { createServer } from "node:http"
import { afterAll, assert, beforeAll, beforeEach, test } from "vitest"
import { end, listen } from "../../../test/support/loopback.ts"
import { inboxClient, NoCodeError } from "../src/client.ts"
import { createInbox, type InboxActions } from "../src/index.ts"
import { inboxFixtures } from "../src/playwright.ts"
import { testPhone } from "../src/vitest.ts"
import { type Sent, sendThrough } from "./support/phones.ts"

const to = "+8801712345678"
const inbox = createInbox()
const server = createServer(inbox.listener)
let origin: string
let client: InboxActions

beforeAll(async () => {
  origin = `http://127.0.0.1:${await listen(server)}`
  client = inboxClient(`${origin}/inbox/`)
})

afterAll(async () => {
  await inbox.dispose()
  end(server)
})

beforeEach(() => client.clear())

const send = (message: Sent) => sendThrough(inbox, message)

test("a code is read over HTTP when it comes", async () => {
  const waiting = client.waitForCode({ phoneNumber: to })
  await send({ to, code: "730164" })
  assert.strictEqual(await waiting, "730164")
  const [message] = await client.messages({ phoneNumber: to, limit: 1 })
  assert.deepInclude(message, { code: "730164", to })
  await send({ to, code: "904417" })
  assert.strictEqual(await client.waitForCode({ phoneNumber: to, after: message?.id }), "904417")
  assert.strictEqual(await client.latestCode(to), "904417")
})

test("a wait without a code rejects, and quotes no number", async () => {
  const error = await client
    .waitForCode({ phoneNumber: to, timeout: "1 millisecond" })
    .catch((cause: unknown) => cause)
  assert.instanceOf(error, NoCodeError)
  assert.strictEqual(error.message, "No code was sent to this number within 1 millisecond")
})

test("messages are reported on over HTTP", async () => {
  await client.deliver("by-hand")
  await send({ to })
  await client.deliver("at-once")
  const [open] = await client.messages()
  const id = open?.id ?? ""
  assert.strictEqual(await client.report({ id, status: "undelivered" }), "done")
  assert.strictEqual(await client.report({ id, status: "delivered" }), "final")
  assert.strictEqual(await client.report({ id: "msg_0", status: "never" }), "unknown message")
})

test.each([
  [
    "an invalid number",
    () => client.waitForCode({ phoneNumber: "x" }),
    /answered 400: .*to must be/,
  ],
  ["an address without an inbox", () => inboxClient(origin).messages(), /answered 404/],
  ["a limit that is too high", () => client.messages({ limit: 501 }), /limit must be/],
] as const)("%s is a clear error", async (_what, call, expected) => {
  const error = await call().catch((cause: unknown) => cause)
  assert.match(String(error), expected)
})

test("the fixture of Playwright ignores codes from before the test", async () => {
  await send({ to, code: "1111" })
  const options = { baseURL: origin, inboxUrl: "/inbox" }
  await inboxFixtures.inbox(options, async (fixture) => {
    const waiting = fixture.waitForCode({ phoneNumber: to })
    await send({ to, code: "2222" })
    assert.strictEqual(await waiting, "2222")
  })
  const relative = { baseURL: undefined, inboxUrl: "/inbox" }
  const error = await inboxFixtures
    .inbox(relative, () => Promise.resolve())
    .catch((cause: unknown) => cause)
  assert.match(String(error), /inboxUrl must be a whole address, or baseURL must be set/)
})

test("the phone of Playwright attaches its messages to a failed test, and to no other", async () => {
  const attached: Array<string> = []
  const play = async (status: string) => {
    const info = {
      status,
      expectedStatus: "passed",
      attach: async (name: string, { body }: { readonly body: string }) =>
        void attached.push(`${name}: ${body}`),
    }
    await inboxFixtures.phone(
      { inbox: client, phonePattern: "+88018########" },
      async ({ code, phoneNumber }) => {
        assert.match(phoneNumber, /^\+88018\d{8}$/)
        const waiting = code()
        await send({ to: phoneNumber, code: "730164" })
        assert.strictEqual(await waiting, "730164")
      },
      info,
    )
  }
  await play("passed")
  assert.deepStrictEqual(attached, [])
  await play("failed")
  assert.match(attached.join(), /^messages: Messages to \+88018\d{8}: 1\n.* sms, delivered: /)
})

test("the phone of vitest has a number of its own, and gives each code once", async () => {
  const [phone, other] = [await testPhone(inbox), await testPhone(client)]
  assert.notStrictEqual(phone.phoneNumber, other.phoneNumber)
  await send({ to: phone.phoneNumber, code: "1111" })
  await send({ to: other.phoneNumber, code: "2222" })
  assert.strictEqual(await phone.code(), "1111")
  const next = phone.code()
  await send({ to: phone.phoneNumber, code: "3333" })
  assert.deepStrictEqual([await next, await other.code()], ["3333", "2222"])
  const none = await phone.code({ timeout: "1 millisecond" }).catch((cause: unknown) => cause)
  assert.instanceOf(none, NoCodeError)
  const wrong = await testPhone(inbox, { pattern: "017" }).catch((cause: unknown) => cause)
  assert.match(String(wrong), /A pattern of phone numbers is like \+88017########, and not 017/)
})
