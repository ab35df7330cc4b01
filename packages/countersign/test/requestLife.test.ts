import { assert, it } from "vitest"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

it("a request has one shape, from every call that returns it", async () => {
  const { engine } = await host({ database: "memory", limits: { resendCooldown: "0 seconds" } })
  const { verifications } = engine
  const sent = await verifications.send({ phoneNumber: phone(), purpose: "login" })
  const { requestId } = sent
  assert.deepInclude(await verifications.get({ requestId }), { requestId, purpose: "login" })
  const again = await verifications.resend({ requestId })
  assert.deepStrictEqual(Object.keys(again), Object.keys(sent))
  assert.deepInclude(again, { expiresAt: sent.expiresAt, resendsRemaining: 2 })
  assert.instanceOf(again.resendAt, Date)
  const cancelled = await verifications.cancel({ requestId })
  assert.deepInclude(cancelled, { status: "failed", resendAt: null, resendsRemaining: 0 })
  assert.deepStrictEqual(await verifications.get({ requestId }), cancelled)
  const { items } = await verifications.list()
  assert.deepStrictEqual(items, [{ ...cancelled, delivery: "delivered" }])
  assert.deepStrictEqual((await verifications.history({ requestId })).verification, cancelled)
  await engine.dispose()
})
