import { assert, onTestFinished, test, vi } from "vitest"
import { createInbox, NoCodeError, NotForProductionError } from "../src/index.ts"
import { sendThrough as send } from "./support/phones.ts"

const to = "+8801712345678"

/** The rejection of a promise; fails if it resolves. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("resolved"),
    (error: unknown) => error,
  )

test("a code is read in the process, in any spelling of the number", async () => {
  await using inbox = createInbox()
  const waiting = inbox.waitForCode({ phoneNumber: "880 1712-345678" })
  await send(inbox, { to, code: "730164" })
  assert.strictEqual(await waiting, "730164")
  const [message] = await inbox.messages({ phoneNumber: to })
  assert.deepInclude(message, { code: "730164", price: null, currency: null })
})

test("latestCode returns the newest code at once, and rejects without one", async () => {
  await using inbox = createInbox()
  const error = await rejection(inbox.latestCode(to))
  assert.instanceOf(error, NoCodeError)
  assert.strictEqual(error.message, "No code was sent to this number")
  await send(inbox, { to, code: "730164" })
  await send(inbox, { to, code: "904417" })
  assert.strictEqual(await inbox.latestCode("880 1712-345678"), "904417")
})

test.each([
  [{ phoneNumber: "my phone" }, /^phoneNumber must be the number of a phone/],
  [{ timeout: 5_000 }, /^timeout must be a number with its unit: write "5 seconds"/],
  [{ timeout: "soon" }, /^timeout must be/],
])("waitForCode rejects %j at once", async (options, expected) => {
  await using inbox = createInbox()
  const error = await rejection(
    inbox.waitForCode(Object.assign({ phoneNumber: to }, JSON.parse(JSON.stringify(options)))),
  )
  assert.instanceOf(error, Error)
  assert.match(error.message, expected)
})

test("messages are reported on, delivered later and cleared", async () => {
  await using inbox = createInbox({ delivery: "by-hand" })
  await send(inbox, { to })
  const [open] = await inbox.messages()
  assert.strictEqual(await inbox.report({ id: open?.id ?? "", status: "undelivered" }), "done")
  assert.strictEqual(await inbox.report({ id: open?.id ?? "", status: "never" }), "final")
  assert.strictEqual(await inbox.report({ id: "msg_0", status: "never" }), "unknown message")
  await inbox.deliver("at-once")
  await send(inbox, { to })
  const outcomes = (await inbox.messages()).map(({ outcome }) => outcome)
  assert.deepStrictEqual(outcomes, ["delivered", "undelivered"])
  await inbox.clear()
  assert.deepStrictEqual(await inbox.messages(), [])
})

test("fetch serves the base path of the options, handle that of the mount", async () => {
  await using inbox = createInbox({ basePath: "/dev/inbox" })
  const status = async (path: string, basePath?: string) => {
    const request = new Request(`http://localhost:3000${path}`)
    return (
      await (basePath === undefined ? inbox.fetch(request) : inbox.handle(request, { basePath }))
    ).status
  }
  assert.strictEqual(await status("/dev/inbox/messages"), 200)
  assert.strictEqual(await status("/inbox/messages"), 404)
  assert.strictEqual(await status("/other/messages", "/other"), 200)
  assert.strictEqual(await status("/dev/inbox/messages", "/other"), 404)
})

test("dispose ends open pages and waits, and may be called twice", async () => {
  const inbox = createInbox()
  const page = await inbox.fetch(new Request("http://localhost:3000/inbox/events"))
  const reader = page.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.match((await reader?.read())?.value ?? "", /^retry: /)
  const poll = inbox.fetch(new Request(`http://localhost:3000/inbox/latest-code?to=${to}&wait=60`))
  const waiting = rejection(inbox.waitForCode({ phoneNumber: to, timeout: "1 minute" }))
  await Promise.all([inbox.dispose(), inbox.dispose()])
  while ((await reader?.read())?.done === false);
  assert.strictEqual((await poll).status, 404)
  assert.instanceOf(await waiting, NoCodeError)
})

test.each([
  ["production", true],
  ["development", false],
  [undefined, false],
])("NODE_ENV %s is production: %s", async (value, isRefused) => {
  vi.stubEnv("NODE_ENV", value)
  onTestFinished(() => void vi.unstubAllEnvs())
  if (isRefused) assert.throws(() => createInbox(), NotForProductionError)
  else await createInbox().dispose()
  await createInbox({ allowInProduction: true }).dispose()
})

test("an unknown option is refused with the one that was meant", async () => {
  const misspelt: object = { delivry: "by-hand" }
  assert.throws(
    () => createInbox(misspelt),
    "createInbox: delivry is not an option; did you mean delivery?",
  )
  await using inbox = createInbox()
  const calls = [
    inbox.waitForCode(Object.assign({ phoneNumber: to }, { timeOut: 1 })),
    inbox.messages(Object.assign({ phoneNumber: to }, { phone: 1 })),
    inbox.report(Object.assign({ id: "msg_1", status: "delivered" } as const, { dela: 5 })),
  ]
  const expected = [
    "waitForCode: timeOut is not an option; did you mean timeout?",
    "messages: phone is not an option; did you mean phoneNumber?",
    "report: dela is not an option; did you mean delay?",
  ]
  for (const [index, call] of calls.entries()) {
    const error = await rejection(call)
    assert.instanceOf(error, TypeError)
    assert.strictEqual(error.message, expected[index])
  }
})
