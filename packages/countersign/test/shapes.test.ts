/**
 * Every call that returns a thing returns it in the same shape.
 */
import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

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
})

describe("a failed verification", () => {
  const reasonsOf = async (engine: Countersign.Countersign, requestId: string) => {
    const got = await engine.verifications.get({ requestId })
    const { verification } = await engine.verifications.history({ requestId })
    const { items } = await engine.verifications.list({ statuses: ["failed"] })
    const { delivery: _, ...listed } = items[0] ?? assert.fail("it is not listed")
    assert.deepStrictEqual([got, listed], [verification, verification])
    return got.status === "failed" ? got.reason : got.status
  }

  it("tells that wrong codes have used its attempts up", async () => {
    const { engine } = await host({ database: "memory" })
    const { requestId } = await engine.verifications.send({ phoneNumber: phone() })
    for (const code of ["1", "2", "3"]) {
      await failure(engine.verifications.check({ requestId, code }))
    }
    assert.strictEqual(await reasonsOf(engine, requestId), "attempts")
  })

  it("tells that no message was sent", async () => {
    const sms: Countersign.Gateway = {
      name: "own",
      send: async () => ({ status: "rejected", reason: "recipient", message: "no such number" }),
    }
    const { engine } = await host({ database: "memory", gateways: { sms } })
    const requestId = engine.verifications.newRequestId()
    await failure(engine.verifications.send({ phoneNumber: phone(), requestId }))
    assert.strictEqual(await reasonsOf(engine, requestId), "sending")
  })
})

describe("a message", () => {
  it("is found by the id and by the sequence that `send` resolves with", async () => {
    const { engine } = await host({ database: "memory", prices: { sms: "0.5" } })
    await engine.account.topUp({ amount: "5" })
    const input = { phoneNumber: phone(), text: "x", idempotencyKey: "once" }
    const sent = await engine.messages.send(input)
    const { id, price, sequence, status } = sent
    const message = await engine.messages.get({ id })
    assert.deepInclude(message, { id, price, sequence, status, phoneNumber: sent.phoneNumber })
    assert.deepStrictEqual(await engine.messages.get({ sequence }), message)
    assert.deepStrictEqual(
      await engine.messages.history({ id }),
      await engine.messages.history({ sequence }),
    )
    assert.deepInclude(await engine.messages.send(input), { id, price, sequence, status })
  })

  it("is named by one of both", async () => {
    const { engine } = await host({ database: "memory" })
    const { id, sequence } = await engine.messages.send({ phoneNumber: phone(), text: "x" })
    for (const ref of [{}, { id, sequence }, { id: 1 }, { sequence: "1" }]) {
      for (const call of [engine.messages.get, engine.messages.history]) {
        assert.instanceOf(await failure(call(untyped(ref))), Countersign.InvalidRequestError)
      }
    }
  })
})

describe("a period", () => {
  it("includes `from`, and excludes `to`", async () => {
    const { engine } = await host({ database: "memory" })
    const { id } = await engine.messages.send({ phoneNumber: phone(), text: "x" })
    const { requestId } = await engine.verifications.send({ phoneNumber: phone() })
    const timesOf = {
      messages: async (period: object) =>
        (await engine.messages.list(period)).items.map(({ createdAt }) => createdAt),
      verifications: async (period: object) =>
        (await engine.verifications.list(period)).items.map(({ createdAt }) => createdAt),
      audit: async (period: object) => (await engine.audit.list(period)).items.map(({ at }) => at),
    }
    for (const [times, at] of [
      [timesOf.messages, (await engine.messages.get({ id })).createdAt],
      [timesOf.verifications, (await engine.verifications.get({ requestId })).createdAt],
      [timesOf.audit, (await engine.audit.list()).items[0]?.at ?? assert.fail("no audit")],
    ] as const) {
      const [before, after] = [-1, 1].map((millis) => new Date(at.getTime() + millis))
      assert.deepInclude(await times({ from: at, to: after }), at)
      assert.notDeepInclude(await times({ from: before, to: at }), at)
    }
    const { createdAt: from } = await engine.messages.get({ id })
    const after = new Date(from.getTime() + 60_000)
    const { count } = engine.messages
    assert.deepStrictEqual(
      [await count(), await count({ from }), await count({ to: after })],
      [2, 2, 2],
    )
    assert.deepStrictEqual([await count({ to: from }), await count({ from: after })], [0, 0])
  })
})
