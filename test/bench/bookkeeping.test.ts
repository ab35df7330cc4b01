import { Client } from "pg"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import type { Context } from "./Measurement.ts"
import { mistakes } from "./bookkeeping.ts"
import { load, post } from "./load.ts"
import { type Nodes, numberOf, withNodes } from "./nodes.ts"
import { sendPath } from "./sides.ts"

/** Each statement breaks one rule. The rows stay broken for the statements after it. */
const planted = [
  [
    "UPDATE countersign.entries SET balance = balance + 1 WHERE sequence = 4",
    "carries the balances",
  ],
  [
    "UPDATE countersign.accounts SET held = held + 1 WHERE organization = 'bench-1'",
    "its last entry",
  ],
  ["UPDATE countersign.messages SET created_at = 1 WHERE sequence = 5", "order of time"],
  ["UPDATE countersign.messages SET charge = charge + 1 WHERE sequence = 2", "resolved once"],
  [
    "UPDATE countersign.messages SET phone_number = '+8801700000000' WHERE sequence = 3",
    "name each other",
  ],
  ["INSERT INTO countersign.open_messages VALUES ('bench-0', 1, 1)", "left open"],
  ["UPDATE countersign.verifications SET phone_number = '1'", "stay in the window"],
  ["DELETE FROM countersign.messages WHERE sequence = 1", "without gaps"],
] as const

describe("the bookkeeping check after a load", () => {
  let nodes: Nodes
  let end = (): void => {}
  let ended: Promise<void>

  beforeAll(async () => {
    const context: Context = {
      scale: "quick",
      rounds: 1,
      postgresUrl: () => Promise.resolve(inject("postgresUrl")),
      postgresPid: () => Promise.resolve(undefined),
      quietly: (round) => round(),
      log: () => {},
    }
    await new Promise<void>((ready, failed) => {
      ended = withNodes(context, 1, { organizations: 2 }, (started) => {
        nodes = started
        ready()
        return new Promise((resolve) => {
          end = resolve
        })
      })
      ended.catch(failed)
    })
    await load({
      origin: nodes.services[0]?.origin ?? "",
      connections: 8,
      requests: 40,
      request: (rank) =>
        post(sendPath, nodes.keys[rank % 2] ?? "", { phone_number: numberOf(rank) }),
    })
  }, 60_000)

  afterAll(async () => {
    end()
    await ended
  })

  const perNumber = { sends: 10, windowMillis: 60_000, pending: 5 }

  it("passes for consistent rows", async () => {
    // A node writes the outcomes of its last answers some milliseconds later.
    await eventually(async () => {
      assert.deepEqual(await mistakes(nodes.databaseUrl, { sent: 40, perNumber }), [])
    })
  })

  it("fails if an answer has no message", async () => {
    assert.deepEqual(await mistakes(nodes.databaseUrl, { sent: 41 }), [
      "41 answers of 200, 40 messages, 40 requests",
    ])
  })

  it("finds every kind of mistake", async () => {
    const client = new Client({ connectionString: nodes.databaseUrl })
    await client.connect()
    for (const [sql, rule] of planted) {
      const before = await mistakes(nodes.databaseUrl, { sent: 40, perNumber })
      await client.query(sql)
      const after = await mistakes(nodes.databaseUrl, { sent: 40, perNumber })
      assert.isFalse(
        before.some((mistake) => mistake.includes(rule)),
        `${rule}, before it`,
      )
      assert.isTrue(
        after.some((mistake) => mistake.includes(rule)),
        rule,
      )
    }
    await client.end()
  })
})
