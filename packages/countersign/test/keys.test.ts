import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

/** An engine in memory with a clock to move, and the status of the balance for a key. */
const opened = async () => {
  const clock = Countersign.createTestClock()
  const { engine } = await host({ database: "memory", clock })
  const answer = (key: string, path: string) =>
    engine.fetch(
      new Request(`https://example.com/api/v2${path}`, {
        headers: { authorization: `Bearer ${key}` },
      }),
    )
  return { clock, engine, answer }
}

describe("apiKeys", () => {
  it("makes keys that expire", async () => {
    const { answer, clock, engine } = await opened()
    const expiresAt = new Date(clock.now().getTime() + 60_000)
    const { key, ...made } = await engine.apiKeys.create({ name: "trial", expiresAt })
    assert.deepStrictEqual(made.expiresAt, expiresAt)
    assert.strictEqual((await answer(key, "/balance")).status, 200)
    await clock.advance("60 seconds")
    assert.strictEqual((await answer(key, "/balance")).status, 401)
    const [summary] = (await engine.organizations.list()).items
    assert.strictEqual(summary?.activeApiKeys, 0)
    await engine.dispose()
  })

  it("makes keys for some endpoints only", async () => {
    const { answer, engine } = await opened()
    const { key, scopes } = await engine.apiKeys.create({
      name: "finance",
      scopes: ["messages:read", "balance:read"],
    })
    assert.deepStrictEqual(scopes, ["messages:read", "balance:read"])
    for (const path of ["/balance", "/messages"]) {
      assert.strictEqual((await answer(key, path)).status, 200)
    }
    const refused = await answer(key, "/verify/vrf_1")
    assert.strictEqual(refused.status, 403)
    assert.strictEqual(refused.headers.get("countersign-error"), "insufficient_scope")
    await engine.dispose()
  })

  it("lists when a key was last used", async () => {
    const { answer, clock, engine } = await opened()
    const { id, key, lastUsedAt } = await engine.apiKeys.create({ name: "backend" })
    assert.isNull(lastUsedAt)
    const before = clock.now()
    await answer(key, "/balance")
    const after = clock.now()
    const lastUse = async () =>
      (await engine.apiKeys.list()).items.find((one) => one.id === id)?.lastUsedAt ?? null
    let used = await lastUse()
    // A background task writes it, so it may take some turns.
    for (let turn = 0; used === null && turn < 100; turn++) {
      await clock.advance("2 seconds")
      used = await lastUse()
    }
    assert.instanceOf(used, Date)
    assert.isTrue(used >= before && used <= after)
    await engine.dispose()
  })
})

describe("senders", () => {
  it("withdraws a sender, and keeps it in the list", async () => {
    const { engine } = await opened()
    const { id } = await engine.senders.create({ kind: "masking", value: "ACME" })
    await engine.senders.withdraw({ id })
    const sender = (await engine.senders.list()).items.find((one) => one.id === id)
    assert.strictEqual(sender?.status, "withdrawn")
    const message = { phoneNumber: phone(), text: "Hello", sender: "ACME" }
    const refused = await failure(engine.messages.send(message))
    assert.instanceOf(refused, Countersign.SenderUnusableError)
    const unknown = await failure(engine.senders.withdraw({ id: "unknown" }))
    assert.instanceOf(unknown, Countersign.SenderNotFoundError)
    await engine.dispose()
  })
})
