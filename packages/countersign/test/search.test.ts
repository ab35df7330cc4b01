import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

describe("a page of keys or senders", () => {
  it("begins after an id, in the order of creation", async () => {
    const { engine } = await host({ database: "memory" })
    for (let index = 0; index < 102; index++) await engine.apiKeys.create({ name: `key ${index}` })
    for (const sender of ["ONE", "TWO", "SIX"])
      await engine.senders.create({ kind: "masking", value: sender })
    const { items: senders } = await engine.senders.list()
    const { items: keys } = await engine.apiKeys.list({ limit: 1_000 })
    assert.lengthOf(keys, 102)
    assert.deepStrictEqual((await engine.apiKeys.list()).items, keys.slice(0, 100))
    for (const [service, all] of [
      [engine.apiKeys, keys],
      [engine.senders, senders],
    ] as const) {
      const page = await service.list({ limit: 1 })
      const next = await service.list({ cursor: page.next ?? "", limit: 1 })
      assert.deepStrictEqual<unknown>([...page.items, ...next.items], all.slice(0, 2))
      const found = []
      for await (const { id } of service.list({ limit: 2 })) found.push(id)
      assert.deepStrictEqual(
        found,
        all.map(({ id }) => id),
      )
      assert.deepStrictEqual((await service.list({ cursor: "another" })).items, [])
      const error = await failure(service.list(untyped({ limit: "5" })))
      assert.instanceOf(error, Countersign.InvalidRequestError)
    }
    await engine.dispose()
  })
})

describe("a search", () => {
  it("finds messages and requests by number, page by page", async () => {
    const { engine, gateway } = await host({ database: "memory" })
    const [phoneNumber, other] = [phone(), phone()]
    const metadata = { order: 5 }
    const { requestId } = await engine.verifications.send({ phoneNumber, metadata })
    await engine.verifications.send({ phoneNumber: other })
    await engine.verifications.check({ requestId, code: gateway.latestCode(phoneNumber) })
    await engine.messages.send({ phoneNumber, text: "Your parcel is here" })

    const first = await engine.messages.list({ phoneNumber, limit: 1 })
    const cursor = first.next ?? assert.fail("there is another page")
    const second = await engine.messages.list({ phoneNumber, limit: 1, cursor })
    assert.isNull(second.next)
    const { items: messages } = await engine.messages.list()
    assert.deepStrictEqual(
      [...first.items, ...second.items],
      messages.filter((message) => message.phoneNumber === phoneNumber),
    )

    const verified = await engine.verifications.list({ phoneNumber, statuses: ["verified"] })
    const status = await engine.verifications.get({ requestId })
    assert.deepStrictEqual(verified, {
      items: [{ ...status, delivery: "delivered" }],
      next: null,
    })
    assert.deepStrictEqual(status.metadata, metadata)
    assert.lengthOf((await engine.verifications.list()).items, 2)
    const each: Array<string> = []
    for await (const { id } of engine.messages.list({ limit: 1 })) each.push(id)
    assert.deepStrictEqual(
      each,
      messages.map(({ id }) => id),
    )
    assert.lengthOf((await engine.messages.list()).items, 3)
    await engine.dispose()
  })

  it("finds messages by status, gateway and time", async () => {
    const { engine } = await host({ database: "memory" })
    await engine.messages.send({ phoneNumber: phone(), text: "Your parcel is here" })
    const [message] = (await engine.messages.list()).items
    const { createdAt, gateway, status } = message ?? assert.fail("there is a message")
    const count = async (input: Countersign.ListMessages) =>
      (await engine.messages.list(input)).items.length
    assert.strictEqual(await count({ statuses: [status], gateway, from: createdAt }), 1)
    assert.strictEqual(await count({ statuses: ["failed"] }), 0)
    assert.strictEqual(await count({ gateway: "another" }), 0)
    assert.strictEqual(await count({ to: createdAt }), 0)
    assert.strictEqual(await count({ to: new Date(createdAt.getTime() + 1) }), 1)
    await engine.dispose()
  })
})
