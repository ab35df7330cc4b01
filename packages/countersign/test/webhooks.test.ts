import { createServer } from "node:http"
import { once } from "node:events"
import { afterAll, assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { failure, phone } from "./support/values.ts"
import { hosts } from "./support/host.ts"

const { host } = hosts()

interface Delivery {
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly sequence: number; readonly previous: number | null }
}

/** A receiver on this machine that answers 200. */
const receiving = async () => {
  const deliveries: Array<Delivery> = []
  let heard = (): void => {}
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      deliveries.push(JSON.parse(body))
      response.end()
      heard()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    /** Waits until this number of deliveries has come. */
    until: async (count: number) => {
      while (deliveries.length < count) {
        await new Promise<void>((resolve) => (heard = resolve))
      }
      return deliveries.toSorted((a, b) => a.data.sequence - b.data.sequence)
    },
    close: () => void server.close(),
  }
}

const loopback = { allowHttp: true, allowPrivateAddresses: true }

describe("webhooks", () => {
  it("deliver the events as the event log has them", async () => {
    const clock = Countersign.createTestClock()
    const receiver = await receiving()
    afterAll(receiver.close)
    const options = { clock, database: "memory", webhooks: loopback, prices: { sms: "0.50" } }
    const { engine } = await host(options)
    const { last: after } = await engine.events.list()
    const { id, secret, ...webhook } = await engine.webhooks.create({ url: receiver.url })
    assert.match(secret, /^whsec_/)
    assert.deepInclude(webhook, { types: null, description: null, isEnabled: true })
    const key = await engine.apiKeys.create({ name: "app" })
    await engine.account.topUp({ amount: "10", note: "invoice 7" })
    await engine.account.adjust({ amount: "-1.5", note: "fee" })
    await engine.senders.create({ kind: "non-masking", value: "8809600000001" })
    await engine.organizations.update({ id: "default", limits: { attempts: 9 } })
    const sent = { phoneNumber: phone(), metadata: { order: 7 } }
    const { requestId } = await engine.verifications.send(sent)
    await engine.verifications.cancel({ requestId })
    await engine.apiKeys.revoke({ id: key.id })
    await engine.webhooks.update({ id, description: "mine" })
    await clock.advance("1 second")
    const { items: events, last } = await engine.events.list({ after })
    const deliveries = await receiver.until(events.length)
    for (const [index, { at, type, ...data }] of events.entries()) {
      const previous = index === 0 ? null : after + index
      assert.deepStrictEqual<unknown>(deliveries[index], {
        type,
        timestamp: at.toISOString(),
        data: { ...data, previous },
      })
    }
    assert.deepInclude((await engine.webhooks.list()).items[0], {
      id,
      lastError: null,
      retrying: 0,
    })
    assert.deepStrictEqual(await engine.webhooks.replay({ id, after: last - 2 }), {
      after: last - 2,
    })
    await clock.advance("1 second")
    await receiver.until(events.length + 2)
    assert.deepStrictEqual(await engine.webhooks.sendTest({ id }), {
      isDelivered: true,
      error: null,
    })
    assert.strictEqual(receiver.deliveries.at(-1)?.type, "webhook_test")
    const rotated = await engine.webhooks.rotateSecret({ id, grace: "1 minute" })
    assert.match(rotated.secret, /^whsec_/)
    assert.notStrictEqual(rotated.secret, secret)
    const [listed] = (await engine.webhooks.list()).items
    assert.instanceOf(listed?.oldSecretUntil, Date)
    await engine.webhooks.remove({ id })
    assert.deepStrictEqual((await engine.webhooks.list()).items, [])
    await engine.dispose()
  })

  it("are left to other processes by a process that does not deliver", async () => {
    const { engine } = await host({ database: "memory", webhooks: { deliver: false } })
    const { id } = await engine.webhooks.create({ url: "https://example.com" })
    assert.deepInclude(await engine.webhooks.sendTest({ id }), { isDelivered: false })
    await engine.dispose()
  })

  it("go to public addresses over https only, unless the host allows more", async () => {
    const { engine } = await host({ database: "memory" })
    const problems = async (url: string) => {
      const error = await failure(engine.webhooks.create({ url }))
      assert.instanceOf(error, Countersign.InvalidRequestError)
      return error.details["url"]?.map(({ message }) => message)
    }
    assert.deepStrictEqual(await problems("http://example.com"), ["must use https"])
    assert.deepStrictEqual(await problems("https://127.0.0.1"), ["The address is not public"])
    const { id } = await engine.webhooks.create({ url: "https://localhost:1/hook" })
    assert.deepStrictEqual(await engine.webhooks.sendTest({ id }), {
      isDelivered: false,
      error: "The address is not public",
    })
    await engine.dispose()
  })
})
