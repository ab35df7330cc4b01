import { RequestNotFoundError, UnavailableError } from "countersign"
import { afterEach, assert, beforeEach, describe, test, vi } from "vitest"
import { type App, startApp } from "./support/startApp.ts"
import { visiting } from "./support/visiting.ts"

const phoneNumber = "+8801712000001"

let app: App
beforeEach(async () => {
  app = await startApp()
})
afterEach(() => app.stop())

describe("a new start", () => {
  test("cancels the request of the session", async () => {
    const user = visiting(app.origin)
    for (const _ of [1, 2]) await user.post("/login/start", { phoneNumber })
    const { messages, verifications } = app.countersign
    const statuses = []
    for (const { requestId } of (await messages.list()).items) {
      statuses.push((await verifications.get({ requestId: String(requestId) })).status)
    }
    assert.deepStrictEqual(statuses, ["pending", "failed"])
  })

  test.each([
    ["is unknown by now", new RequestNotFoundError()],
    ["cannot be cancelled", new UnavailableError({ reason: "timeout", retryAfterSeconds: 1 })],
  ])("signs in with its code if the earlier request %s", async (_name, error) => {
    const silenced = vi.spyOn(console, "error").mockReturnValue()
    const user = visiting(app.origin)
    await user.post("/login/start", { phoneNumber })
    vi.spyOn(app.countersign.verifications, "cancel").mockRejectedValueOnce(error)
    assert.strictEqual((await user.post("/login/start", { phoneNumber })).status, 303)
    const code = app.code(phoneNumber)
    assert.strictEqual((await user.post("/login/verify", { code })).status, 303)
    assert.include((await user.get("/")).text, `You are signed in as <bdi>${phoneNumber}</bdi>.`)
    silenced.mockRestore()
  })
})

test("a session whose request is unknown by now begins again", async () => {
  const user = visiting(app.origin)
  await user.post("/login/start", { phoneNumber })
  const { verifications } = app.countersign
  vi.spyOn(verifications, "history").mockRejectedValue(new RequestNotFoundError())
  vi.spyOn(verifications, "cancel").mockRejectedValue(new RequestNotFoundError())
  assert.strictEqual((await user.post("/login/cancel")).status, 303)
  const page = await user.get("/")
  assert.strictEqual(page.status, 200)
  assert.include(page.text, 'action="/login/start"')
})
