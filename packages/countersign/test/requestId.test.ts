import { assert, describe, it } from "vitest"
import { InvalidRequestError } from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

const isTaken = (error: unknown): void => {
  assert.instanceOf(error, InvalidRequestError)
  assert.deepStrictEqual(
    error.details["requestId"]?.map(({ code }) => code),
    ["request_id_taken"],
  )
}

describe("a request with an id of `newRequestId`", () => {
  it.each(["memory", "a server"])("has this id, in %s", async (place) => {
    const { engine, gateway } = await host({
      ...(place === "memory" && { database: "memory" }),
      prices: { sms: "1" },
    })
    const { account, newRequestId, send, verify } = { ...engine, ...engine.verifications }
    await account.topUp({ amount: "5" })
    const requestId = newRequestId()
    assert.match(requestId, /^vrf_[0-9a-f]{44}$/)
    assert.notStrictEqual(newRequestId(), requestId)
    const phoneNumber = phone()
    assert.strictEqual((await send({ phoneNumber, requestId })).requestId, requestId)
    // Another request for it is refused and charged nothing, also once the first one has ended.
    isTaken(await failure(send({ phoneNumber: phone(), requestId })))
    await verify({ requestId, code: gateway.latestCode(phoneNumber) })
    isTaken(await failure(send({ phoneNumber, requestId })))
    await engine.privacy.erase({ phoneNumber })
    isTaken(await failure(send({ phoneNumber, requestId })))
    assert.strictEqual((await account.balance()).balance, "4.00")
  })

  it("is opened by one of many calls at once", async () => {
    const { engine } = await host()
    const requestId = engine.verifications.newRequestId()
    const sent = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        engine.verifications.send({ phoneNumber: phone(), requestId }),
      ),
    )
    const refused = sent.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))
    assert.lengthOf(refused, 7)
    for (const error of refused) isTaken(error)
  })

  it("answers a repeat with its idempotency key like the first call", async () => {
    const { engine } = await host({ database: "memory" })
    const requestId = engine.verifications.newRequestId()
    const input = { phoneNumber: phone(), requestId, idempotencyKey: "once" }
    const first = await engine.verifications.send(input)
    assert.deepStrictEqual(await engine.verifications.send(input), first)
  })

  it.each(["", "vrf_1", "msg_".padEnd(48, "0")])("is refused with the id %j", async (requestId) => {
    const { engine } = await host({ database: "memory" })
    const error = await failure(engine.verifications.send({ phoneNumber: phone(), requestId }))
    assert.strictEqual(error.message, "requestId must be an id that newRequestId has returned")
  })
})
