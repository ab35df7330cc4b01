/**
 * Nodes with different secrets on one PostgreSQL database.
 */
import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { database, host } = hosts()

const one = "the first secret of these tests, and of no other"
const two = "the second secret of these tests, and of no other"
const typo = "the frist secret of these tests, and of no other"

/** Starts one more node on the database of a host. */
const nodesOf = async (first: string) => {
  const { engine, gateway, settings } = await host({ secret: first })
  const start = (...secret: ReadonlyArray<string>) =>
    Countersign.createCountersign({ ...settings, secret })
  return { engine, gateway, settings, start }
}

const refused = async (start: Promise<unknown>): Promise<string> => {
  const error = await failure(start)
  assert.instanceOf(error, Countersign.StartError)
  return error.message
}

describe("a node with another secret", () => {
  it("does not start, and the message says what to do without showing a secret", async () => {
    const { engine, start } = await nodesOf(one)
    await using _ = engine
    for (const wrong of [[typo], [two], [typo, two]]) {
      const message = await refused(start(...wrong))
      assert.match(message, /secret: this database is used with the secret [\w-]{12}, and this/)
      assert.match(message, /give both, the new one first/)
      assert.match(message, /countersign secret forget/)
      assert.notMatch(message, /of these tests/)
    }
    // A refused start registers nothing.
    await using again = await start(one)
    assert.deepStrictEqual(await again.verifications.list(), { items: [], next: null })
  })

  it("does not start if two nodes begin at once on a new database", async () => {
    const { engine, settings } = await nodesOf(one)
    await engine.dispose()
    // Another schema is a new database to the nodes.
    const options = { ...settings, database: { url: await database(), schema: "fresh" } }
    await Countersign.migrateCountersign(options)
    const starts = await Promise.allSettled(
      [one, two, one, two].map((secret) => Countersign.createCountersign({ ...options, secret })),
    )
    const started = starts.flatMap((node) => (node.status === "fulfilled" ? [node.value] : []))
    assert.lengthOf(started, 2)
    for (const node of started) await node.dispose()
    const outcomes = starts.map(({ status }) => status)
    assert.deepStrictEqual([outcomes[0], outcomes[1]], [outcomes[2], outcomes[3]])
  })
})

describe("a rotation", () => {
  it("answers codes of unknown secrets with a wait, and spends no attempt", async () => {
    const { engine: before, gateway, start } = await nodesOf(one)
    await using _ = before
    await using during = await start(two, one)
    await using after = await start(two)
    const phoneNumber = phone()
    const { requestId } = await before.verifications.send({ phoneNumber })
    const code = gateway.latestCode(phoneNumber)
    for (const typed of [code, "000000", "111111", "222222", "333333"]) {
      const error = await failure(after.verifications.check({ requestId, code: typed }))
      assert.instanceOf(error, Countersign.UnavailableError)
      assert.strictEqual(error.reason, "secret")
      assert.isAbove(error.retryAfterSeconds, 0)
      assert.strictEqual(error.httpStatus, 503)
    }
    const resent = await failure(after.verifications.resend({ requestId }))
    assert.instanceOf(resent, Countersign.UnavailableError)
    const { attemptsRemaining } = await after.verifications.get({ requestId })
    assert.strictEqual(attemptsRemaining, 3)
    const checked = await during.verifications.check({ requestId, code })
    assert.isTrue(checked.isFirst)
    // A verified request needs no secret.
    const consumed = await after.verifications.consume({ requestId })
    assert.strictEqual(consumed.phoneNumber, phoneNumber)
  })
})
