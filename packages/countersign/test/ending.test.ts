import { createServer } from "node:http"
import { assert, describe, it } from "vitest"
import { listen } from "../../../test/support/loopback.ts"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

/** A gateway that answers when `release` resolves; `taken` resolves when the gateway has `count` messages. */
const gated = (count = 1) => {
  const taken = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let messages = 0
  const sms: Countersign.Gateway = {
    name: "own",
    send: async () => {
      messages += 1
      const gatewayId = `g${messages}`
      if (messages === count) taken.resolve()
      await release.promise
      return { status: "delivered", gatewayId }
    },
  }
  return { gateways: { sms }, taken: taken.promise, release: release.resolve }
}

// Longer than a test may take: the end waits for the calls, and not for this.
const shutdownTimeout = "10 minutes"

const request = (key: string): Request =>
  new Request("https://example.com/api/v2/messages", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ to: phone(), message: "x" }),
  })

/** The statuses in the log, as another engine reads them. */
const statuses = async ({ database }: Countersign.CountersignOptions) => {
  const { engine } = await host({ database })
  const { items: messages } = await engine.messages.list()
  return messages.map(({ status }) => status)
}

const disposed = async (call: Promise<unknown>): Promise<string> => {
  const error = await failure(call)
  return error instanceof Countersign.DisposedError ? error.status : error.code
}

describe("dispose waits for", () => {
  it("requests in progress, and a second call returns the same promise", async () => {
    const { gateways, release, taken } = gated()
    const { engine, settings } = await host({ gateways, shutdownTimeout })
    const { key } = await engine.apiKeys.create({ name: "backend" })
    const answer = engine.fetch(request(key))
    await taken
    const end = engine.dispose()
    assert.strictEqual(engine.dispose(), end)
    release()
    assert.strictEqual((await answer).status, 200)
    await end
    assert.strictEqual(await disposed(engine.account.balance()), "refused")
    assert.deepStrictEqual(await statuses(settings), ["delivered"])
  })

  it("sends of the promise API under way", async () => {
    const { gateways, release, taken } = gated(2)
    const { engine, settings } = await host({ gateways, shutdownTimeout })
    const phoneNumber = phone()
    const verification = engine.verifications.send({ phoneNumber })
    const message = engine.messages.send({ phoneNumber: phone(), text: "x" })
    await taken
    const end = engine.dispose()
    const late = disposed(engine.messages.send({ phoneNumber: phone(), text: "late" }))
    // Takes longer than an end that does not wait.
    assert.deepStrictEqual(await statuses(settings), ["pending", "pending"])
    release()
    assert.strictEqual((await verification).phoneNumber, phoneNumber)
    assert.include(["g1", "g2"], (await message).gatewayId)
    await end
    assert.strictEqual(await late, "refused")
    assert.deepStrictEqual(await statuses(settings), ["delivered", "delivered"])
  })
})

describe("a call", () => {
  it("is refused during and after dispose", async () => {
    const { engine } = await host({ shutdownTimeout })
    const calls = () => [
      disposed(engine.verifications.send({ phoneNumber: phone() })),
      disposed(engine.messages.list()),
      disposed(engine.gateways.health()),
    ]
    const end = engine.dispose()
    const racing = calls()
    await end
    const statuses = await Promise.all([...racing, ...calls()])
    assert.deepStrictEqual(statuses, Array(6).fill("refused"))
  })

  it("that follows the event log is refused", async () => {
    const { engine } = await host({ database: "memory" })
    const { last: after } = await engine.events.list()
    const waiting = disposed(engine.events.follow({ after })[Symbol.asyncIterator]().next())
    await engine.dispose()
    assert.include(["refused", "unknown"], await waiting)
  })

  it("that takes longer than the grace period has an unknown outcome", async () => {
    const { gateways, release, taken } = gated()
    const { engine } = await host({ gateways, shutdownTimeout: "1 millisecond" })
    const sent = disposed(engine.messages.send({ phoneNumber: phone(), text: "x" }))
    await taken
    await engine.dispose()
    release()
    assert.strictEqual(await sent, "unknown")
  })
})

/** The engine on a server of Node. */
const served = async (engine: Countersign.Countersign) => {
  const server = createServer(engine.listener)
  const port = await listen(server)
  const { key } = await engine.apiKeys.create({ name: "backend" })
  const post = async () => {
    const sent = request(key)
    const { headers, method } = sent
    const body = await sent.text()
    return fetch(`http://127.0.0.1:${port}/api/v2/messages`, { method, headers, body })
  }
  return { post, server }
}

describe("shutdown", () => {
  it("answers requests under way, closes the server, and disposes", async () => {
    const { gateways, release, taken } = gated()
    const { engine } = await host({ gateways, shutdownTimeout })
    const { post, server } = await served(engine)
    assert.isTrue(engine.isReady())
    const underWay = post()
    await taken
    const ended = engine.shutdown({ server })
    assert.isFalse(engine.isReady())
    assert.strictEqual(engine.shutdown(), ended)
    release()
    assert.strictEqual((await underWay).status, 200)
    await ended
    assert.isFalse(server.listening)
    assert.strictEqual(await disposed(engine.account.balance()), "refused")
  })

  it("serves requests during the wait, on connections that end with the answer", async () => {
    const { gateways, release } = gated()
    release()
    const { engine } = await host({ gateways })
    const { post, server } = await served(engine)
    const ended = engine.shutdown({ server, wait: "10 minutes" })
    assert.isFalse(engine.isReady())
    const answer = await post()
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("connection"), "close")
    assert.isTrue(server.listening)
    // Ends the wait.
    await engine.dispose()
    await ended
    assert.isFalse(server.listening)
  })

  it("takes a server that does not run, and refuses a wait without a unit", async () => {
    const { engine } = await host({})
    const bare: object = { wait: 10 }
    assert.throws(() => engine.shutdown(bare), /^wait must be a number with its unit/)
    const unknown: object = { waitSeconds: 10 }
    assert.throws(() => engine.shutdown(unknown), /waitSeconds is not an option/)
    assert.isTrue(engine.isReady())
    await engine.shutdown({ server: createServer() })
    assert.isFalse(engine.isReady())
  })
})
