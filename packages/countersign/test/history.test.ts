import { assert, it } from "vitest"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

it("the history of a request and of its message has amounts as decimals, and times as dates", async () => {
  const { engine, gateway } = await host({ database: "memory", prices: { sms: "0.5" } })
  const phoneNumber = phone()
  await engine.account.topUp({ amount: "10" })
  const { requestId } = await engine.verifications.send({ phoneNumber, purpose: "login" })
  await engine.verifications.check({
    requestId,
    code: gateway.latestCode(phoneNumber),
    purpose: "login",
  })
  const { messages, timeline, verification } = await engine.verifications.history({ requestId })
  const status = await engine.verifications.get({ requestId })
  assert.deepStrictEqual(verification, status)
  const [message] = messages
  assert.deepInclude(message, { requestId, status: "delivered", price: "0.50" })
  assert.deepStrictEqual(
    timeline.map(({ kind }) => kind),
    ["requested", "created", "held", "attempt", "accepted", "settled", "captured", "verified"],
  )
  const [requested] = timeline
  const { createdAt, expiresAt } = verification
  assert.deepStrictEqual<unknown>(requested, {
    kind: "requested",
    at: createdAt,
    purpose: "login",
    expiresAt,
  })
  const captured = timeline.find(({ kind }) => kind === "captured")
  assert.deepInclude(captured, { messageSequence: 1, amount: "0.50" })
  assert.instanceOf(captured?.at, Date)
  const ofMessage = await engine.messages.history({ sequence: 1 })
  assert.deepStrictEqual(ofMessage, {
    message: await engine.messages.get({ id: ofMessage.message.id }),
    reports: [],
    timeline: timeline.slice(1, -1),
  })
  await engine.dispose()
})
